// RUN: onnx-mlir-opt %s --onnx-decompose-functions | FileCheck %s

// What these compute is compared by values-a-d.test.

// Odd amounts to pad and to cut off, of one axis each; of some axes.
// CHECK-LABEL: func @center_crop_pad
// CHECK-NOT: onnx.CenterCropPad
// CHECK: onnx.Pad
// CHECK: onnx.Slice
// CHECK-NOT: onnx.CenterCropPad
// CHECK: return
func.func @center_crop_pad(%x: tensor<2x5x?xf32>) -> (tensor<7x2x3xf32>, tensor<2x8x1xf32>) {
  %s = onnx.Constant() {value = dense<[7, 2, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
  %t = onnx.Constant() {value = dense<[1, 8]> : tensor<2xi32>} : () -> tensor<2xi32>
  %0 = onnx.CenterCropPad(%x, %s) : (tensor<2x5x?xf32>, tensor<3xi64>) -> tensor<7x2x3xf32>
  %1 = onnx.CenterCropPad(%x, %t) {axes = [-1, 1]} : (tensor<2x5x?xf32>, tensor<2xi32>) -> tensor<2x8x1xf32>
  return %0, %1 : tensor<7x2x3xf32>, tensor<2x8x1xf32>
}

// CHECK-LABEL: func @windows
// CHECK-NOT: Window
// CHECK: return
func.func @windows() -> (tensor<10xf32>, tensor<9xf64>, tensor<10xf32>, tensor<10xf16>, tensor<10xf32>, tensor<10xf64>) {
  %n = onnx.Constant() {value = dense<10> : tensor<i64>} : () -> tensor<i64>
  %m = onnx.Constant() {value = dense<9> : tensor<i32>} : () -> tensor<i32>
  %0 = onnx.HannWindow(%n) : (tensor<i64>) -> tensor<10xf32>
  %1 = onnx.HannWindow(%m) {output_datatype = 11, periodic = 0} : (tensor<i32>) -> tensor<9xf64>
  %2 = onnx.HammingWindow(%n) : (tensor<i64>) -> tensor<10xf32>
  %3 = onnx.HammingWindow(%n) {output_datatype = 10, periodic = 0} : (tensor<i64>) -> tensor<10xf16>
  %4 = onnx.BlackmanWindow(%n) : (tensor<i64>) -> tensor<10xf32>
  %5 = onnx.BlackmanWindow(%n) {output_datatype = 11, periodic = 0} : (tensor<i64>) -> tensor<10xf64>
  return %0, %1, %2, %3, %4, %5 : tensor<10xf32>, tensor<9xf64>, tensor<10xf32>, tensor<10xf16>, tensor<10xf32>, tensor<10xf64>
}

// CHECK-LABEL: func @depth
// CHECK-NOT: onnx.DepthToSpace
// CHECK-NOT: onnx.SpaceToDepth
// CHECK: return
func.func @depth(%x: tensor<?x12x2x3xf32>, %y: tensor<2x3x4x6xf32>) -> (tensor<?x3x4x6xf32>, tensor<?x3x4x6xf32>, tensor<2x12x2x3xf32>) {
  %0 = onnx.DepthToSpace(%x) {blocksize = 2, mode = "DCR"} : (tensor<?x12x2x3xf32>) -> tensor<?x3x4x6xf32>
  %1 = onnx.DepthToSpace(%x) {blocksize = 2, mode = "CRD"} : (tensor<?x12x2x3xf32>) -> tensor<?x3x4x6xf32>
  %2 = onnx.SpaceToDepth(%y) {blocksize = 2} : (tensor<2x3x4x6xf32>) -> tensor<2x12x2x3xf32>
  return %0, %1, %2 : tensor<?x3x4x6xf32>, tensor<?x3x4x6xf32>, tensor<2x12x2x3xf32>
}

// CHECK-LABEL: func @normalizations
// CHECK-NOT: Normalization
// CHECK: return
func.func @normalizations(%x: tensor<?x4x3xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>, %t: tensor<3xf32>, %u: tensor<4x3xf32>)
    -> (tensor<?x4x3xf32>, tensor<?x4x3xf32>, tensor<?x4x3xf32>, tensor<?x4x3xf32>, tensor<?x4x3xf32>) {
  %0 = onnx.GroupNormalization(%x, %s, %b) {epsilon = 0.25, num_groups = 2} : (tensor<?x4x3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4x3xf32>
  %1 = onnx.LayerNormalization(%x, %t, %t) {epsilon = 0.25} : (tensor<?x4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x4x3xf32>
  %2 = onnx.LayerNormalization(%x, %u, _) {axis = 1, epsilon = 0.25} : (tensor<?x4x3xf32>, tensor<4x3xf32>) -> tensor<?x4x3xf32>
  %3 = onnx.RMSNormalization(%x, %u) {axis = -2, epsilon = 0.25} : (tensor<?x4x3xf32>, tensor<4x3xf32>) -> tensor<?x4x3xf32>
  %4 = onnx.MeanVarianceNormalization(%x) {axes = [0, 2]} : (tensor<?x4x3xf32>) -> tensor<?x4x3xf32>
  return %0, %1, %2, %3, %4 : tensor<?x4x3xf32>, tensor<?x4x3xf32>, tensor<?x4x3xf32>, tensor<?x4x3xf32>, tensor<?x4x3xf32>
}

// CHECK-LABEL: func @reductions
// CHECK-NOT: onnx.ReduceL
// CHECK-NOT: onnx.ReduceSumSquare
// CHECK: return
func.func @reductions(%x: tensor<?x4x3xf32>) -> (tensor<?x3xf32>, tensor<?x4x1xf32>, tensor<4xf32>, tensor<1x4x1xf32>, tensor<f32>) {
  %1 = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %2 = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %02 = onnx.Constant() {value = dense<[0, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %a = onnx.ReduceL1(%x, %1) {keepdims = 0} : (tensor<?x4x3xf32>, tensor<1xi64>) -> tensor<?x3xf32>
  %b = onnx.ReduceL2(%x, %2) : (tensor<?x4x3xf32>, tensor<1xi64>) -> tensor<?x4x1xf32>
  %c = onnx.ReduceSumSquare(%x, %02) {keepdims = 0} : (tensor<?x4x3xf32>, tensor<2xi64>) -> tensor<4xf32>
  %d = onnx.ReduceLogSumExp(%x, %02) : (tensor<?x4x3xf32>, tensor<2xi64>) -> tensor<1x4x1xf32>
  %e = onnx.Exp(%x) : (tensor<?x4x3xf32>) -> tensor<?x4x3xf32>
  %f = onnx.ReduceLogSum(%e, _) {keepdims = 0} : (tensor<?x4x3xf32>) -> tensor<f32>
  return %a, %b, %c, %d, %f : tensor<?x3xf32>, tensor<?x4x1xf32>, tensor<4xf32>, tensor<1x4x1xf32>, tensor<f32>
}

// CHECK-LABEL: func @losses
// CHECK-NOT: Loss
// CHECK: return
func.func @losses(%x: tensor<?x3x2xf32> {onnx.dim_params = ["N", "", ""]}, %t: tensor<?x2xi64> {onnx.dim_params = ["N", ""]}, %w: tensor<3xf32>)
    -> (tensor<f32>, tensor<?x2xf32>, tensor<f32>, tensor<f32>, tensor<?x3x2xf32>) {
  %0 = onnx.NegativeLogLikelihoodLoss(%x, %t, %w) : (tensor<?x3x2xf32>, tensor<?x2xi64>, tensor<3xf32>) -> tensor<f32>
  %1 = onnx.NegativeLogLikelihoodLoss(%x, %t, _) {ignore_index = 1, reduction = "none"} : (tensor<?x3x2xf32>, tensor<?x2xi64>) -> tensor<?x2xf32>
  %2 = onnx.NegativeLogLikelihoodLoss(%x, %t, %w) {reduction = "sum"} : (tensor<?x3x2xf32>, tensor<?x2xi64>, tensor<3xf32>) -> tensor<f32>
  %3, %4 = onnx.SoftmaxCrossEntropyLoss(%x, %t, _) : (tensor<?x3x2xf32>, tensor<?x2xi64>) -> (tensor<f32>, tensor<?x3x2xf32>)
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<?x2xf32>, tensor<f32>, tensor<f32>, tensor<?x3x2xf32>
}

// CHECK-LABEL: func @others
// CHECK-NOT: onnx.DynamicQuantizeLinear
// CHECK-NOT: onnx.LogSoftmax
// CHECK: return
func.func @others(%x: tensor<?x4xf32>) -> (tensor<?x4xui8>, tensor<f32>, tensor<ui8>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %0, %1, %2 = onnx.DynamicQuantizeLinear(%x) : (tensor<?x4xf32>) -> (tensor<?x4xui8>, tensor<f32>, tensor<ui8>)
  %3 = onnx.LogSoftmax(%x) {axis = 0} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = onnx.Softmax(%x) {axis = -2} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2, %3, %4 : tensor<?x4xui8>, tensor<f32>, tensor<ui8>, tensor<?x4xf32>, tensor<?x4xf32>
}
