// RUN: onnx-mlir-opt %s --onnx-fuse-softmax --canonicalize | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-fuse-softmax=ninf --canonicalize | FileCheck %s --check-prefix=NINF

// CHECK-LABEL: func @softmax
func.func @softmax(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %axes = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %m = onnx.ReduceMax(%x, %axes) : (tensor<2x?xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %d = onnx.Sub(%x, %m) : (tensor<2x?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
  %e = onnx.Exp(%d) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %s = onnx.ReduceSum(%e, %axes) : (tensor<2x?xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %y = onnx.Div(%e, %s) : (tensor<2x?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
  // CHECK: onnx.Softmax(%arg0) {axis = 1}
  return %y : tensor<2x?xf32>
}

// The greatest of all may be so far away that a row is 0 / 0.
// CHECK-LABEL: func @other_maximum
// CHECK-NOT: Softmax
func.func @other_maximum(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %axes = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %m = onnx.ReduceMax(%x) : (tensor<2x?xf32>) -> tensor<1x1xf32>
  %d = onnx.Sub(%x, %m) : (tensor<2x?xf32>, tensor<1x1xf32>) -> tensor<2x?xf32>
  %e = onnx.Exp(%d) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %s = onnx.ReduceSum(%e, %axes) : (tensor<2x?xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %y = onnx.Div(%e, %s) : (tensor<2x?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// CHECK-LABEL: func @overflowing
// NINF-LABEL: func @overflowing
func.func @overflowing(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %axes = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %e = onnx.Exp(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %s = onnx.ReduceSum(%e, %axes) : (tensor<2x?xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  // CHECK: onnx.Div
  // NINF: onnx.Softmax(%arg0)
  %y = onnx.Div(%e, %s) : (tensor<2x?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// CHECK-LABEL: func @log_softmax
func.func @log_softmax(%x: tensor<2x?x3xf32>) -> tensor<2x?x3xf32> {
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %m = onnx.ReduceMax(%x, %axes) : (tensor<2x?x3xf32>, tensor<1xi64>) -> tensor<2x1x3xf32>
  %d = onnx.Sub(%x, %m) : (tensor<2x?x3xf32>, tensor<2x1x3xf32>) -> tensor<2x?x3xf32>
  %e = onnx.Exp(%d) : (tensor<2x?x3xf32>) -> tensor<2x?x3xf32>
  %s = onnx.ReduceSum(%e, %axes) : (tensor<2x?x3xf32>, tensor<1xi64>) -> tensor<2x1x3xf32>
  %l = onnx.Log(%s) : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  %y = onnx.Sub(%d, %l) : (tensor<2x?x3xf32>, tensor<2x1x3xf32>) -> tensor<2x?x3xf32>
  // CHECK: onnx.LogSoftmax(%arg0) {axis = 1}
  return %y : tensor<2x?x3xf32>
}
