// Pools over regions that the values tell, and the way back.
// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @roi_align
// CHECK: %[[MOST:.*]] = arith.constant 0x49800000 : f32
// CHECK: cf.assert {{.*}}'RoiAlign': batch_indices must have one element for each region
// CHECK: cf.assert {{.*}}an index is out of range
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x3x2x2xf32>)
// As many samples as a bin has elements, but not more than 2^20.
// CHECK: %[[SAMPLES:.*]] = math.ceil
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[MOST]] : f32
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-4: tensor.extract %arg0
func.func @roi_align(%x: tensor<1x3x6x6xf32>, %r: tensor<?x4xf32>, %b: tensor<?xi64>) -> tensor<?x3x2x2xf32> {
  %0 = onnx.RoiAlign(%x, %r, %b) {output_height = 2, output_width = 2} : (tensor<1x3x6x6xf32>, tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x3x2x2xf32>
  return %0 : tensor<?x3x2x2xf32>
}

// -----

// A bin without elements is 0.
// CHECK-LABEL: @max_roi_pool
// CHECK: scf.for
// CHECK: arith.maximumf
// CHECK: arith.select %{{.*}}, %cst{{.*}} : f32
// CHECK-NEXT: linalg.yield
func.func @max_roi_pool(%x: tensor<2x3x6x6xf32>, %r: tensor<4x5xf32>) -> tensor<4x3x2x2xf32> {
  %0 = onnx.MaxRoiPool(%x, %r) {pooled_shape = [2, 2]} : (tensor<2x3x6x6xf32>, tensor<4x5xf32>) -> tensor<4x3x2x2xf32>
  return %0 : tensor<4x3x2x2xf32>
}

// -----

// Indices are those of the shape without output_shape, which adds zeros.
// CHECK-LABEL: @max_unpool
// CHECK: linalg.fill {{.*}} outs(%{{.*}} : tensor<16xf32>)
// CHECK: scf.for
// CHECK: tensor.expand_shape {{.*}} into tensor<1x1x4x4xf32>
// CHECK: tensor.pad {{.*}} high[0, 0, 1, 1]
func.func @max_unpool(%x: tensor<1x1x2x2xf32>, %i: tensor<1x1x2x2xi64>) -> tensor<1x1x5x5xf32> {
  %s = onnx.Constant() {value_ints = [1, 1, 5, 5]} : () -> tensor<4xi64>
  %0 = onnx.MaxUnpool(%x, %i, %s) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>, tensor<4xi64>) -> tensor<1x1x5x5xf32>
  return %0 : tensor<1x1x5x5xf32>
}
