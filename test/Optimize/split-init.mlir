// RUN: onnx-mlir-opt %s --onnx-split-init | FileCheck %s

// CHECK-LABEL: func @main
// CHECK-SAME: () -> (tensor<2xf32> {onnx.name = "W"}, tensor<2xf32> {onnx.name = "Z"})
// CHECK-NEXT: %[[C:.*]] = onnx.Constant
// CHECK-NEXT: %[[W:.*]] = onnx.Exp(%[[C]])
// CHECK-NEXT: %[[Z:.*]] = onnx.Neg(%[[C]])
// CHECK-NEXT: return %[[W]], %[[Z]]
// CHECK-NOT: onnx.Add
func.func @main(%x: tensor<2xf32> {onnx.name = "X"}) -> (tensor<2xf32> {onnx.name = "Y"}, tensor<2xf32> {onnx.name = "Z"}) attributes {onnx.entry} {
  %c = onnx.Constant() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %w = onnx.Exp(%c) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Exp", outputs = ["W"]>>["m":1:0])
  %r = onnx.RandomNormalLike(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %y = onnx.Add(%w, %r) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z = onnx.Neg(%c) : (tensor<2xf32>) -> tensor<2xf32>
  return %y, %z : tensor<2xf32>, tensor<2xf32>
}
