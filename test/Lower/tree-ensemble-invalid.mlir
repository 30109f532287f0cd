// What is no tree is refused, whatever a file says.
// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -verify-diagnostics

module {
func.func @f(%x: tensor<?x2xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  // expected-error@+1 {{its nodes lead back to themselves}}
  %0 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0], nodes_nodeids = [0, 1], nodes_featureids = [1, 0], nodes_modes = ["BRANCH_LT", "LEAF"], nodes_values = [2.0, 0.0], nodes_truenodeids = [0, 0], nodes_falsenodeids = [1, 0], target_ids = [0], target_nodeids = [1], target_treeids = [0], target_weights = [1.0]} : (tensor<?x2xf32>) -> tensor<?x1xf32>
  // expected-error@+1 {{node 0 has a child that does not exist}}
  %1 = onnx.ml.TreeEnsemble(%x) {n_targets = 1, tree_roots = [0], nodes_featureids = [1], nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.0> : tensor<1xf32>, nodes_truenodeids = [0], nodes_trueleafs = [1], nodes_falsenodeids = [7], nodes_falseleafs = [1], leaf_targetids = [0], leaf_weights = dense<1.0> : tensor<1xf32>} : (tensor<?x2xf32>) -> tensor<?x1xf32>
  return %0, %1 : tensor<?x1xf32>, tensor<?x1xf32>
}

// Lists of one length, each shorter than the others in turn.
func.func @lengths(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  // expected-error@+1 {{the lists of its nodes must be of equal length}}
  %0 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [0, 0], target_weights = [1.0, 2.0]} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  // expected-error@+1 {{the lists of its nodes must be of equal length}}
  %1 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [0, 0], target_weights = [1.0, 2.0]} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  // expected-error@+1 {{the lists of its nodes must be of equal length}}
  %2 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [0, 0], target_weights = [1.0, 2.0]} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  // expected-error@+1 {{the lists of its nodes must be of equal length}}
  %3 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [0, 0], target_weights = [1.0, 2.0]} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  // expected-error@+1 {{the lists of its nodes must be of equal length}}
  %4 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0], nodes_falsenodeids = [2, 0, 0], target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [0, 0], target_weights = [1.0, 2.0]} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  // expected-error@+1 {{the lists of its nodes must be of equal length}}
  %5 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0], target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [0, 0], target_weights = [1.0, 2.0]} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  // expected-error@+1 {{the lists of its weights must be of equal length}}
  %6 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], target_ids = [0], target_nodeids = [1, 2], target_treeids = [0, 0], target_weights = [1.0, 2.0]} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  // expected-error@+1 {{the lists of its weights must be of equal length}}
  %7 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], target_ids = [0, 0], target_nodeids = [1], target_treeids = [0, 0], target_weights = [1.0, 2.0]} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  // expected-error@+1 {{the lists of its weights must be of equal length}}
  %8 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [0], target_weights = [1.0, 2.0]} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  // expected-error@+1 {{the lists of its weights must be of equal length}}
  %9 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [0, 0], target_weights = [1.0]} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// Two classes may have one base value, more classes need one each.
func.func @bases(%x: tensor<?x1xf32>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %0:2 = onnx.ml.TreeEnsembleClassifier(%x) {classlabels_int64s = [0, 1], base_values = [0.5], nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], class_ids = [0, 0], class_nodeids = [1, 2], class_treeids = [0, 0], class_weights = [1.0, 2.0]} : (tensor<?x1xf32>) -> (tensor<?xi64>, tensor<?x2xf32>)
  // expected-error@+1 {{base_values must have one element per class}}
  %1:2 = onnx.ml.TreeEnsembleClassifier(%x) {classlabels_int64s = [0, 1], base_values = [0.5, 0.5, 0.5], nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], class_ids = [0, 0], class_nodeids = [1, 2], class_treeids = [0, 0], class_weights = [1.0, 2.0]} : (tensor<?x1xf32>) -> (tensor<?xi64>, tensor<?x2xf32>)
  // expected-error@+1 {{base_values must have one element per class}}
  %2:2 = onnx.ml.TreeEnsembleClassifier(%x) {classlabels_int64s = [0, 1, 2], base_values = [0.5, 0.5], nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], class_ids = [0, 0], class_nodeids = [1, 2], class_treeids = [0, 0], class_weights = [1.0, 2.0]} : (tensor<?x1xf32>) -> (tensor<?xi64>, tensor<?x3xf32>)
  return %0#0, %1#0, %2#0 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}
}
