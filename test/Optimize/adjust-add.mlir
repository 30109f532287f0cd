// RUN: onnx-mlir-opt %s --onnx-adjust-add | FileCheck %s

// CHECK-LABEL: func @constant_first
// CHECK: %[[A:.*]] = onnx.Add(%arg0, %[[C:.*]]) :
// CHECK: onnx.Mul(%[[A]], %[[C]])
func.func @constant_first(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %0 = onnx.Add(%c, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.Mul(%c, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func @others
// CHECK: %[[C:.*]] = onnx.Constant
// CHECK: onnx.Sub(%[[C]], %arg0)
// CHECK: onnx.Add(%[[C]], %[[C]])
func.func @others(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %0 = onnx.Sub(%c, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.Add(%c, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
