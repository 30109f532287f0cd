// RUN: onnx-mlir-opt %s --onnx-eliminate-nop-expand | FileCheck %s

// CHECK-LABEL: func @into
// CHECK: return %arg0, %arg1
func.func @into(%x: tensor<?x3xf32>, %u: tensor<*xf32>) -> (tensor<?x3xf32>, tensor<*xf32>) {
  %s = onnx.Constant() {value_ints = [1, 3]} : () -> tensor<2xi64>
  %e = onnx.Constant() {value = dense<> : tensor<0xi64>} : () -> tensor<0xi64>
  %0 = onnx.Expand(%x, %s) : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %1 = onnx.Expand(%u, %e) : (tensor<*xf32>, tensor<0xi64>) -> tensor<*xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<*xf32>
}

// CHECK-LABEL: func @own_shape
// CHECK: return %arg0
func.func @own_shape(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %s = onnx.Shape(%x) : (tensor<?x3xf32>) -> tensor<2xi64>
  %0 = onnx.Expand(%x, %s) : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// What a run brings may not fit, which only the Expand can say.
// CHECK-LABEL: func @fed
// CHECK: onnx.Expand
func.func @fed(%x: tensor<2x3xf32>, %s: tensor<2xi64>) -> tensor<2x3xf32> {
  %0 = onnx.Expand(%x, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// An extent of 1 may become any, 0 included; a dim that is not known may be 1.
// CHECK-LABEL: func @grows
// CHECK-COUNT-3: onnx.Expand
func.func @grows(%x: tensor<1xf32>, %y: tensor<?xf32>) -> (tensor<0xf32>, tensor<?xf32>, tensor<1x1xf32>) {
  %z = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %t = onnx.Constant() {value_ints = [3]} : () -> tensor<1xi64>
  %o = onnx.Constant() {value_ints = [1, 1]} : () -> tensor<2xi64>
  %0 = onnx.Expand(%x, %z) : (tensor<1xf32>, tensor<1xi64>) -> tensor<0xf32>
  %1 = onnx.Expand(%y, %t) : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  %2 = onnx.Expand(%x, %o) : (tensor<1xf32>, tensor<2xi64>) -> tensor<1x1xf32>
  return %0, %1, %2 : tensor<0xf32>, tensor<?xf32>, tensor<1x1xf32>
}
