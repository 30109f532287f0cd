// The shape law of ai.onnx.ml: an [N, C] input has N rows, a [C] input is one.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes=fold=false --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @features
// CHECK-SAME: -> (tensor<?x3xf32>, tensor<1x3xf32>, tensor<?x7xf32>, tensor<?x4x2xf32>)
func.func @features(%x: tensor<?x4xf32>, %v: tensor<4xf32>, %w: tensor<?x3xf32>, %i: tensor<1x3xi64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.ml.ArrayFeatureExtractor(%x, %i) : (tensor<?x4xf32>, tensor<1x3xi64>) -> !onnx.unknown
  %1 = onnx.ml.ArrayFeatureExtractor(%v, %i) : (tensor<4xf32>, tensor<1x3xi64>) -> !onnx.unknown
  %2 = onnx.ml.FeatureVectorizer(%x, %w) {inputdimensions = [4, 3]} : (tensor<?x4xf32>, tensor<?x3xf32>) -> !onnx.unknown
  %3 = onnx.ml.OneHotEncoder(%x) {cats_int64s = [1, 2]} : (tensor<?x4xf32>) -> !onnx.unknown
  return %0, %1, %2, %3 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @elementwise
// CHECK-SAME: -> (tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf32>, tensor<?x4xf32>)
func.func @elementwise(%x: tensor<?x4xf64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.ml.Binarizer(%x) : (tensor<?x4xf64>) -> !onnx.unknown
  %1 = onnx.ml.Imputer(%x) {imputed_value_floats = [1.0]} : (tensor<?x4xf64>) -> !onnx.unknown
  %2 = onnx.ml.Normalizer(%x) {norm = "L2"} : (tensor<?x4xf64>) -> !onnx.unknown
  %3 = onnx.ml.Scaler(%x) {offset = [1.0], scale = [1.0, 2.0, 3.0, 4.0]} : (tensor<?x4xf64>) -> !onnx.unknown
  return %0, %1, %2, %3 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// The attribute that is present tells the element type.
// CHECK-LABEL: @labels
// CHECK-SAME: -> (tensor<3x!onnx.string>, tensor<3xi64>, tensor<3xf32>, tensor<3x!onnx.string>, tensor<3xi16>)
func.func @labels(%i: tensor<3xi64>, %s: tensor<3x!onnx.string>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.ml.CategoryMapper(%i) {cats_int64s = [1], cats_strings = ["a"]} : (tensor<3xi64>) -> !onnx.unknown
  %1 = onnx.ml.CategoryMapper(%s) {cats_int64s = [1], cats_strings = ["a"]} : (tensor<3x!onnx.string>) -> !onnx.unknown
  %2 = onnx.ml.LabelEncoder(%s) {keys_strings = ["a"], values_floats = [1.0]} : (tensor<3x!onnx.string>) -> !onnx.unknown
  %3 = onnx.ml.LabelEncoder(%i) {keys_int64s = [1], values_strings = ["a"]} : (tensor<3xi64>) -> !onnx.unknown
  %4 = onnx.ml.LabelEncoder(%s) {keys_strings = ["a", "b"], values_tensor = dense<1> : tensor<2xi16>} : (tensor<3x!onnx.string>) -> !onnx.unknown
  return %0, %1, %2, %3, %4 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @linear
// CHECK-SAME: -> (tensor<5xi64>, tensor<5x2xf32>, tensor<5x!onnx.string>, tensor<5x3xf32>, tensor<5x2xf32>)
func.func @linear(%x: tensor<5x2xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  // One row of coefficients tells two classes apart.
  %0:2 = onnx.ml.LinearClassifier(%x) {coefficients = [1.0, 2.0], intercepts = [0.0], classlabels_ints = [0, 1]} : (tensor<5x2xf32>) -> (!onnx.unknown, !onnx.unknown)
  %1:2 = onnx.ml.LinearClassifier(%x) {coefficients = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], classlabels_strings = ["a", "b", "c"]} : (tensor<5x2xf32>) -> (!onnx.unknown, !onnx.unknown)
  %2 = onnx.ml.LinearRegressor(%x) {coefficients = [1.0, 2.0, 3.0, 4.0], targets = 2} : (tensor<5x2xf32>) -> !onnx.unknown
  return %0#0, %0#1, %1#0, %1#1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// Votes between each two of four classes are six scores.
// CHECK-LABEL: @svm
// CHECK-SAME: -> (tensor<5xi64>, tensor<5x6xf32>, tensor<5x4xf32>, tensor<1x1xf32>)
func.func @svm(%x: tensor<5x2xf32>, %v: tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0:2 = onnx.ml.SVMClassifier(%x) {vectors_per_class = [1, 1, 1, 1], classlabels_ints = [0, 1, 2, 3]} : (tensor<5x2xf32>) -> (!onnx.unknown, !onnx.unknown)
  %1:2 = onnx.ml.SVMClassifier(%x) {vectors_per_class = [1, 1, 1, 1], prob_a = [1.0], prob_b = [1.0], classlabels_ints = [0, 1, 2, 3]} : (tensor<5x2xf32>) -> (!onnx.unknown, !onnx.unknown)
  %2 = onnx.ml.SVMRegressor(%v) : (tensor<2xf32>) -> !onnx.unknown
  return %0#0, %0#1, %1#1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @maps
// CHECK-SAME: -> (!onnx.seq<!onnx.map<!onnx.string, tensor<f32>>>, tensor<1x4xi64>, tensor<1x?xf32>, tensor<1x2xf64>)
func.func @maps(%x: tensor<?x2xf32>, %m: !onnx.map<i64, tensor<f32>>, %d: !onnx.map<i64, tensor<f64>>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.ml.ZipMap(%x) {classlabels_strings = ["a", "b"]} : (tensor<?x2xf32>) -> !onnx.unknown
  %1 = onnx.ml.CastMap(%m) {cast_to = "TO_INT64", map_form = "SPARSE", max_map = 4} : (!onnx.map<i64, tensor<f32>>) -> !onnx.unknown
  %2 = onnx.ml.CastMap(%m) : (!onnx.map<i64, tensor<f32>>) -> !onnx.unknown
  %3 = onnx.ml.DictVectorizer(%d) {int64_vocabulary = [7, 9]} : (!onnx.map<i64, tensor<f64>>) -> !onnx.unknown
  return %0, %1, %2, %3 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @trees
// CHECK-SAME: -> (tensor<?x3xf64>, tensor<?x2xf32>, tensor<?x!onnx.string>, tensor<?x3xf32>)
func.func @trees(%x: tensor<?x2xf64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.ml.TreeEnsemble(%x) {n_targets = 3, leaf_targetids = [0, 2], leaf_weights = dense<1.0> : tensor<2xf64>, nodes_falseleafs = [1], nodes_trueleafs = [1], nodes_falsenodeids = [1], nodes_truenodeids = [0], nodes_featureids = [0], nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<1.0> : tensor<1xf64>, tree_roots = [0]} : (tensor<?x2xf64>) -> !onnx.unknown
  %1 = onnx.ml.TreeEnsembleRegressor(%x) {target_ids = [0, 1]} : (tensor<?x2xf64>) -> !onnx.unknown
  %2:2 = onnx.ml.TreeEnsembleClassifier(%x) {classlabels_strings = ["a", "b", "c"]} : (tensor<?x2xf64>) -> (!onnx.unknown, !onnx.unknown)
  return %0, %1, %2#0, %2#1 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @training
// CHECK-SAME: -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>)
func.func @training(%r: tensor<f32>, %t: tensor<i64>, %a: tensor<2xf32>, %b: tensor<3xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0:4 = onnx.preview.training.Momentum(%r, %t, %a, %b, %a, %b, %a, %b) {alpha = 0.9, beta = 0.1, mode = "standard", norm_coefficient = 0.0}
      : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown)
  return %0#0, %0#1, %0#2, %0#3 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

func.func @arrayfeatureextractor_x(%x: tensor<f32>, %i: tensor<2xi64>) {
  // expected-error @below {{arrayfeatureextractor_x: must have at least rank 1}}
  %0 = onnx.ml.ArrayFeatureExtractor(%x, %i) : (tensor<f32>, tensor<2xi64>) -> !onnx.unknown
  return
}

// -----

func.func @castmap_cast_to(%m: !onnx.map<i64, tensor<f32>>) {
  // expected-error @below {{castmap_cast_to: must be TO_FLOAT, TO_STRING or TO_INT64, is 'x'}}
  %0 = onnx.ml.CastMap(%m) {cast_to = "x"} : (!onnx.map<i64, tensor<f32>>) -> !onnx.unknown
  return
}

// -----

func.func @castmap_map_form(%m: !onnx.map<i64, tensor<f32>>) {
  // expected-error @below {{castmap_map_form: must be DENSE or SPARSE, is 'x'}}
  %0 = onnx.ml.CastMap(%m) {map_form = "x"} : (!onnx.map<i64, tensor<f32>>) -> !onnx.unknown
  return
}

// -----

func.func @categorymapper_cats(%x: tensor<3xi64>) {
  // expected-error @below {{categorymapper_cats: must be as many strings as integers}}
  %0 = onnx.ml.CategoryMapper(%x) {cats_int64s = [1, 2], cats_strings = ["a"]} : (tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @dictvectorizer_vocabulary(%m: !onnx.map<i64, tensor<f64>>) {
  // expected-error @below {{dictvectorizer_vocabulary: must be given as either integers or strings}}
  %0 = onnx.ml.DictVectorizer(%m) : (!onnx.map<i64, tensor<f64>>) -> !onnx.unknown
  return
}

// -----

func.func @featurevectorizer_inputdimensions(%x: tensor<2x3xf32>) {
  // expected-error @below {{featurevectorizer_inputdimensions: must have one element per input}}
  %0 = onnx.ml.FeatureVectorizer(%x) {inputdimensions = [3, 4]} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @featurevectorizer_rows(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{featurevectorizer_rows: dimensions 2 and 4 must be equal}}
  %0 = onnx.ml.FeatureVectorizer(%x, %y) : (tensor<2x3xf32>, tensor<4x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @labelencoder_keys(%x: tensor<3xi64>) {
  // expected-error @below {{labelencoder_keys: must be given in one form, are in 0}}
  %0 = onnx.ml.LabelEncoder(%x) {values_floats = [1.0]} : (tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @labelencoder_values(%x: tensor<3xi64>) {
  // expected-error @below {{labelencoder_values: must be given in one form, are in 2}}
  %0 = onnx.ml.LabelEncoder(%x) {keys_int64s = [1], values_floats = [1.0], values_int64s = [1]} : (tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @labelencoder_c1(%x: tensor<3xi64>) {
  // expected-error @below {{labelencoder_c1: there must be a value for each of the 2 keys, there are 1}}
  %0 = onnx.ml.LabelEncoder(%x) {keys_int64s = [1, 2], values_floats = [1.0]} : (tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @labelencoder_x(%x: tensor<3xf32>) {
  // expected-error @below {{labelencoder_x: must have the type of the keys}}
  %0 = onnx.ml.LabelEncoder(%x) {keys_int64s = [1], values_floats = [1.0]} : (tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @labelencoder_default_tensor(%x: tensor<3xi64>) {
  // expected-error @below {{labelencoder_default_tensor: must be one element of the type of the values}}
  %0 = onnx.ml.LabelEncoder(%x) {keys_int64s = [1], values_floats = [1.0], default_tensor = dense<1> : tensor<1xi64>} : (tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @linearclassifier_classlabels(%x: tensor<5x2xf32>) {
  // expected-error @below {{linearclassifier_classlabels: must be given as either integers or strings}}
  %0:2 = onnx.ml.LinearClassifier(%x) {coefficients = [1.0, 2.0]} : (tensor<5x2xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @linearclassifier_x(%x: tensor<1x5x2xf32>) {
  // expected-error @below {{linearclassifier_x: must have rank 1 or 2, has 3}}
  %0:2 = onnx.ml.LinearClassifier(%x) {coefficients = [1.0, 2.0], classlabels_ints = [0, 1]} : (tensor<1x5x2xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @linearregressor_targets(%x: tensor<5x2xf32>) {
  // expected-error @below {{linearregressor_targets: must be positive}}
  %0 = onnx.ml.LinearRegressor(%x) {targets = 0} : (tensor<5x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @normalizer_norm(%x: tensor<5x2xf32>) {
  // expected-error @below {{attribute 'norm' is 'L3', expected one of MAX, L1, L2}}
  %0 = onnx.ml.Normalizer(%x) {norm = "L3"} : (tensor<5x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @onehotencoder_cats(%x: tensor<5x2xf32>) {
  // expected-error @below {{onehotencoder_cats: must be given as either integers or strings}}
  %0 = onnx.ml.OneHotEncoder(%x) : (tensor<5x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @scaler_features(%x: tensor<5x2xf32>) {
  // expected-error @below {{scaler_features: dimensions 3 and 2 must be equal}}
  %0 = onnx.ml.Scaler(%x) {offset = [1.0, 2.0, 3.0]} : (tensor<5x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @zipmap_columns(%x: tensor<5x2xf32>) {
  // expected-error @below {{zipmap_columns: dimensions 2 and 3 must be equal}}
  %0 = onnx.ml.ZipMap(%x) {classlabels_int64s = [1, 2, 3]} : (tensor<5x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @treeensemble_nodes(%x: tensor<5x2xf32>) {
  // expected-error @below {{treeensemble_nodes: all lists must have an element per node}}
  %0 = onnx.ml.TreeEnsemble(%x) {n_targets = 3, leaf_targetids = [0, 2], leaf_weights = dense<1.0> : tensor<2xf32>, nodes_falseleafs = [1], nodes_trueleafs = [1], nodes_falsenodeids = [1, 2], nodes_truenodeids = [0], nodes_featureids = [0], nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<1.0> : tensor<1xf32>, tree_roots = [0]} : (tensor<5x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @treeensemble_leaves(%x: tensor<5x2xf32>) {
  // expected-error @below {{treeensemble_leaves: all lists must have an element per leaf}}
  %0 = onnx.ml.TreeEnsemble(%x) {n_targets = 3, leaf_targetids = [0], leaf_weights = dense<1.0> : tensor<2xf32>, nodes_falseleafs = [1], nodes_trueleafs = [1], nodes_falsenodeids = [1], nodes_truenodeids = [0], nodes_featureids = [0], nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<1.0> : tensor<1xf32>, tree_roots = [0]} : (tensor<5x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @treeensembleregressor_n_targets(%x: tensor<5x2xf32>) {
  // expected-error @below {{treeensembleregressor_n_targets: must be more than the greatest target 1, is 1}}
  %0 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, target_ids = [0, 1]} : (tensor<5x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @treeensembleregressor_targets(%x: tensor<5x2xf32>) {
  // expected-error @below {{treeensembleregressor_targets: must not be negative}}
  %0 = onnx.ml.TreeEnsembleRegressor(%x) {target_ids = [-1]} : (tensor<5x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @treeensembleclassifier_classlabels(%x: tensor<5x2xf32>) {
  // expected-error @below {{treeensembleclassifier_classlabels: must be given as either integers or strings}}
  %0:2 = onnx.ml.TreeEnsembleClassifier(%x) : (tensor<5x2xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @momentum_mode(%r: tensor<f32>, %t: tensor<i64>, %a: tensor<2xf32>) {
  // expected-error @below {{momentum_mode: must be standard or nesterov, is 'x'}}
  %0:2 = onnx.preview.training.Momentum(%r, %t, %a, %a, %a) {alpha = 0.9, beta = 0.1, mode = "x", norm_coefficient = 0.0} : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @adam_inputs(%r: tensor<f32>, %t: tensor<i64>, %a: tensor<2xf32>) {
  // expected-error @below {{adam_inputs: must be 4 per tensor, are 3}}
  %0:2 = onnx.preview.training.Adam(%r, %t, %a, %a, %a) : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @adagrad_outputs(%r: tensor<f32>, %t: tensor<i64>, %a: tensor<2xf32>) {
  // expected-error @below {{adagrad_outputs: must be 2 per tensor, are 1}}
  %0 = onnx.preview.training.Adagrad(%r, %t, %a, %a, %a) : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @adagrad_shapes(%r: tensor<f32>, %t: tensor<i64>, %a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{adagrad_shapes: dimensions 3 and 2 must be equal}}
  %0:2 = onnx.preview.training.Adagrad(%r, %t, %a, %a, %b) : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @gradient_inputs(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{gradient_inputs: must be as many as xs and zs name, are 2}}
  %0 = onnx.preview.training.Gradient(%a, %b) {xs = ["a"], y = "y"} : (tensor<2xf32>, tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @gradient_outputs(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{gradient_outputs: must be as many as xs, are 1}}
  %0 = onnx.preview.training.Gradient(%a, %b) {xs = ["a", "b"], y = "y"} : (tensor<2xf32>, tensor<3xf32>) -> !onnx.unknown
  return
}
