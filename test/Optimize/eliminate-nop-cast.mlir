// RUN: onnx-mlir-opt %s --onnx-eliminate-nop-cast | FileCheck %s

// CHECK-LABEL: func @same_type
// CHECK-NEXT: return %arg0, %arg1
func.func @same_type(%x: tensor<2xf32>, %b: tensor<*xbf16>) -> (tensor<2xf32>, tensor<*xbf16>) {
  %0 = onnx.Cast(%x) {to = 1} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.CastLike(%b, %b) : (tensor<*xbf16>, tensor<*xbf16>) -> tensor<*xbf16>
  return %0, %1 : tensor<2xf32>, tensor<*xbf16>
}

// CHECK-LABEL: func @other_type
// CHECK: onnx.Cast(%arg0)
// CHECK: onnx.CastLike(%arg0, %arg1)
func.func @other_type(%x: tensor<2xf32>, %y: tensor<f16>) -> (tensor<2xf64>, tensor<2xf16>) {
  %0 = onnx.Cast(%x) {to = 11} : (tensor<2xf32>) -> tensor<2xf64>
  %1 = onnx.CastLike(%x, %y) : (tensor<2xf32>, tensor<f16>) -> tensor<2xf16>
  return %0, %1 : tensor<2xf64>, tensor<2xf16>
}
