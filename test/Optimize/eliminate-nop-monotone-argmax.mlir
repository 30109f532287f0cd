// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-eliminate-nop-monotone-argmax{assume-strictly-monotone=true})' | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-eliminate-nop-monotone-argmax | FileCheck %s --check-prefix=STRICT
// STRICT-NOT: onnx.Arg{{.*}}(%arg0)

// CHECK-LABEL: func @monotone
// CHECK: onnx.ArgMax(%arg0) {axis = 1}
// CHECK: onnx.ArgMin(%arg0) {axis = -1}
func.func @monotone(%x: tensor<2x3xf32>) -> (tensor<2x1xi64>, tensor<2x1xi64>) {
  %0 = onnx.Exp(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = onnx.ArgMax(%0) {axis = 1} : (tensor<2x3xf32>) -> tensor<2x1xi64>
  %2 = onnx.Softmax(%x) {axis = 1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = onnx.ArgMin(%2) {axis = -1} : (tensor<2x3xf32>) -> tensor<2x1xi64>
  return %1, %3 : tensor<2x1xi64>, tensor<2x1xi64>
}

// CHECK-LABEL: func @other_axis
// CHECK: onnx.ArgMax(%{{.*}}) {axis = 0}
// CHECK-NOT: onnx.ArgMax(%arg0)
func.func @other_axis(%x: tensor<2x3xf32>) -> (tensor<1x3xi64>, tensor<1x3xi64>) {
  %0 = onnx.Softmax(%x) {axis = 1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = onnx.ArgMax(%0) {axis = 0} : (tensor<2x3xf32>) -> tensor<1x3xi64>
  %2 = onnx.Abs(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = onnx.ArgMax(%2) : (tensor<2x3xf32>) -> tensor<1x3xi64>
  return %1, %3 : tensor<1x3xi64>, tensor<1x3xi64>
}
