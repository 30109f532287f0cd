// With rewrites, sizes that were known stay known: what replaces an op is
// inferred again.
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-optimize{rewrites=true})' | FileCheck %s

// CHECK-LABEL: @batch_normalization
// CHECK: %[[Y:.*]] = onnx.Conv({{.*}}) -> tensor<1x2x4x4xf32>
// CHECK-NEXT: onnx.Relu(%[[Y]]) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
// CHECK-NEXT: return
func.func @batch_normalization(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = onnx.Constant() {value = dense<2.0> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
  %c = onnx.Constant() {value = dense<0.5> : tensor<2xf32>} : () -> tensor<2xf32>
  %0 = onnx.Conv(%x, %w, _) {auto_pad = "NOTSET", dilations = [1, 1], group = 1, kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = onnx.BatchNormalization(%0, %c, %c, %c, %c) {epsilon = 1.0e-5 : f32, momentum = 0.9 : f32, training_mode = 0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %2 = onnx.Relu(%1) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %2 : tensor<1x2x4x4xf32>
}

// An Identity that the infer stage left because its type is checked when run.
// CHECK-LABEL: @checked
// CHECK: %[[I:.*]] = onnx.Identity(%arg0) : (tensor<?x?xf32>) -> tensor<?x3xf32>
// CHECK-NEXT: return %[[I]]
func.func @checked(%x: tensor<?x?xf32>) -> tensor<?x3xf32> {
  %0 = onnx.Identity(%x) : (tensor<?x?xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// What is so in a branch need not be so before it.
// CHECK-LABEL: @branch
// CHECK: onnx.Neg(%arg0) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK: onnx.Identity
func.func @branch(%x: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %n = onnx.Neg(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %0 = onnx.If(%c) then_branch {
    %1 = onnx.Identity(%n) : (tensor<?xf32>) -> tensor<4xf32>
    %2 = onnx.Exp(%1) : (tensor<4xf32>) -> tensor<4xf32>
    onnx.yield %2 : tensor<4xf32>
  } else_branch {
    onnx.yield %n : tensor<?xf32>
  } : (tensor<i1>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
