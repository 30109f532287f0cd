// RUN: onnx-mlir-opt %s --onnx-lift-lexical-references | FileCheck %s

// CHECK-LABEL: func @captures
// CHECK: onnx.If(%arg0)
// CHECK: {__control_inputs = ["A", "X"]}
// CHECK-NOT: __control_inputs = ["B"]
func.func @captures(%c: tensor<i1> {onnx.name = "C"}, %x: tensor<2xf32> {onnx.name = "X"}) -> tensor<2xf32> attributes {onnx.entry} {
  %0 = onnx.Exp(%x) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Exp", outputs = ["A"]>>["m":1:0])
  %1 = onnx.If(%c) then_branch {
    %b = onnx.Neg(%x) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Neg", outputs = ["B"]>>["m":1:0])
    %d = onnx.Neg(%b) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %d : tensor<2xf32>
  } else_branch {
    onnx.yield %0 : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
