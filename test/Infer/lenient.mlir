// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-infer-shapes{lenient=true})' -split-input-file | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-infer-shapes)' -split-input-file -verify-diagnostics -o /dev/null

// Arguments keep their types, and nothing is folded.
// CHECK-LABEL: @argument(
// CHECK-SAME: %[[X:.*]]: tensor<*xf32>
func.func @argument(%x: tensor<*xf32>, %y: tensor<2x3xf32>) -> tensor<2xi64> {
  // CHECK: onnx.Shape
  %0 = onnx.Shape(%y) {start = 0 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

// Branches that do not say what they return: a model for Caffe2.
// CHECK-LABEL: @no_outputs
func.func @no_outputs(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{if_c2: the branches must have as many outputs as the node}}
  %0 = onnx.If(%c) then_branch {
    onnx.yield
  } else_branch {
    onnx.yield
  } : (tensor<i1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
