// RUN: onnx-mlir-opt %s --onnx-split-predict | FileCheck %s

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
