// The stage as a whole: model functions take on the types of their call sites.
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-infer)' | FileCheck %s

// CHECK-LABEL: @main_graph
// CHECK-SAME: -> tensor<?x4xf32>
// CHECK-NOT: call
// CHECK: onnx.Softmax{{.*}} {axis = 1}
func.func @main_graph(%x: tensor<?x2x2xf32>) -> !onnx.unknown attributes {onnx.entry} {
  %0 = onnx.Flatten(%x) : (tensor<?x2x2xf32>) -> !onnx.unknown
  %1 = func.call @normalize(%0) : (!onnx.unknown) -> !onnx.unknown
  return %1 : !onnx.unknown
}
// CHECK-NOT: func.func
func.func private @normalize(%x: !onnx.unknown) -> !onnx.unknown {
  %0 = onnx.Softmax(%x) {axis = -1} : (!onnx.unknown) -> !onnx.unknown
  return %0 : !onnx.unknown
}
