// RUN: onnx-mlir-opt %s -split-input-file -onnx-keep-last-position=output=logits -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @open
// CHECK-SAME: -> (tensor<?x?xf32> {onnx.name = "other"}, tensor<?x?x9xf32> {onnx.dim_params = ["batch", "", ""], onnx.name = "logits"})
func.func @open(%x: tensor<?x?x9xf32> {onnx.name = "x"}, %y: tensor<?x?xf32> {onnx.name = "y"})
    -> (tensor<?x?xf32> {onnx.name = "other"}, tensor<?x?x9xf32> {onnx.dim_params = ["batch", "sequence", ""], onnx.name = "logits"}) attributes {onnx.entry} {
  // CHECK-DAG: %[[LAST:.+]] = onnx.Constant() {value = dense<-1> : tensor<1xi64>}
  // CHECK-DAG: %[[END:.+]] = onnx.Constant() {value = dense<9223372036854775807> : tensor<1xi64>}
  // CHECK-DAG: %[[AXIS:.+]] = onnx.Constant() {value = dense<1> : tensor<1xi64>}
  // CHECK: %[[PART:.+]] = onnx.Slice(%arg0, %[[LAST]], %[[END]], %[[AXIS]])
  // CHECK: return %arg1, %[[PART]]
  return %y, %x : tensor<?x?xf32>, tensor<?x?x9xf32>
}

// -----

// CHECK-LABEL: func @fixed
// CHECK-SAME: -> (tensor<2x1x9xf32> {onnx.name = "logits"})
func.func @fixed(%x: tensor<2x5x9xf32> {onnx.name = "x"}) -> (tensor<2x5x9xf32> {onnx.name = "logits"}) attributes {onnx.entry} {
  return %x : tensor<2x5x9xf32>
}

// -----

// expected-error @below {{last position of output 'logits': the model has no such output; its outputs are a, b}}
func.func @unknown(%x: tensor<2x5xf32> {onnx.name = "x"}) -> (tensor<2x5xf32> {onnx.name = "a"}, tensor<2x5xf32> {onnx.name = "b"}) attributes {onnx.entry} {
  return %x, %x : tensor<2x5xf32>, tensor<2x5xf32>
}

// -----

// expected-error @below {{last position of output 'logits': is declared with rank 1, expected a rank of at least 2: a sequence, and what there is of each position}}
func.func @vector(%x: tensor<5xf32> {onnx.name = "x"}) -> (tensor<5xf32> {onnx.name = "logits"}) attributes {onnx.entry} {
  return %x : tensor<5xf32>
}
