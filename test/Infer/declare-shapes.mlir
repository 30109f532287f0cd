// RUN: onnx-mlir-opt %s -onnx-declare-shapes | FileCheck %s

// What is known better now becomes what the model declares; its text of before does not say that.
// CHECK-LABEL: @entry
// CHECK-SAME: tensor<2x3xf32> {onnx.name = "x", onnx.type = tensor<2x3xf32>}
// CHECK-SAME: tensor<2x3xf32> {onnx.name = "y"}
// CHECK-SAME: -> (tensor<2x3xf32> {onnx.type = tensor<2x3xf32>}, tensor<*xf32> {onnx.type = tensor<*xf32>})
func.func @entry(%x: tensor<2x3xf32> {onnx.name = "x", onnx.type = tensor<?x3xf32>, onnx.proto = "old"},
                 %y: tensor<2x3xf32> {onnx.name = "y"})
    -> (tensor<2x3xf32> {onnx.type = tensor<*xf32>}, tensor<*xf32> {onnx.type = tensor<*xf32>}) attributes {onnx.entry} {
  %0 = onnx.Identity(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  return %x, %0 : tensor<2x3xf32>, tensor<*xf32>
}

// Functions of the model declare nothing.
// CHECK-LABEL: @function
// CHECK-SAME: onnx.type = tensor<?xf32>
func.func private @function(%x: tensor<2xf32> {onnx.type = tensor<?xf32>}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
