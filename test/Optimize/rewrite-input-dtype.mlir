// RUN: onnx-mlir-opt %s --onnx-rewrite-input-dtype | FileCheck %s

// CHECK-LABEL: func @main
// CHECK-SAME: (%arg0: tensor<?xi32>, %arg1: tensor<i1>, %arg2: tensor<2xi64>, %arg3: tensor<2xi32>)
// CHECK-NEXT: %[[C:.*]] = onnx.Cast(%arg0) {to = 7} : (tensor<?xi32>) -> tensor<?xi64>
// CHECK-NEXT: onnx.If
// CHECK-NEXT: onnx.Neg(%[[C]])
// CHECK: onnx.Abs(%[[C]])
func.func @main(%x: tensor<?xi64>, %c: tensor<i1>, %r: tensor<2xi64>, %u: tensor<2xi64>) -> (tensor<?xi64>, tensor<2xi64>) attributes {onnx.entry} {
  %0 = onnx.If(%c) then_branch {
    %n = onnx.Neg(%x) : (tensor<?xi64>) -> tensor<?xi64>
    onnx.yield %n : tensor<?xi64>
  } else_branch {
    %a = onnx.Abs(%x) : (tensor<?xi64>) -> tensor<?xi64>
    onnx.yield %a : tensor<?xi64>
  } : (tensor<i1>) -> tensor<?xi64>
  return %0, %r : tensor<?xi64>, tensor<2xi64>
}

// CHECK-LABEL: func private @function(%arg0: tensor<2xi64>)
func.func private @function(%x: tensor<2xi64>) -> tensor<2xi64> {
  %0 = onnx.Neg(%x) : (tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
