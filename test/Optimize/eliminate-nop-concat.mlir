// RUN: onnx-mlir-opt %s --onnx-eliminate-nop-concat | FileCheck %s

// CHECK-LABEL: func @one
// CHECK-NEXT: return %arg0
func.func @one(%x: tensor<*xf32>) -> tensor<*xf32> {
  %0 = onnx.Concat(%x) {axis = -1} : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// CHECK-LABEL: func @empty_parts
// CHECK-NEXT: return %arg1
func.func @empty_parts(%e: tensor<2x0xf32>, %x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = onnx.Concat(%e, %x, %e) {axis = -1} : (tensor<2x0xf32>, tensor<2x?xf32>, tensor<2x0xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// No elements, but an extent along the axis.
// CHECK-LABEL: func @other_axis
// CHECK: onnx.Concat(%arg0, %arg1)
func.func @other_axis(%e: tensor<2x0xf32>, %x: tensor<3x0xf32>) -> tensor<5x0xf32> {
  %0 = onnx.Concat(%e, %x) {axis = 0} : (tensor<2x0xf32>, tensor<3x0xf32>) -> tensor<5x0xf32>
  return %0 : tensor<5x0xf32>
}
