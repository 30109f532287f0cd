// RUN: onnx-mlir-opt %s --onnx-inline-functions | FileCheck %s

// CHECK-LABEL: func @main
func.func @main(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.entry} {
  // CHECK: %[[E:.*]] = onnx.Exp(%arg1)
  // CHECK: %[[N:.*]] = onnx.Neg(%[[E]])
  // CHECK: onnx.If
  // CHECK: onnx.Exp(%[[N]])
  // CHECK-NOT: call
  // CHECK: return
  %y = func.call @outer(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %z = onnx.If(%c) then_branch {
    %a = func.call @inner(%y) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %a : tensor<2xf32>
  } else_branch {
    onnx.yield %y : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}
func.func private @outer(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.function = {name = "outer", domain = "my"}} {
  %a = func.call @inner(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = onnx.Neg(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
func.func private @inner(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.function = {name = "inner", domain = "my"}} {
  %a = onnx.Exp(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
