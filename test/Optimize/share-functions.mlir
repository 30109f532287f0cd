// RUN: onnx-mlir-opt %s --onnx-share-functions | FileCheck %s

// Equal once what they call is equal.
// CHECK-LABEL: func @main
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.entry} {
  // CHECK: call @a
  // CHECK: call @a
  // CHECK: call @other
  %y = func.call @a(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %z = func.call @b(%y) : (tensor<2xf32>) -> tensor<2xf32>
  %w = func.call @other(%z) : (tensor<2xf32>) -> tensor<2xf32>
  return %w : tensor<2xf32>
}
// CHECK-COUNT-3: func.func private
// CHECK-NOT: func.func
func.func private @a(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.function = {name = "a", domain = "my", opset_imports = {"ai.onnx" = 17 : i64}}} {
  %a = func.call @c(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
func.func private @b(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.function = {name = "b", domain = "my", opset_imports = {"ai.onnx" = 17 : i64}}} {
  %a = func.call @d(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
func.func private @c(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.function = {name = "c", domain = "my", opset_imports = {"ai.onnx" = 17 : i64}}} {
  %a = onnx.LeakyRelu(%x) {alpha = 0.1} : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
func.func private @d(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.function = {name = "d", domain = "my", opset_imports = {"ai.onnx" = 17 : i64}}} {
  %a = onnx.LeakyRelu(%x) {alpha = 0.1} : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
func.func private @other(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.function = {name = "other", domain = "my", opset_imports = {"ai.onnx" = 17 : i64}}} {
  %a = onnx.LeakyRelu(%x) {alpha = 0.2} : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
