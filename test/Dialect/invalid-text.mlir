// What the shape rules of text ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @stringnormalizer_x(%a: tensor<2x3x!onnx.string>) {
  // expected-error @below {{stringnormalizer_x: first dimension: dimensions 2 and 1 must be equal}}
  %0 = onnx.StringNormalizer(%a) : (tensor<2x3x!onnx.string>) -> !onnx.unknown
  return
}

// -----

func.func @tfidfvectorizer_ngram_indexes(%a: tensor<3xi64>) {
  // expected-error @below {{tfidfvectorizer_ngram_indexes: must not be empty}}
  %0 = onnx.TfIdfVectorizer(%a) {max_gram_length = 1, max_skip_count = 0, min_gram_length = 1, mode = "TF", ngram_counts = [0], pool_int64s = [1], ngram_indexes = array<i64>} : (tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @tfidfvectorizer_x(%a: tensor<i64>) {
  // expected-error @below {{tfidfvectorizer_x: must have rank 1 or 2}}
  %0 = onnx.TfIdfVectorizer(%a) {max_gram_length = 1, max_skip_count = 0, min_gram_length = 1, mode = "TF", ngram_counts = [0], pool_int64s = [1], ngram_indexes = [0]} : (tensor<i64>) -> !onnx.unknown
  return
}
