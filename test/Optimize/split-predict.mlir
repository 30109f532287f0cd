// RUN: onnx-mlir-opt %s --split-input-file --onnx-split-predict | FileCheck %s

// CHECK-LABEL: func @main
// CHECK-SAME: (%arg0: tensor<2xf32> {onnx.name = "X"}, %arg1: tensor<2xf32> {onnx.name = "W"}, %arg2: tensor<2xf32> {onnx.name = "Z"}) -> (tensor<2xf32> {onnx.name = "Y"}, tensor<2xf32> {onnx.name = "Z"})
// CHECK-NEXT: %[[R:.*]] = onnx.RandomNormalLike(%arg0)
// CHECK-NEXT: %[[Y:.*]] = onnx.Add(%arg1, %[[R]])
// CHECK-NEXT: return %[[Y]], %arg2
// CHECK-NOT: onnx.Exp
func.func @main(%x: tensor<2xf32> {onnx.name = "X"}, %u: tensor<2xf32> {onnx.name = "unused"}) -> (tensor<2xf32> {onnx.name = "Y"}, tensor<2xf32> {onnx.name = "Z"}) attributes {onnx.entry} {
  %c = onnx.Constant() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %w = onnx.Exp(%c) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Exp", outputs = ["W"]>>["m":1:0])
  %r = onnx.RandomNormalLike(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %y = onnx.Add(%w, %r) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z = onnx.Neg(%c) : (tensor<2xf32>) -> tensor<2xf32>
  return %y, %z : tensor<2xf32>, tensor<2xf32>
}

// -----

// An attribute of old goes with its node.
// CHECK-LABEL: func @attribute
// CHECK: %[[A:.*]] = onnx.Constant()
// CHECK: onnx.Squeeze(%arg0, %[[A]])
func.func @attribute(%x: tensor<1x2xf32>) -> tensor<2xf32> attributes {onnx.entry} {
  %a = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64> loc(fused<#onnx.source<name = "", op = "Squeeze", outputs = ["y"]>>["m":1:0])
  %y = onnx.Squeeze(%x, %a) : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Squeeze", outputs = ["y"]>>["m":1:0])
  return %y : tensor<2xf32>
}
