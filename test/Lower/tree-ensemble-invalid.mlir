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
}
