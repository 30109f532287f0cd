// The shape law of Transpose, Concat, Split, Slice, Pad, Tile, DepthToSpace.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @transpose
// CHECK-SAME: -> (tensor<4x?x2xf32>, tensor<?x2x4xf32>, tensor<?x?xf32>)
func.func @transpose(%x: tensor<2x?x4xf32>, %u: tensor<*xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.Transpose(%x) : (tensor<2x?x4xf32>) -> !onnx.unknown
  %1 = onnx.Transpose(%x) {perm = [1, 0, 2]} : (tensor<2x?x4xf32>) -> !onnx.unknown
  %2 = onnx.Transpose(%u) {perm = [1, 0]} : (tensor<*xf32>) -> !onnx.unknown
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @concat_negative_axis
// CHECK-SAME: -> (tensor<2x8xf32>, tensor<2x?xf32>)
func.func @concat_negative_axis(%x: tensor<2x3xf32>, %y: tensor<?x5xf32>, %z: tensor<2x?xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %0 = onnx.Concat(%x, %y) {axis = -1} : (tensor<2x3xf32>, tensor<?x5xf32>) -> !onnx.unknown
  %1 = onnx.Concat(%y, %z) {axis = 1} : (tensor<?x5xf32>, tensor<2x?xf32>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @split
// CHECK-SAME: -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x1xf32>, tensor<0x5xf32>, tensor<3x5xf32>)
func.func @split(%x: tensor<3x5xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  // The last part is smaller.
  %0:3 = onnx.Split(%x, _) {axis = -1, num_outputs = 3} : (tensor<3x5xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown)
  %s = onnx.Constant() {value_ints = [0, 3]} : () -> tensor<2xi64>
  %1:2 = onnx.Split(%x, %s) : (tensor<3x5xf32>, tensor<2xi64>) -> (!onnx.unknown, !onnx.unknown)
  return %0#0, %0#1, %0#2, %1#0, %1#1 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @slice
// CHECK-SAME: -> (tensor<4x3xf32>, tensor<4x10xf32>, tensor<4x0xf32>, tensor<?x10xf32>, tensor<?x10xf32>)
func.func @slice(%x: tensor<4x10xf32>, %d: tensor<?x10xf32>, %e: tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %one = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %axis = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  %minus2 = onnx.Constant() {value_ints = [-2]} : () -> tensor<1xi64>
  %three = onnx.Constant() {value_ints = [3]} : () -> tensor<1xi64>
  // 1, 4, 7 (to -2 = 8)
  %0 = onnx.Slice(%x, %one, %minus2, %axis, %three) : (tensor<4x10xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  // Backwards over everything.
  %last = onnx.Constant() {value_ints = [9223372036854775807]} : () -> tensor<1xi64>
  %first = onnx.Constant() {value_ints = [-9223372036854775808]} : () -> tensor<1xi64>
  %1 = onnx.Slice(%x, %last, %first, %axis, %axis) : (tensor<4x10xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  // Nothing lies from 3 to 1.
  %2 = onnx.Slice(%x, %three, %one, %axis) : (tensor<4x10xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  // The other dims stay known, and the sliced one where nothing is cut.
  %zero = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %3 = onnx.Slice(%d, %one, %last, %zero) : (tensor<?x10xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  %4 = onnx.Slice(%x, %zero, %e, %zero) : (tensor<4x10xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  return %0, %1, %2, %3, %4 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @pad
// CHECK-SAME: -> (tensor<3x7xf32>, tensor<2x3xf32>, tensor<?x?xf32>)
func.func @pad(%x: tensor<2x4xf32>, %p: tensor<4xi64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %a = onnx.Constant() {value_ints = [1, 2, 0, 1]} : () -> tensor<4xi64>
  %0 = onnx.Pad(%x, %a, _, _) : (tensor<2x4xf32>, tensor<4xi64>) -> !onnx.unknown
  // Negative pads cut off.
  %b = onnx.Constant() {value_ints = [-1, 0]} : () -> tensor<2xi64>
  %axes = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  %1 = onnx.Pad(%x, %b, _, %axes) : (tensor<2x4xf32>, tensor<2xi64>, tensor<1xi64>) -> !onnx.unknown
  %2 = onnx.Pad(%x, %p, _, _) : (tensor<2x4xf32>, tensor<4xi64>) -> !onnx.unknown
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @tile
// CHECK-SAME: -> (tensor<6x0xf32>, tensor<?x?xf32>)
func.func @tile(%x: tensor<2x4xf32>, %r: tensor<2xi64>) -> (!onnx.unknown, !onnx.unknown) {
  %a = onnx.Constant() {value_ints = [3, 0]} : () -> tensor<2xi64>
  %0 = onnx.Tile(%x, %a) : (tensor<2x4xf32>, tensor<2xi64>) -> !onnx.unknown
  %1 = onnx.Tile(%x, %r) : (tensor<2x4xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @depth_to_space
// CHECK-SAME: -> (tensor<1x2x4x?xf32>, tensor<1x32x1x2xf32>)
func.func @depth_to_space(%x: tensor<1x8x2x?xf32>, %y: tensor<1x8x2x4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %0 = onnx.DepthToSpace(%x) {blocksize = 2} : (tensor<1x8x2x?xf32>) -> !onnx.unknown
  %1 = onnx.SpaceToDepth(%y) {blocksize = 2} : (tensor<1x8x2x4xf32>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// -----

func.func @transpose_perm(%x: tensor<2x4xf32>) -> !onnx.unknown {
  // expected-error @below {{transpose_perm: axis 0 is given twice}}
  %0 = onnx.Transpose(%x) {perm = [0, 0]} : (tensor<2x4xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @concat_rank(%x: tensor<2x3xf32>, %y: tensor<2xf32>) -> !onnx.unknown {
  // expected-error @below {{concat_c2: inputs must have the same rank, have 2 and 1}}
  %0 = onnx.Concat(%x, %y) {axis = 0} : (tensor<2x3xf32>, tensor<2xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @concat_dims(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> !onnx.unknown {
  // expected-error @below {{concat_c3: dimension 1 of input 1: dimensions 3 and 4 must be equal}}
  %0 = onnx.Concat(%x, %y) {axis = 0} : (tensor<2x3xf32>, tensor<2x4xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @concat_axis(%x: tensor<2x3xf32>) -> !onnx.unknown {
  // expected-error @below {{concat_axis: axis -3 is out of range for rank 2}}
  %0 = onnx.Concat(%x, %x) {axis = -3} : (tensor<2x3xf32>, tensor<2x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @split_sum(%x: tensor<3x5xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %s = onnx.Constant() {value_ints = [1, 1]} : () -> tensor<2xi64>
  // expected-error @below {{split_split: sum of the parts and the dimension: dimensions 2 and 3 must be equal}}
  %0:2 = onnx.Split(%x, %s) : (tensor<3x5xf32>, tensor<2xi64>) -> (!onnx.unknown, !onnx.unknown)
  return %0#0, %0#1 : !onnx.unknown, !onnx.unknown
}

// -----

func.func @split_count(%x: tensor<3x5xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // expected-error @below {{split_c2: is into 3 parts, but has 2 outputs}}
  %0:2 = onnx.Split(%x, _) {num_outputs = 3} : (tensor<3x5xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %0#0, %0#1 : !onnx.unknown, !onnx.unknown
}

// -----

func.func @slice_steps(%x: tensor<4xf32>) -> !onnx.unknown {
  %z = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  // expected-error @below {{slice_steps: must not be 0}}
  %0 = onnx.Slice(%x, %z, %z, %z, %z) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @slice_lengths(%x: tensor<4xf32>) -> !onnx.unknown {
  %z = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %y = onnx.Constant() {value_ints = [0, 1]} : () -> tensor<2xi64>
  // expected-error @below {{slice_c1: starts, ends, axes and steps must have the same length, have 1 and 2}}
  %0 = onnx.Slice(%x, %z, %y) : (tensor<4xf32>, tensor<1xi64>, tensor<2xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @pad_length(%x: tensor<4xf32>) -> !onnx.unknown {
  %p = onnx.Constant() {value_ints = [0, 1, 2, 3]} : () -> tensor<4xi64>
  // expected-error @below {{pad_pads: must have 2 elements, has 4}}
  %0 = onnx.Pad(%x, %p, _, _) : (tensor<4xf32>, tensor<4xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @pad_removes(%x: tensor<4xf32>) -> !onnx.unknown {
  %p = onnx.Constant() {value_ints = [-3, -2]} : () -> tensor<2xi64>
  // expected-error @below {{pad_pads: remove more than there is}}
  %0 = onnx.Pad(%x, %p, _, _) : (tensor<4xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @tile_negative(%x: tensor<4xf32>) -> !onnx.unknown {
  %r = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  // expected-error @below {{tile_repeats: must not be negative}}
  %0 = onnx.Tile(%x, %r) : (tensor<4xf32>, tensor<1xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @depth_to_space_depth(%x: tensor<1x6x2x2xf32>) -> !onnx.unknown {
  // expected-error @below {{depthtospace_blocksize: depth must be a multiple of the square of 2: dimensions 4 and 6 must be equal}}
  %0 = onnx.DepthToSpace(%x) {blocksize = 2} : (tensor<1x6x2x2xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}
