// RUN: onnx-mlir-opt %s --split-input-file --onnx-eliminate-nop-dropout | FileCheck %s

// CHECK-LABEL: func @ratio_zero
// CHECK-NEXT: onnx.Constant
// CHECK-NEXT: return %arg0
func.func @ratio_zero(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0, %m = onnx.Dropout(%x, %r, _) : (tensor<?xf32>, tensor<f32>) -> (tensor<?xf32>, tensor<?xi1>)
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func @mask
// CHECK: %[[M:.*]] = onnx.Constant() {value = dense<true> : tensor<2xi1>}
// CHECK-NEXT: return %arg0, %[[M]]
func.func @mask(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi1>) {
  %r = onnx.Constant() {value_float = 0.0} : () -> tensor<f32>
  %0, %m = onnx.Dropout(%x, %r, _) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xi1>)
  return %0, %m : tensor<2xf32>, tensor<2xi1>
}

// CHECK-LABEL: func @no_ratio
// CHECK: onnx.Dropout(%arg0
func.func @no_ratio(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = onnx.Dropout(%x, _, _) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Before opset 12 nothing says what the mask is.
// CHECK-LABEL: func @old_mask
// CHECK: onnx.Dropout
module attributes {onnx.opset_imports = {ai.onnx = 11}} {
  func.func @old_mask(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi1>) {
    %r = onnx.Constant() {value_float = 0.0} : () -> tensor<f32>
    %0, %m = onnx.Dropout(%x, %r, _) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xi1>)
    return %0, %m : tensor<2xf32>, tensor<2xi1>
  }
}
