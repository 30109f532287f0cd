// RUN: onnx-mlir-opt %s -split-input-file -onnx-raise-ir-version | FileCheck %s

// CHECK: module attributes {onnx.ir_version = 4 : i64}
module attributes {onnx.ir_version = 3 : i64} {}

// -----

// CHECK: module attributes {onnx.ir_version = 8 : i64}
module attributes {onnx.ir_version = 8 : i64} {}

// -----

// What is not a model has none.
// CHECK-NOT: onnx.ir_version
module {}
