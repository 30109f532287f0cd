// Strings are addresses: what moves them is as for numbers, the rest is calls.
// RUN: onnx-mlir-opt %s --onnxc-lower-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: @constants
// CHECK-SAME: -> tensor<2xi64>
func.func @constants() -> tensor<2x!onnx.string> {
  // CHECK: %[[BYTES:.*]] = arith.constant dense<[97, 0, 98, 99, 0]> : tensor<5xi8>
  // CHECK: rt.call "texts"(%[[BYTES]] : tensor<5xi8>) outs(%{{.*}} : tensor<2xi64>)
  %0 = onnx.Constant() {value_strings = ["a", "bc"]} : () -> tensor<2x!onnx.string>
  return %0 : tensor<2x!onnx.string>
}

// -----

// The operand that is stretched is written out.
// CHECK-LABEL: @equal
func.func @equal(%x: tensor<2x3x!onnx.string>, %y: tensor<3x!onnx.string>) -> tensor<2x3xi1> {
  // CHECK: %[[Y:.*]] = linalg.generic
  // CHECK: rt.call "texts_equal"(%{{.*}}, %[[Y]] : tensor<2x3xi64>, tensor<2x3xi64>) outs(%{{.*}} : tensor<2x3xi1>) {dtypes = array<i32: 8, 8, 9>
  %0 = onnx.Equal(%x, %y) : (tensor<2x3x!onnx.string>, tensor<3x!onnx.string>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

// -----

// Narrow numbers go by way of wide ones.
// CHECK-LABEL: @casts
func.func @casts(%x: tensor<4x!onnx.string>, %n: tensor<4xui8>) -> (tensor<4xi16>, tensor<4x!onnx.string>) {
  // CHECK: rt.call "texts_to_numbers"(%{{.*}} : tensor<4xi64>) outs(%{{.*}} : tensor<4xi64>) {dtypes = array<i32: 8, 7>
  // CHECK: arith.trunci
  %0 = onnx.Cast(%x) {to = 5} : (tensor<4x!onnx.string>) -> tensor<4xi16>
  // CHECK: arith.extui
  // CHECK: rt.call "numbers_to_texts"(%{{.*}} : tensor<4xi64>) outs(%{{.*}} : tensor<4xi64>) {dtypes = array<i32: 13, 8>
  %1 = onnx.Cast(%n) {to = 8} : (tensor<4xui8>) -> tensor<4x!onnx.string>
  return %0, %1 : tensor<4xi16>, tensor<4x!onnx.string>
}

// -----

// How many pieces there are is known when it runs.
// CHECK-LABEL: @split
func.func @split(%x: tensor<?x!onnx.string>) -> (tensor<?x?x!onnx.string>, tensor<?xi64>) {
  // CHECK-DAG: %[[COMMA:.*]] = rt.text ","
  // CHECK: rt.call "texts_split"(%{{.*}}, %[[COMMA]], %{{.*}}) outs({{.*}} -> tensor<?xi64>, tensor<?x?xi64>
  %0, %1 = onnx.StringSplit(%x) {delimiter = ","} : (tensor<?x!onnx.string>) -> (tensor<?x?x!onnx.string>, tensor<?xi64>)
  return %0, %1 : tensor<?x?x!onnx.string>, tensor<?xi64>
}

// -----

// The vocabulary is sorted: 2-grams (1, 7), (5, 6); columns follow.
// CHECK-LABEL: @ngrams
func.func @ngrams(%x: tensor<9xi32>) -> tensor<3xf32> {
  // CHECK-DAG: arith.constant dense<[8, 1, 7, 5, 6]> : tensor<5xi64>
  // CHECK-DAG: arith.constant dense<[0, 0, 1, 5]> : tensor<4xi64>
  // CHECK-DAG: arith.constant dense<[0, 2, 1]> : tensor<3xi64>
  // CHECK: rt.call "count_ngrams"
  %0 = onnx.TfIdfVectorizer(%x) {max_gram_length = 2, max_skip_count = 0, min_gram_length = 1, mode = "TF", ngram_counts = [0, 1], ngram_indexes = [0, 1, 2], pool_int64s = [8, 5, 6, 1, 7]} : (tensor<9xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Two words, and one group of three; no groups of two.
// CHECK-LABEL: @groups_of_three
// CHECK: rt.call "count_ngrams"
func.func @groups_of_three(%x: tensor<9xi64>) -> tensor<3xf32> {
  %0 = onnx.TfIdfVectorizer(%x) {mode = "TF", min_gram_length = 1, max_gram_length = 3, max_skip_count = 0, ngram_counts = [0, 2, 2], ngram_indexes = [0, 1, 2], pool_int64s = [5, 6, 7, 8, 9]} : (tensor<9xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
