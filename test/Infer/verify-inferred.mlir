// What the model does not determine is an error.
// RUN: onnx-mlir-opt %s --onnx-verify-inferred --split-input-file --verify-diagnostics

func.func @unknown(%x: tensor<3xf32>) {
  // expected-error @below {{the type of output 0 cannot be inferred, expected it to follow from the model}}
  %0 = onnx.Relu(%x) : (tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @unranked(%x: tensor<3xf32>, %s: tensor<?xi64>) {
  // expected-error @below {{the rank of output 0 cannot be inferred, expected it to follow from constants or from a declared shape}}
  %0 = onnx.Reshape(%x, %s) : (tensor<3xf32>, tensor<?xi64>) -> tensor<*xf32>
  return
}

// -----

// expected-error @below {{input 0 of a graph has no known rank, expected a declared shape}}
func.func @input(%x: tensor<*xf32>) {
  %0 = onnx.Relu(%x) : (tensor<*xf32>) -> tensor<3xf32>
  return
}

// -----

// What only passes through needs no rank.
func.func @handles(%s: !onnx.seq<tensor<*xf32>>, %p: tensor<i64>, %x: tensor<*xf32>) -> (tensor<*xf32>, !onnx.seq<tensor<*xf32>>) {
  %0 = onnx.SequenceAt(%s, %p) : (!onnx.seq<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  %1 = onnx.SequenceInsert(%s, %x) : (!onnx.seq<tensor<*xf32>>, tensor<*xf32>) -> !onnx.seq<tensor<*xf32>>
  %2 = onnx.Shape(%0) : (tensor<*xf32>) -> tensor<?xi64>
  return %0, %1 : tensor<*xf32>, !onnx.seq<tensor<*xf32>>
}

// -----

func.func @used(%s: !onnx.seq<tensor<*xf32>>, %p: tensor<i64>) -> tensor<3xf32> {
  // expected-error @below {{the rank of output 0 cannot be inferred}}
  %0 = onnx.SequenceAt(%s, %p) : (!onnx.seq<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  %1 = onnx.Relu(%0) : (tensor<*xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

func.func @elements(%x: tensor<3xf32>) {
  // expected-error @below {{the type of output 0 cannot be inferred}}
  %0 = onnx.SequenceConstruct(%x) : (tensor<3xf32>) -> !onnx.seq<!onnx.unknown>
  return
}

// -----

// Callers read what the model declares; only its sizes may be wrong.
// expected-error @below {{output 'y' of the model is declared as 'tensor<3xf32>', but is 'tensor<3xf64>'}}
func.func @declared(%x: tensor<3xf64>, %z: tensor<2xf32>) -> (tensor<3xf64> {onnx.name = "y", onnx.type = tensor<3xf32>}, tensor<2xf32> {onnx.name = "z", onnx.type = tensor<4xf32>}) attributes {onnx.entry} {
  return %x, %z : tensor<3xf64>, tensor<2xf32>
}
