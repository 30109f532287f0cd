// RUN: onnx-mlir-opt %s --onnx-eliminate-nop-split | FileCheck %s

// CHECK-LABEL: func @one_part
// CHECK-NEXT: return %arg0, %arg0
func.func @one_part(%x: tensor<4xf32>, %s: tensor<1xi64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = onnx.Split(%x, _) {num_outputs = 1} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.Split(%x, %s) : (tensor<4xf32>, tensor<1xi64>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @two_parts
// CHECK: onnx.Split
func.func @two_parts(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0:2 = onnx.Split(%x, _) {num_outputs = 2} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<2xf32>
}
