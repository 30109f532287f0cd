// Values between the elements: Resize, GridSample, AffineGrid, DeformConv.
// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// Scales that are known only when run tell the result's size, and are checked.
// CHECK-LABEL: @runtime_scales
// CHECK: tensor.extract %arg1
// CHECK: cf.assert {{.*}}'Resize': dimension 0 of the result must not be negative or huge
// CHECK: cf.assert {{.*}}dimension 1 of the result must be 8, as the model declares
// CHECK: linalg.generic
func.func @runtime_scales(%x: tensor<?x4xf32>, %s: tensor<2xf32>) -> tensor<?x8xf32> {
  %0 = onnx.Resize(%x, _, %s, _) : (tensor<?x4xf32>, tensor<2xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// Each axis on its own: two taps on each side for each element of the result.
// CHECK-LABEL: @antialias
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4xf64>)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT: linalg.generic
func.func @antialias(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
  %s = onnx.Constant() {value_floats = [0.5]} : () -> tensor<1xf32>
  %0 = onnx.Resize(%x, _, %s, _) {antialias = 1, axes = [1], mode = "linear"} : (tensor<3x4xf32>, tensor<1xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// (x + 0.5) / scale, not half less; x where the dimension is not resized.
// CHECK-LABEL: @resize_tf_half_pixel
// CHECK: %[[AT:.*]] = arith.divf
// CHECK-NEXT: math.floor %[[AT]]
// CHECK-LABEL: @resize_tf_half_pixel_open
// CHECK: %[[DIV:.*]] = arith.divf
// CHECK: %[[AT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[DIV]]
// CHECK-NEXT: math.floor %[[AT]]
func.func @resize_tf_half_pixel(%x: tensor<4xf32>) -> tensor<6xf32> {
  %s = onnx.Constant() {value_floats = [1.5]} : () -> tensor<1xf32>
  %0 = onnx.Resize(%x, _, %s, _) {coordinate_transformation_mode = "tf_half_pixel_for_nn", mode = "nearest", nearest_mode = "floor"} : (tensor<4xf32>, tensor<1xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
func.func @resize_tf_half_pixel_open(%x: tensor<4xf32>, %s: tensor<1xf32>) -> tensor<?xf32> {
  %0 = onnx.Resize(%x, _, %s, _) {coordinate_transformation_mode = "tf_half_pixel_for_nn", mode = "nearest", nearest_mode = "floor"} : (tensor<4xf32>, tensor<1xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Integers are rounded, halves to even, and do not wrap where a cubic kernel goes beyond their elements.
// CHECK-LABEL: @resize_integers
// CHECK-DAG: arith.constant -1.280000e+02 : f32
// CHECK-DAG: arith.constant 1.270000e+02 : f32
// CHECK: math.roundeven
func.func @resize_integers(%x: tensor<4xi8>) -> tensor<6xi8> {
  %s = onnx.Constant() {value_floats = [1.5]} : () -> tensor<1xf32>
  %0 = onnx.Resize(%x, _, %s, _) {mode = "linear"} : (tensor<4xi8>, tensor<1xf32>) -> tensor<6xi8>
  return %0 : tensor<6xi8>
}

// -----

// Four taps, each of which is 0 outside; an empty image has none.
// CHECK-LABEL: @grid_sample
// CHECK: cf.assert {{.*}}'GridSample': dimension 2 of the input must not be empty
// CHECK: linalg.generic
// CHECK-COUNT-2: tensor.extract %arg1
// CHECK-COUNT-4: tensor.extract %arg0
// CHECK-NOT: tensor.extract
func.func @grid_sample(%x: tensor<1x3x?x4xf32>, %g: tensor<1x5x6x2xf32>) -> tensor<1x3x5x6xf32> {
  %0 = onnx.GridSample(%x, %g) : (tensor<1x3x?x4xf32>, tensor<1x5x6x2xf32>) -> tensor<1x3x5x6xf32>
  return %0 : tensor<1x3x5x6xf32>
}

// -----

// CHECK-LABEL: @grid_sample_nearest
// CHECK: math.roundeven
// CHECK-NOT: math.floor
// CHECK: tensor.extract %arg0
// CHECK-NOT: tensor.extract
func.func @grid_sample_nearest(%x: tensor<1x3x4xi32>, %g: tensor<1x5x1xf32>) -> tensor<1x3x5xi32> {
  %0 = onnx.GridSample(%x, %g) {mode = "nearest", padding_mode = "border"} : (tensor<1x3x4xi32>, tensor<1x5x1xf32>) -> tensor<1x3x5xi32>
  return %0 : tensor<1x3x5xi32>
}

// -----

// CHECK-LABEL: @affine_grid
// CHECK: cf.assert {{.*}}'AffineGrid': theta must have a matrix for each image
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x5x2xf32>)
func.func @affine_grid(%t: tensor<?x2x3xf32>) -> tensor<2x4x5x2xf32> {
  %s = onnx.Constant() {value_ints = [2, 3, 4, 5]} : () -> tensor<4xi64>
  %0 = onnx.AffineGrid(%t, %s) : (tensor<?x2x3xf32>, tensor<4xi64>) -> tensor<2x4x5x2xf32>
  return %0 : tensor<2x4x5x2xf32>
}

// -----

// Taps of all channels, then what they read, with the mask; then a contraction by groups.
// CHECK-LABEL: @deform_conv
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x1x2x2x3x3xi64>)
// CHECK: %[[MASK:.*]] = tensor.expand_shape %arg3
// CHECK: linalg.generic {{.*}} ins({{.*}}%[[MASK]] : {{.*}}) outs(%{{.*}} : tensor<1x2x1x2x2x3x3xf32>)
// CHECK-COUNT-4: tensor.extract %arg0
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
func.func @deform_conv(%x: tensor<1x2x4x4xf32>, %w: tensor<4x1x2x2xf32>, %o: tensor<1x8x3x3xf32>, %m: tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32> {
  %0 = onnx.DeformConv(%x, %w, %o, _, %m) {group = 2} : (tensor<1x2x4x4xf32>, tensor<4x1x2x2xf32>, tensor<1x8x3x3xf32>, tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return %0 : tensor<1x4x3x3xf32>
}

// -----

// CHECK-LABEL: @col2im
// CHECK: cf.assert {{.*}}'Col2Im': dimension 2 of the input must be the number of blocks
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
func.func @col2im(%x: tensor<1x4x?xf32>) -> tensor<1x1x5x5xf32> {
  %i = onnx.Constant() {value_ints = [5, 5]} : () -> tensor<2xi64>
  %b = onnx.Constant() {value_ints = [2, 2]} : () -> tensor<2xi64>
  %0 = onnx.Col2Im(%x, %i, %b) : (tensor<1x4x?xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x1x5x5xf32>
  return %0 : tensor<1x1x5x5xf32>
}

// -----

// Where the taps of a place along an axis lie, and what they count, is computed once for all images,
// channels and places along the other axis.
// CHECK-LABEL: @resize_tables
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x8xi64>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x8xf32>)
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x3x8x8xf32>)
// CHECK-NOT: arith.divf
// CHECK-COUNT-4: tensor.extract %arg0
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @resize_tables(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %s = onnx.Constant() {value_floats = [1.0, 1.0, 2.0, 2.0]} : () -> tensor<4xf32>
  %0 = onnx.Resize(%x, _, %s, _) {mode = "linear"} : (tensor<1x3x4x4xf32>, tensor<4xf32>) -> tensor<1x3x8x8xf32>
  return %0 : tensor<1x3x8x8xf32>
}

// -----

// Twice as many, the nearest: repetitions have loops of their own.
// CHECK-LABEL: @resize_repeats
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x3x4x2x4x2xf32>)
// CHECK-NOT: tensor.extract
// CHECK: tensor.collapse_shape
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @resize_repeats(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %s = onnx.Constant() {value_floats = [1.0, 1.0, 2.0, 2.0]} : () -> tensor<4xf32>
  %0 = onnx.Resize(%x, _, %s, _) {mode = "nearest"} : (tensor<1x3x4x4xf32>, tensor<4xf32>) -> tensor<1x3x8x8xf32>
  return %0 : tensor<1x3x8x8xf32>
}

// -----

// A Concat takes what tables make in its own place, and would copy what has repetitions apart.
// CHECK-LABEL: @resize_into_concat
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x8xi64>)
// CHECK: tensor.extract
func.func @resize_into_concat(%x: tensor<1x3x4x4xf32>, %z: tensor<1x3x8x8xf32>) -> tensor<1x6x8x8xf32> {
  %s = onnx.Constant() {value_floats = [1.0, 1.0, 2.0, 2.0]} : () -> tensor<4xf32>
  %0 = onnx.Resize(%x, _, %s, _) {mode = "nearest"} : (tensor<1x3x4x4xf32>, tensor<4xf32>) -> tensor<1x3x8x8xf32>
  %1 = onnx.Concat(%0, %z) {axis = 1} : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x6x8x8xf32>
  return %1 : tensor<1x6x8x8xf32>
}

// -----

// A table has a place for each point, not for each of the 64 channels.
// CHECK-LABEL: @grid_tables
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x1x5x6xi64>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x1x5x6xi8>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x64x5x6xf32>)
// CHECK-NOT: math.floor
// CHECK: return
func.func @grid_tables(%x: tensor<1x64x8x8xf32>, %g: tensor<1x5x6x2xf32>) -> tensor<1x64x5x6xf32> {
  %0 = onnx.GridSample(%x, %g) : (tensor<1x64x8x8xf32>, tensor<1x5x6x2xf32>) -> tensor<1x64x5x6xf32>
  return %0 : tensor<1x64x5x6xf32>
}

// -----

// Two samples along each side of a bin: their sums are loops over samples, without a division.
// CHECK-LABEL: @regions
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x9x7x2xi64>)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
// CHECK-NOT: arith.divf
// CHECK: linalg.yield
func.func @regions(%x: tensor<1x4x8x8xf32>, %r: tensor<9x4xf32>, %b: tensor<9xi64>) -> tensor<9x4x7x7xf32> {
  %0 = onnx.RoiAlign(%x, %r, %b) {output_height = 7, output_width = 7, sampling_ratio = 2} : (tensor<1x4x8x8xf32>, tensor<9x4xf32>, tensor<9xi64>) -> tensor<9x4x7x7xf32>
  return %0 : tensor<9x4x7x7xf32>
}

// -----

// Remainders are those of the padded axes' places; channels have none.
// CHECK-LABEL: @reflect
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8xi64>)
// CHECK: arith.remsi
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x64x8x9xf32>)
// CHECK-NOT: arith.remsi
// CHECK: return
func.func @reflect(%x: tensor<1x64x6x7xf32>) -> tensor<1x64x8x9xf32> {
  %p = onnx.Constant() {value_ints = [0, 0, 1, 1, 0, 0, 1, 1]} : () -> tensor<8xi64>
  %0 = onnx.Pad(%x, %p, _, _) {mode = "reflect"} : (tensor<1x64x6x7xf32>, tensor<8xi64>) -> tensor<1x64x8x9xf32>
  return %0 : tensor<1x64x8x9xf32>
}
