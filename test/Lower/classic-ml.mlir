// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// A parameter for each feature is read along the last dimension.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: @scaler
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[LAST]], #[[LAST]], #[[ALL]]], iterator_types = ["parallel", "parallel"]}
// CHECK: arith.subf
// CHECK: arith.mulf
func.func @scaler(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = onnx.ml.Scaler(%x) {offset = [1.0, 2.0], scale = [3.0, 4.0]} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// The number of features is checked when run where it is not known before.
// CHECK-LABEL: @scaler_unknown_features
// CHECK: cf.assert {{.*}}node of operator 'Scaler': offset has 2 elements, which must be the number of features
func.func @scaler_unknown_features(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = onnx.ml.Scaler(%x) {offset = [1.0, 2.0], scale = [3.0]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @binarizer
// CHECK: arith.cmpf olt, %{{.*}}, %in
func.func @binarizer(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = onnx.ml.Binarizer(%x) {threshold = 0.5} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// CHECK-LABEL: @imputer_nan
// CHECK: arith.cmpf uno
// CHECK: arith.select
func.func @imputer_nan(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = onnx.ml.Imputer(%x) {imputed_value_floats = [1.0], replaced_value_float = 0x7FC00000 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// CHECK-LABEL: @normalizer
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: math.sqrt
// CHECK: arith.divf
func.func @normalizer(%x: tensor<?x2xf64>) -> tensor<?x2xf32> {
  %0 = onnx.ml.Normalizer(%x) {norm = "L2"} : (tensor<?x2xf64>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// Places are checked once, before elements are taken.
// CHECK-LABEL: @feature_extractor
// CHECK: cf.assert {{.*}}an index is out of range
// CHECK: tensor.extract
func.func @feature_extractor(%x: tensor<?x4xf32>, %i: tensor<2xi64>) -> tensor<?x2xf32> {
  %0 = onnx.ml.ArrayFeatureExtractor(%x, %i) : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// The first input is cut to 1 column, zeros fill the second one up to 3.
// CHECK-LABEL: @feature_vectorizer
// CHECK: linalg.fill
// CHECK: tensor.insert_slice {{.*}}[0, 0] [%{{.*}}, 1] [1, 1]
// CHECK: tensor.insert_slice {{.*}}[0, 1] [%{{.*}}, 2] [1, 1]
func.func @feature_vectorizer(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>) -> tensor<?x4xf32> {
  %0 = onnx.ml.FeatureVectorizer(%x, %y) {inputdimensions = [1, 3]} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: @linear_regressor
// CHECK: %[[SCORES:.*]] = linalg.matmul
// CHECK: linalg.generic {{.*}} ins(%[[SCORES]], %{{.*}} : tensor<?x2xf32>, tensor<2xf32>)
// CHECK: arith.addf
// CHECK: rt.call "transform_scores"
func.func @linear_regressor(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = onnx.ml.LinearRegressor(%x) {coefficients = [1.0, 2.0, 3.0, 4.0], intercepts = [5.0, 6.0], targets = 2, post_transform = "SOFTMAX"} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// One score for two labels becomes two.
// CHECK-LABEL: @linear_classifier
// CHECK: linalg.matmul {{.*}} -> tensor<?x1xf32>
// CHECK: rt.call "linear_classify"({{.*}}) outs(%{{.*}}, %{{.*}} : tensor<?xi64>, tensor<?x2xf32>)
func.func @linear_classifier(%x: tensor<?x2xi64>) -> (tensor<?xi64>, tensor<?x2xf32>) {
  %0:2 = onnx.ml.LinearClassifier(%x) {coefficients = [1.0, 2.0], intercepts = [5.0], classlabels_ints = [7, 8]} : (tensor<?x2xi64>) -> (tensor<?xi64>, tensor<?x2xf32>)
  return %0#0, %0#1 : tensor<?xi64>, tensor<?x2xf32>
}

// -----

// CHECK-LABEL: @svm_regressor
// CHECK: math.exp
// CHECK: linalg.matmul
func.func @svm_regressor(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %0 = onnx.ml.SVMRegressor(%x) {coefficients = [1.0, 2.0], support_vectors = [3.0, 4.0], n_supports = 2, rho = [0.5], kernel_type = "RBF", kernel_params = [0.1, 0.0, 3.0]} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// -----

// CHECK-LABEL: @svm_classifier
// CHECK: linalg.matmul
// CHECK: math.tanh
// CHECK: rt.call "svm_classify"
func.func @svm_classifier(%x: tensor<?x1xf32>) -> (tensor<?xi64>, tensor<?x2xf32>) {
  %0:2 = onnx.ml.SVMClassifier(%x) {coefficients = [1.0, 2.0], support_vectors = [3.0, 4.0], vectors_per_class = [1, 1], rho = [0.5], kernel_type = "SIGMOID", kernel_params = [0.1, 0.0, 3.0], classlabels_ints = [0, 1]} : (tensor<?x1xf32>) -> (tensor<?xi64>, tensor<?x2xf32>)
  return %0#0, %0#1 : tensor<?xi64>, tensor<?x2xf32>
}

// -----

// Keys are sorted, of equal ones the first counts, and values follow them.
// CHECK-LABEL: @label_encoder
// CHECK-DAG: arith.constant dense<[2, 5]> : tensor<2xi64>
// CHECK-DAG: arith.constant dense<[2.000000e+00, 1.000000e+00]> : tensor<2xf32>
// CHECK: rt.call "lookup"
func.func @label_encoder(%x: tensor<?xi64>) -> tensor<?xf32> {
  %0 = onnx.ml.LabelEncoder(%x) {keys_int64s = [5, 2, 5], values_floats = [1.0, 2.0, 3.0]} : (tensor<?xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The place of a key that is one more than the key before needs no search, here
// 5, 6 and 7 with the place of 6 twice.
// CHECK-LABEL: @label_encoder_consecutive
// CHECK-DAG: arith.constant dense<[2, 1, 3]> : tensor<3xi64>
// CHECK-NOT: rt.call
// CHECK: arith.subi %{{.*}}, %c5_i64
func.func @label_encoder_consecutive(%x: tensor<?xi64>) -> tensor<?xi64> {
  %0 = onnx.ml.LabelEncoder(%x) {keys_int64s = [6, 5, 7, 6], values_int64s = [1, 2, 3, 4]} : (tensor<?xi64>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

// Integers from one end of the range to the other do not follow one another.
// CHECK-LABEL: @label_encoder_ends
// CHECK: rt.call "lookup"
func.func @label_encoder_ends(%x: tensor<?xi64>) -> tensor<?xi64> {
  %0 = onnx.ml.LabelEncoder(%x) {keys_int64s = [9223372036854775807, -9223372036854775808], values_int64s = [1, 2]} : (tensor<?xi64>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

// Texts are addresses of bytes that end with 0, and found by a hash table of at
// least two slots for each.
// CHECK-LABEL: @category_mapper
// CHECK-DAG: %[[BYTES:.*]] = arith.constant dense<[97, 98, 0, 99, 0]> : tensor<5xi8>
// CHECK-DAG: arith.constant dense<{{.*}}> : tensor<8xi32>
// CHECK: %[[KEYS:.*]] = rt.call "texts"(%[[BYTES]]
// CHECK: rt.call "find_texts"(%{{.*}}, %[[KEYS]]
func.func @category_mapper(%x: tensor<?x!onnx.string>) -> tensor<?xi64> {
  %0 = onnx.ml.CategoryMapper(%x) {cats_int64s = [1, 2], cats_strings = ["ab", "c"]} : (tensor<?x!onnx.string>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

// CHECK-LABEL: @one_hot_encoder
// CHECK: arith.cmpi sge
// CHECK: cf.assert {{.*}}an element is not one of the categories
func.func @one_hot_encoder(%x: tensor<?xf32>) -> tensor<?x3xf32> {
  %0 = onnx.ml.OneHotEncoder(%x) {cats_int64s = [3, 1, 2], zeros = 0} : (tensor<?xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

// CHECK-LABEL: @maps
// CHECK: rt.call "zip_map"({{.*}}) {{.*}} -> i64
// CHECK: rt.call "dict_vector"({{.*}}) outs({{.*}} : tensor<1x2xf64>)
// CHECK: rt.call "cast_map"({{.*}}) {{.*}} -> tensor<1x?xi64>
func.func @maps(%x: tensor<?x2xf32>, %m: !onnx.map<i64, tensor<f32>>, %d: !onnx.map<i64, tensor<f64>>) -> (!onnx.seq<!onnx.map<i64, tensor<f32>>>, tensor<1x2xf64>, tensor<1x?xi64>) {
  %0 = onnx.ml.ZipMap(%x) {classlabels_int64s = [1, 2]} : (tensor<?x2xf32>) -> !onnx.seq<!onnx.map<i64, tensor<f32>>>
  %1 = onnx.ml.DictVectorizer(%d) {int64_vocabulary = [1, 2]} : (!onnx.map<i64, tensor<f64>>) -> tensor<1x2xf64>
  %2 = onnx.ml.CastMap(%m) {cast_to = "TO_INT64"} : (!onnx.map<i64, tensor<f32>>) -> tensor<1x?xi64>
  return %0, %1, %2 : !onnx.seq<!onnx.map<i64, tensor<f32>>>, tensor<1x2xf64>, tensor<1x?xi64>
}

// -----

// Four classes have six pairs, and without probabilities a score for each.
// CHECK-LABEL: @svm_classifier_of_pairs
// CHECK: rt.call "svm_classify"({{.*}} -> tensor<?xi64>, tensor<?x6xf32>
// CHECK: rt.call "svm_classify"({{.*}} -> tensor<?xi64>, tensor<?x4xf32>
func.func @svm_classifier_of_pairs(%x: tensor<?x1xf32>) -> (tensor<?x6xf32>, tensor<?x4xf32>) {
  %0:2 = onnx.ml.SVMClassifier(%x) {coefficients = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0], support_vectors = [1.0, 2.0, 3.0, 4.0], vectors_per_class = [1, 1, 1, 1], rho = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], kernel_type = "LINEAR", classlabels_ints = [0, 1, 2, 3]} : (tensor<?x1xf32>) -> (tensor<?xi64>, tensor<?x6xf32>)
  %1:2 = onnx.ml.SVMClassifier(%x) {coefficients = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0], support_vectors = [1.0, 2.0, 3.0, 4.0], vectors_per_class = [1, 1, 1, 1], rho = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], prob_a = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0], prob_b = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], kernel_type = "LINEAR", classlabels_ints = [0, 1, 2, 3]} : (tensor<?x1xf32>) -> (tensor<?xi64>, tensor<?x4xf32>)
  return %0#1, %1#1 : tensor<?x6xf32>, tensor<?x4xf32>
}
