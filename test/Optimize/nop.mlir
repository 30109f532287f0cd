// RUN: onnx-mlir-opt %s --onnx-nop | FileCheck %s

// CHECK-LABEL: func @main
// CHECK-NOT: return %arg0
// CHECK: onnx.Identity
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = onnx.Identity(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
