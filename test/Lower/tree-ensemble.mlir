// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// x1 < 2 becomes x1 <= (the float before 2, 0x3FFFFFFF): node 0 goes to the
// leaves 1 and 2, of numbers 0 and 1 (kind 256), which all x are below (0x7F800000,
// infinity). A node is four words.
// CHECK-LABEL: @less_than
// CHECK-DAG: arith.constant dense<[1.000000e+00, -1.000000e+00]> : tensor<2xf32>
// CHECK-DAG: arith.constant dense<[1073741823, 1, 1, 1, 2139095040, 0, 1, 0, 2139095040, 0, 2, 256]> : tensor<12xi32>
// CHECK: rt.call "tree_regress"({{.*}}) outs({{.*}} : tensor<?x1xf32>)
func.func @less_than(%x: tensor<?x2xf32>) -> tensor<?x1xf32> {
  %0 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [1, 0, 0], nodes_modes = ["BRANCH_LT", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [0, 0], target_weights = [1.0, -1.0]} : (tensor<?x2xf32>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// -----

// x1 > 2 exchanges the leaves; NaN, which is not greater, goes left (kind 3).
// CHECK-LABEL: @greater_than
// CHECK-DAG: arith.constant dense<[-1.000000e+00, 1.000000e+00]> : tensor<2xf32>
// CHECK-DAG: arith.constant dense<[1073741824, 1, 1, 3, {{.*}}]> : tensor<12xi32>
func.func @greater_than(%x: tensor<?x2xf32>) -> tensor<?x1xf32> {
  %0 = onnx.ml.TreeEnsembleRegressor(%x) {n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [1, 0, 0], nodes_modes = ["BRANCH_GT", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [0, 0], target_weights = [1.0, -1.0]} : (tensor<?x2xf32>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// -----

// Sets stand one after the other; the second list says where they start.
// CHECK-LABEL: @member
// CHECK-DAG: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: arith.constant dense<[0, 2]> : tensor<2xi32>
func.func @member(%x: tensor<?x2xf32>) -> tensor<?x1xf32> {
  %0 = onnx.ml.TreeEnsemble(%x) {n_targets = 1, tree_roots = [0], nodes_featureids = [1], nodes_modes = dense<6> : tensor<1xui8>, nodes_splits = dense<0.0> : tensor<1xf32>, nodes_truenodeids = [0], nodes_trueleafs = [1], nodes_falsenodeids = [1], nodes_falseleafs = [1], leaf_targetids = [0, 0], leaf_weights = dense<[1.0, -1.0]> : tensor<2xf32>, membership_values = dense<[1.0, 2.0, 0x7FC00000]> : tensor<3xf32>} : (tensor<?x2xf32>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// -----

// Integers are compared as floats.
// CHECK-LABEL: @classifier
// CHECK: arith.sitofp
// CHECK: rt.call "tree_classify"({{.*}}) outs({{.*}} : tensor<?xi64>, tensor<?x2xf32>)
func.func @classifier(%x: tensor<?x2xi64>) -> (tensor<?xi64>, tensor<?x2xf32>) {
  %0:2 = onnx.ml.TreeEnsembleClassifier(%x) {classlabels_int64s = [4, 5], nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [1, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], class_ids = [0, 1], class_nodeids = [1, 2], class_treeids = [0, 0], class_weights = [1.0, -1.0]} : (tensor<?x2xi64>) -> (tensor<?xi64>, tensor<?x2xf32>)
  return %0#0, %0#1 : tensor<?xi64>, tensor<?x2xf32>
}
