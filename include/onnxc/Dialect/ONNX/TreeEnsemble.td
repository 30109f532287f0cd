//===- TreeEnsemble.td - Ensembles of decision trees (ai.onnx.ml) ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_TREEENSEMBLE
#define ONNXC_DIALECT_ONNX_TREEENSEMBLE

include "onnxc/Dialect/ONNX/ONNXBase.td"

defvar BranchModes = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "LEAF"];
def TreeInputs : ONNX_ElemSet<[Float32s64s, Int32s64s]>;

def ONNX_TreeEnsembleOp : ONNX_MLOp<"TreeEnsemble", [5],
    (ins ONNX_T<IEEEFloats>:$X, DenseI64ArrayAttr:$leaf_targetids, ElementsAttr:$leaf_weights,
         DenseI64ArrayAttr:$nodes_falseleafs, DenseI64ArrayAttr:$nodes_falsenodeids,
         DenseI64ArrayAttr:$nodes_featureids, ElementsAttr:$nodes_modes, ElementsAttr:$nodes_splits,
         DenseI64ArrayAttr:$nodes_trueleafs, DenseI64ArrayAttr:$nodes_truenodeids,
         DenseI64ArrayAttr:$tree_roots, IntOr<1>:$aggregate_function, OptTensor:$membership_values,
         OptInt:$n_targets, OptTensor:$nodes_hitrates, OptInts:$nodes_missing_value_tracks_true,
         IntOr<0>:$post_transform),
    (outs ONNX_T<IEEEFloats>:$Y), [Pure]> {
  let summary = "Sum, mean, least or greatest of the leaves that decision trees lead to";
}

def ONNX_TreeEnsembleRegressorOp : ONNX_MLOp<"TreeEnsembleRegressor", [1, 3, 5],
    (ins ONNX_T<TreeInputs>:$X, OneOf<"SUM", ["AVERAGE", "SUM", "MIN", "MAX"]>:$aggregate_function, OptFloats:$base_values,
         OptTensor:$base_values_as_tensor, OptInt:$n_targets, OptInts:$nodes_falsenodeids,
         OptIntsFrom<0>:$nodes_featureids, OptFloats:$nodes_hitrates, OptTensor:$nodes_hitrates_as_tensor,
         OptInts:$nodes_missing_value_tracks_true, OptListOf<BranchModes>:$nodes_modes, OptInts:$nodes_nodeids,
         OptInts:$nodes_treeids, OptInts:$nodes_truenodeids, OptFloats:$nodes_values,
         OptTensor:$nodes_values_as_tensor, OneOf<"NONE", PostTransforms>:$post_transform, OptInts:$target_ids,
         OptInts:$target_nodeids, OptInts:$target_treeids, OptFloats:$target_weights,
         OptTensor:$target_weights_as_tensor),
    (outs ONNX_T<OnlyFloat, "">:$Y), [Pure]> {
  let summary = "Decision trees for regression; TreeEnsemble has replaced it";
  let deprecated = 1;
}

def ONNX_TreeEnsembleClassifierOp : ONNX_MLOp<"TreeEnsembleClassifier", [1, 3, 5],
    (ins ONNX_T<TreeInputs, "T1">:$X, OptFloats:$base_values, OptTensor:$base_values_as_tensor,
         OptInts:$class_ids, OptInts:$class_nodeids, OptInts:$class_treeids,
         OptFloats:$class_weights, OptTensor:$class_weights_as_tensor, OptInts:$classlabels_int64s,
         OptStrings:$classlabels_strings, OptInts:$nodes_falsenodeids, OptIntsFrom<0>:$nodes_featureids,
         OptFloats:$nodes_hitrates, OptTensor:$nodes_hitrates_as_tensor,
         OptInts:$nodes_missing_value_tracks_true, OptListOf<BranchModes>:$nodes_modes, OptInts:$nodes_nodeids,
         OptInts:$nodes_treeids, OptInts:$nodes_truenodeids, OptFloats:$nodes_values,
         OptTensor:$nodes_values_as_tensor, OneOf<"NONE", PostTransforms>:$post_transform),
    (outs ONNX_T<ONNX_ElemSet<[], [ONNX_Int64, ONNX_String]>, "T2">:$Y,
          ONNX_T<OnlyFloat, "">:$Z), [Pure]> {
  let summary = "Decision trees for classes; TreeEnsemble has replaced it";
  let deprecated = 1;
}

#endif // ONNXC_DIALECT_ONNX_TREEENSEMBLE
