// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-infer-shapes{lenient=true})' -split-input-file | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-infer-shapes)' -split-input-file -verify-diagnostics -o /dev/null
// RUN: not onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-infer-shapes{lenient=true report=true})' -split-input-file -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REPORT --implicit-check-not='op output 0'

// Arguments keep their types, and nothing is folded.
// CHECK-LABEL: @argument(
// CHECK-SAME: %[[X:.*]]: tensor<*xf32>
func.func @argument(%x: tensor<*xf32>, %y: tensor<2x3xf32>) -> tensor<2xi64> {
  // CHECK: onnx.Shape
  %0 = onnx.Shape(%y) {start = 0 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

// Branches that do not say what they return: a model for Caffe2.
// CHECK-LABEL: @no_outputs
func.func @no_outputs(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{if_c2: the branches must have as many outputs as the node}}
  %0 = onnx.If(%c) then_branch {
    onnx.yield
  } else_branch {
    onnx.yield
  } : (tensor<i1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A declared size gives way to what is inferred; an element type, which no
// exporter declares by mistake, only where nothing is to be reported.
// CHECK-LABEL: @wrong_size
// CHECK-SAME: -> tensor<2x3xf32>
// CHECK: onnx.Relu{{.*}} -> tensor<2x3xf32>
func.func @wrong_size(%x: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = onnx.Neg(%x) : (tensor<2x3xf32>) -> !onnx.unknown
  // expected-error @below {{output 0 is declared as float[4, 3], but is float[2, 3]}}
  %1 = onnx.Relu(%0) : (!onnx.unknown) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: @wrong_element
// CHECK: onnx.Relu{{.*}} -> tensor<2x3xf32>
// REPORT: op output 0 is declared as double[2, 3], but is float[2, 3]
func.func @wrong_element(%x: tensor<2x3xf32>) -> tensor<2x3xf64> {
  %0 = onnx.Neg(%x) : (tensor<2x3xf32>) -> !onnx.unknown
  // expected-error @below {{output 0 is declared as double[2, 3], but is float[2, 3]}}
  %1 = onnx.Relu(%0) : (!onnx.unknown) -> tensor<2x3xf64>
  return %1 : tensor<2x3xf64>
}
