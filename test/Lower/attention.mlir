// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// Query heads of one group are the rows of one matrix.
// CHECK-LABEL: @grouped_heads
// CHECK: linalg.batch_matmul ins({{.*}} : tensor<2x8x16xf32>, tensor<2x16x6xf32>)
// NaN is no greatest element, and what is far below the greatest is dropped.
// CHECK: arith.maxnumf
// CHECK: %[[E:.*]] = math.exp
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[E]]
// CHECK: linalg.batch_matmul ins({{.*}} : tensor<2x8x6xf32>, tensor<2x6x16xf32>)
func.func @grouped_heads(%q: tensor<1x4x4x16xf32>, %k: tensor<1x2x6x16xf32>, %v: tensor<1x2x6x16xf32>) -> tensor<1x4x4x16xf32> {
  %0 = onnx.Attention(%q, %k, %v) : (tensor<1x4x4x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x16xf32>) -> tensor<1x4x4x16xf32>
  return %0 : tensor<1x4x4x16xf32>
}

// -----

// A window of 0 lets no earlier key be seen; -1 is none.
// CHECK-LABEL: @window
// CHECK: %[[POSITION:.*]] = arith.subi %[[QUERY:.*]], %[[KEY:.*]] : index
// CHECK: arith.cmpi sgt, %[[POSITION]], %c0{{.*}} : index
// CHECK: %[[AHEAD:.*]] = arith.subi %[[KEY]], %[[QUERY]] : index
// CHECK: arith.cmpi sgt, %[[AHEAD]], %c0{{.*}} : index
// CHECK-LABEL: @no_window
// CHECK-NOT: arith.cmpi
// CHECK: return
func.func @window(%q: tensor<1x1x4x16xf32>) -> tensor<1x1x4x16xf32> {
  %0 = onnx.Attention(%q, %q, %q) {left_window_size = 0, right_window_size = 0} : (tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>) -> tensor<1x1x4x16xf32>
  return %0 : tensor<1x1x4x16xf32>
}
func.func @no_window(%q: tensor<1x1x4x16xf32>) -> tensor<1x1x4x16xf32> {
  %0 = onnx.Attention(%q, %q, %q) {left_window_size = -1, right_window_size = -1} : (tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>) -> tensor<1x1x4x16xf32>
  return %0 : tensor<1x1x4x16xf32>
}

// -----

// A query that no key is hidden from: softmax as it is, without a case for rows
// that are all -inf.
// CHECK-LABEL: @nothing_is_hidden
// CHECK-NOT: arith.cmpf oeq
// CHECK: return
// CHECK-LABEL: @all_may_be_hidden
// CHECK-COUNT-2: arith.cmpf oeq
// CHECK: return
func.func @nothing_is_hidden(%q: tensor<1x1x4x16xf32>) -> tensor<1x1x4x16xf32> {
  %0 = onnx.Attention(%q, %q, %q) : (tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>) -> tensor<1x1x4x16xf32>
  return %0 : tensor<1x1x4x16xf32>
}
func.func @all_may_be_hidden(%q: tensor<1x1x4x16xf32>, %mask: tensor<4x4xi1>) -> tensor<1x1x4x16xf32> {
  %0 = onnx.Attention(%q, %q, %q, %mask) : (tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>, tensor<4x4xi1>) -> tensor<1x1x4x16xf32>
  return %0 : tensor<1x1x4x16xf32>
}

// -----

