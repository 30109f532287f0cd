// RUN: onnx-mlir-opt %s --onnx-castlike-to-cast | FileCheck %s

// CHECK-LABEL: func @known_type
// CHECK: onnx.Cast(%arg0) {saturate = 0, to = 17}
func.func @known_type(%x: tensor<2xf32>, %y: tensor<*xf8E4M3FN>) -> tensor<2xf8E4M3FN> {
  %0 = onnx.CastLike(%x, %y) {saturate = 0} : (tensor<2xf32>, tensor<*xf8E4M3FN>) -> tensor<2xf8E4M3FN>
  return %0 : tensor<2xf8E4M3FN>
}

// CHECK-LABEL: func @unknown_type
// CHECK: onnx.CastLike
func.func @unknown_type(%x: tensor<2xf32>, %y: !onnx.unknown) -> !onnx.unknown {
  %0 = onnx.CastLike(%x, %y) : (tensor<2xf32>, !onnx.unknown) -> !onnx.unknown
  return %0 : !onnx.unknown
}
