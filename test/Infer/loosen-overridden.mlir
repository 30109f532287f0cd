// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-loosen-overridden)" | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnxc-infer)" | FileCheck %s --check-prefix=INFER

// What depends on an argument with a default loses its sizes, through branches,
// too; the arguments themselves and what depends on others alone do not.
// Inference finds sizes again that follow from types.
// CHECK-LABEL: func.func @main_graph_overridden(
// CHECK-SAME: %[[S:.*]]: tensor<2xi64> {onnx.default
// CHECK-SAME: -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<4x6xf32>, tensor<?x?xf32>)
// CHECK: onnx.Reshape({{.*}} -> tensor<?x?xf32>
// CHECK: onnx.Exp({{.*}} -> tensor<?x?xf32>
// CHECK: onnx.Neg({{.*}} -> tensor<4x6xf32>
// CHECK: onnx.If
// CHECK: onnx.Mul({{.*}} -> tensor<?x?xf32>
// CHECK: } : (tensor<i1>) -> tensor<?x?xf32>
// INFER-LABEL: func.func @main_graph_overridden(
// INFER-SAME: -> (tensor<?x?xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
func.func @main_graph_overridden(%x: tensor<4x6xf32>, %c: tensor<i1>, %s: tensor<2xi64> {onnx.default = dense<[3, 8]> : tensor<2xi64>}, %w: tensor<6xf32> {onnx.default = dense<1.0> : tensor<6xf32>}) -> (tensor<3x8xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) attributes {onnx.entry, onnx.overridden} {
  %0 = onnx.Reshape(%x, %s) : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<3x8xf32>
  %1 = onnx.Mul(%x, %w) : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %2 = onnx.Exp(%1) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = onnx.Neg(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %4 = onnx.If(%c) then_branch {
    %5 = onnx.Mul(%x, %w) : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    onnx.yield %5 : tensor<4x6xf32>
  } else_branch {
    onnx.yield %x : tensor<4x6xf32>
  } : (tensor<i1>) -> tensor<4x6xf32>
  return %0, %2, %3, %4 : tensor<3x8xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