// The queries are scaled, not the keys, which may be a whole cache. A scale of 1
// is no work.
// CHECK-LABEL: @scale
// CHECK-SAME: (%[[Q:.*]]: tensor<1x1x4x16xf32>, %[[K:.*]]: tensor<1x1x8x16xf32>
// CHECK-DAG: %[[FOURTH:.*]] = arith.constant 2.500000e-01 : f32
// CHECK: linalg.generic {{.*}} ins(%[[Q]] :
// CHECK: arith.mulf %{{.*}}, %[[FOURTH]]
// CHECK: %[[KEYS:.*]] = tensor.collapse_shape %[[K]]
// CHECK: linalg.transpose ins(%[[KEYS]] :
// CHECK-LABEL: @scale_of_one
// CHECK-NOT: arith.mulf
// CHECK: linalg.batch_matmul
// Halves are scaled as ONNX says, by the root of the scale, each; not by a power
// of two, which rounds nothing. Their softmax has rows of float32.
// CHECK-LABEL: @scale_of_halves
// CHECK-SAME: (%[[Q:.*]]: tensor<1x1x4x8xf16>, %[[K:.*]]: tensor<1x1x8x8xf16>
// CHECK: linalg.generic {{.*}} ins(%[[Q]] :
// CHECK: linalg.generic {{.*}} ins(%[[K]] :
// CHECK: linalg.batch_matmul
// CHECK-LABEL: @power_of_two
// CHECK-SAME: (%[[Q:.*]]: tensor<1x1x4x16xf16>, %[[K:.*]]: tensor<1x1x8x16xf16>
// CHECK: %[[FOURTH:.*]] = arith.constant 2.500000e-01 : f16
// CHECK: linalg.generic {{.*}} ins(%[[Q]] :
// CHECK: arith.mulf %{{.*}}, %[[FOURTH]]
// CHECK: %[[KEYS:.*]] = tensor.collapse_shape %[[K]]
// CHECK: linalg.transpose ins(%[[KEYS]] :
// CHECK: linalg.batch_matmul
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<1x1x4x8xf32>)
// CHECK: %[[X:.*]] = arith.truncf {{.*}} : f32 to f16
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]]
// CHECK: %[[E:.*]] = math.exp
// CHECK: arith.truncf {{.*}} : f32 to f16
// CHECK: linalg.yield %{{.*}} : f32
func.func @scale(%q: tensor<1x1x4x16xf32>, %k: tensor<1x1x8x16xf32>) -> tensor<1x1x4x16xf32> {
  %0 = onnx.Attention(%q, %k, %k) : (tensor<1x1x4x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>) -> tensor<1x1x4x16xf32>
  return %0 : tensor<1x1x4x16xf32>
}
func.func @scale_of_one(%q: tensor<1x1x4x16xf32>, %k: tensor<1x1x8x16xf32>) -> tensor<1x1x4x16xf32> {
  %0 = onnx.Attention(%q, %k, %k) {scale = 1.0} : (tensor<1x1x4x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>) -> tensor<1x1x4x16xf32>
  return %0 : tensor<1x1x4x16xf32>
}
// Twice as large, halves may overflow: the root of it on both.
// CHECK-LABEL: @larger_scale
// CHECK: %[[ROOT:.*]] = arith.constant 1.414060e+00 : f16
// CHECK-COUNT-2: arith.mulf %{{.*}}, %[[ROOT]] : f16
func.func @scale_of_halves(%q: tensor<1x1x4x8xf16>, %k: tensor<1x1x8x8xf16>) -> tensor<1x1x4x8xf16> {
  %0 = onnx.Attention(%q, %k, %k) : (tensor<1x1x4x8xf16>, tensor<1x1x8x8xf16>, tensor<1x1x8x8xf16>) -> tensor<1x1x4x8xf16>
  return %0 : tensor<1x1x4x8xf16>
}
func.func @power_of_two(%q: tensor<1x1x4x16xf16>, %k: tensor<1x1x8x16xf16>) -> tensor<1x1x4x16xf16> {
  %0 = onnx.Attention(%q, %k, %k) : (tensor<1x1x4x16xf16>, tensor<1x1x8x16xf16>, tensor<1x1x8x16xf16>) -> tensor<1x1x4x16xf16>
  return %0 : tensor<1x1x4x16xf16>
}
func.func @larger_scale(%q: tensor<1x1x4x16xf16>, %k: tensor<1x1x8x16xf16>) -> tensor<1x1x4x16xf16> {
  %0 = onnx.Attention(%q, %k, %k) {scale = 2.0} : (tensor<1x1x4x16xf16>, tensor<1x1x8x16xf16>, tensor<1x1x8x16xf16>) -> tensor<1x1x4x16xf16>
  return %0 : tensor<1x1x4x16xf16>
}

// -----

// A mask of all keys is read where it is; one of fewer is filled up.
// CHECK-LABEL: @open_mask
// CHECK: %[[MASK:.*]] = scf.if %{{.*}} -> (tensor<4x?xf32>) {
// CHECK-NEXT: scf.yield %arg2
// CHECK-NEXT: } else {
// CHECK: tensor.pad %arg2
// CHECK-LABEL: @known_mask
// CHECK-NOT: scf.if
// CHECK: tensor.pad
// CHECK-NOT: scf.if
// CHECK: return
func.func @open_mask(%q: tensor<1x1x4x16xf32>, %k: tensor<1x1x?x16xf32>, %mask: tensor<4x?xf32>) -> tensor<1x1x4x16xf32> {
  %0 = onnx.Attention(%q, %k, %k, %mask) : (tensor<1x1x4x16xf32>, tensor<1x1x?x16xf32>, tensor<1x1x?x16xf32>, tensor<4x?xf32>) -> tensor<1x1x4x16xf32>
  return %0 : tensor<1x1x4x16xf32>
}
func.func @known_mask(%q: tensor<1x1x4x16xf32>, %k: tensor<1x1x8x16xf32>, %mask: tensor<4x6xf32>) -> tensor<1x1x4x16xf32> {
  %0 = onnx.Attention(%q, %k, %k, %mask) : (tensor<1x1x4x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<4x6xf32>) -> tensor<1x1x4x16xf32>
  return %0 : tensor<1x1x4x16xf32>
}

// -----

// Of 7 keys before the query, the window shows two: no others are multiplied.
// CHECK-LABEL: @keys_before_the_window
// CHECK: %[[KEYS:.*]] = tensor.extract_slice %{{.*}}[0, 0, 5, 0] [1, 1, 3, 16] [1, 1, 1, 1]
// CHECK: linalg.batch_matmul ins({{.*}} : tensor<1x1x16xf32>, tensor<1x16x3xf32>)
// CHECK: linalg.batch_matmul ins({{.*}} : tensor<1x1x3xf32>, tensor<1x3x16xf32>)
func.func @keys_before_the_window(%q: tensor<1x1x1x16xf32>, %past: tensor<1x1x7x16xf32>) -> (tensor<1x1x1x16xf32>, tensor<1x1x8x16xf32>) {
  %0, %1 = onnx.Attention(%q, %q, %q, _, %past, %past) {left_window_size = 2} : (tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>, tensor<1x1x7x16xf32>, tensor<1x1x7x16xf32>) -> (tensor<1x1x1x16xf32>, tensor<1x1x8x16xf32>)
  return %0, %1 : tensor<1x1x1x16xf32>, tensor<1x1x8x16xf32>
}
