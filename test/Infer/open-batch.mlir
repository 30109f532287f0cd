// RUN: onnx-mlir-opt %s --onnx-forget-example-sizes --onnx-infer-shapes | FileCheck %s

// The batch is open, and only a declaration of exporters says 1.
// CHECK-LABEL: func.func @declared
// CHECK-SAME: -> (tensor<?xi64> {onnx.name = "label"
// CHECK: onnx.Cast(%{{.*}}) {to = 7} : (tensor<?xf32>) -> tensor<?xi64>
func.func @declared(%x: tensor<?xf32> {onnx.name = "x"}) -> (tensor<1xi64> {onnx.name = "label", onnx.type = tensor<1xi64>}) attributes {onnx.entry} {
  %y = onnx.Cast(%x) {to = 7} : (tensor<?xf32>) -> tensor<1xi64>
  return %y : tensor<1xi64>
}

// The rule says 1 as well.
// CHECK-LABEL: func.func @known
// CHECK-SAME: -> tensor<1x4xf32>
func.func @known(%x: tensor<?x4xf32>) -> tensor<1x4xf32> attributes {onnx.entry} {
  %shape = onnx.Constant() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %y = onnx.Reshape(%x, %shape) : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
