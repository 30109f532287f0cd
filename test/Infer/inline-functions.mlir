// RUN: onnx-mlir-opt %s -pass-pipeline='builtin.module(onnxc-infer)' | FileCheck %s
// RUN: onnx-mlir-opt %s -pass-pipeline='builtin.module(onnxc-infer{input-shapes=x:2x5})' | FileCheck %s --check-prefix=SHAPE

// What is told of an input reaches the function.
// SHAPE: onnx.Relu{{.*}} -> tensor<2x5xf32>

// A model's function takes on the types of its call site, and is gone.
// CHECK-LABEL: func.func @main_graph
// CHECK-NOT:     call
// CHECK:         onnx.Relu{{.*}} -> tensor<2x?xf32>
// CHECK-NOT:   func.func private
func.func @main_graph(%x: tensor<2x?xf32> {onnx.name = "x"}) -> (tensor<2x?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %y = call @domain.Act(%x) : (tensor<2x?xf32>) -> !onnx.unknown
  %z = onnx.Identity(%y) : (!onnx.unknown) -> tensor<2x?xf32>
  return %z : tensor<2x?xf32>
}
func.func private @domain.Act(%x: tensor<2x?xf32>) -> !onnx.unknown {
  %y = onnx.Relu(%x) : (tensor<2x?xf32>) -> !onnx.unknown
  return %y : !onnx.unknown
}
