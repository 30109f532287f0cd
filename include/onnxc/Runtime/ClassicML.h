/*===- onnxc/Runtime/ClassicML.h - Operators of ai.onnx.ml --------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What rt.call calls for the operators of ai.onnx.ml. All functions return a *|
|* status. Class labels are 64-bit elements, integers or addresses of texts.  *|
|* Tables have at least one element; where one may be empty, a parameter has  *|
|* the true number. The layouts are the contract with lib/Lower.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_CLASSICML_H
#define ONNXC_RUNTIME_CLASSICML_H

#include "onnxc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What happens to scores at last; numbered as ONNX's TreeEnsemble does. */
enum {
  ONNXC_RT_SCORES_AS_IS = 0,
  ONNXC_RT_SCORES_SOFTMAX = 1,
  ONNXC_RT_SCORES_LOGISTIC = 2,
  ONNXC_RT_SCORES_SOFTMAX_ZERO = 3,
  ONNXC_RT_SCORES_PROBIT = 4
};

/*===----------------------------------------------------------------------===*\
|* Trees                                                                      *|
\*===----------------------------------------------------------------------===*/

/* Numbered as ONNX's TreeEnsemble does. */
enum {
  ONNXC_RT_TREES_AVERAGE = 0,
  ONNXC_RT_TREES_SUM = 1,
  ONNXC_RT_TREES_MIN = 2,
  ONNXC_RT_TREES_MAX = 3
};

/* Bits of a node's `kind`. A node without ONNXC_RT_NODE_INNER is a leaf, of
   number `kind >> ONNXC_RT_NODE_SHIFT`, whose `left` is itself and whose
   `split` is infinite: a number that takes another step stays there. Else it
   goes left where x <= split, or where another bit says so, and else right, to
   left + 1. */
enum {
  ONNXC_RT_NODE_INNER = 1,
  /* NaN goes left. */
  ONNXC_RT_NODE_NAN_LEFT = 2,
  /* Left where x == split. */
  ONNXC_RT_NODE_EQUAL = 4,
  /* Left where x is in set number `kind >> ONNXC_RT_NODE_SHIFT`. */
  ONNXC_RT_NODE_MEMBER = 8,
  ONNXC_RT_NODE_SHIFT = 8
};

typedef struct onnxc_rt_node_float {
  float split;
  int32_t feature;
  int32_t left;
  int32_t kind;
} onnxc_rt_node_float;

typedef struct onnxc_rt_node_double {
  double split;
  int32_t feature;
  int32_t left;
  int32_t kind;
  int32_t unused;
} onnxc_rt_node_double;

/* Elements of the parameters of an ensemble. */
enum {
  /* How many features the nodes ask for. */
  ONNXC_RT_TREES_FEATURES,
  ONNXC_RT_TREES_AGGREGATE,
  ONNXC_RT_TREES_TARGETS,
  /* Whether each leaf has one weight, for the only target. */
  ONNXC_RT_TREES_DIRECT,
  /* Whether nodes have another kind than x <= split. */
  ONNXC_RT_TREES_MIXED,
  /* Whether it matters that a target has no weight in any leaf reached. */
  ONNXC_RT_TREES_SPARSE,
  ONNXC_RT_TREES_BASES,
  /* Of classifiers: the transform; whether all weights are for one of two
     classes; whether no weight is negative. */
  ONNXC_RT_TREES_TRANSFORM,
  ONNXC_RT_TREES_BINARY,
  ONNXC_RT_TREES_POSITIVE,
  ONNXC_RT_TREES_PARAMETERS
};

/* x [rows, features], of float or double: so are the nodes' splits and all
   tables of numbers. `leaf_starts` has the places in `weights` and `targets` at
   which the leaves start, and their end, but with ONNXC_RT_TREES_DIRECT, where
   it is not read: weights then are by leaf. `set_starts` has the places in
   `members` at which the sets start, and their end. */
int32_t onnxc_rt_tree_regress(
    onnxc_context *context, const char *node, const onnxc_tensor *x,
    const onnxc_tensor *nodes, const onnxc_tensor *roots,
    const onnxc_tensor *weights, const onnxc_tensor *targets,
    const onnxc_tensor *leaf_starts, const onnxc_tensor *members,
    const onnxc_tensor *set_starts, const onnxc_tensor *bases,
    const onnxc_tensor *parameters, onnxc_tensor *scores);
/* The labels chosen, [rows], and the scores as floats, [rows, classes]. */
int32_t onnxc_rt_tree_classify(
    onnxc_context *context, const char *node, const onnxc_tensor *x,
    const onnxc_tensor *nodes, const onnxc_tensor *roots,
    const onnxc_tensor *weights, const onnxc_tensor *targets,
    const onnxc_tensor *leaf_starts, const onnxc_tensor *members,
    const onnxc_tensor *set_starts, const onnxc_tensor *bases,
    const onnxc_tensor *parameters, const onnxc_tensor *labels,
    onnxc_tensor *chosen, onnxc_tensor *scores);

/*===----------------------------------------------------------------------===*\
|* Scores                                                                     *|
\*===----------------------------------------------------------------------===*/

float onnxc_rt_logistic(float x);

/* Transforms `count` scores in place; one alone only by PROBIT. */
void onnxc_rt_finish_scores(float *scores, int64_t count, int64_t transform);

/* Transforms each row of scores [rows, count]. */
int32_t onnxc_rt_transform_scores(onnxc_context *context, const char *node,
                                  const onnxc_tensor *scores, int64_t transform,
                                  onnxc_tensor *result);

/* The linear classifier: chooses by its scores [rows, count], and transforms
   them; one score for two labels becomes two. */
int32_t onnxc_rt_linear_classify(onnxc_context *context, const char *node,
                                 const onnxc_tensor *scores,
                                 const onnxc_tensor *labels, int64_t num_labels,
                                 int64_t transform, onnxc_tensor *chosen,
                                 onnxc_tensor *result);

/* The support vector classifier. `kernels` [rows, vectors] gives how near a row
   is to each vector; `starts` counts the vectors before those of each class.
   Without probabilities (num_probabilities 0), a score is for two classes. */
int32_t onnxc_rt_svm_classify(
    onnxc_context *context, const char *node, const onnxc_tensor *kernels,
    const onnxc_tensor *coefficients, const onnxc_tensor *starts,
    const onnxc_tensor *rho, const onnxc_tensor *prob_a,
    const onnxc_tensor *prob_b, const onnxc_tensor *labels,
    int64_t num_probabilities, int64_t transform, onnxc_tensor *chosen,
    onnxc_tensor *result);
/* Without support vectors: scores [rows, classes] as they are. `positive`: no
   coefficient is negative. */
int32_t onnxc_rt_svm_choose(onnxc_context *context, const char *node,
                            const onnxc_tensor *scores,
                            const onnxc_tensor *labels,
                            int64_t has_probabilities, int64_t positive,
                            int64_t transform, onnxc_tensor *chosen,
                            onnxc_tensor *result);

/*===----------------------------------------------------------------------===*\
|* Tables and maps                                                            *|
\*===----------------------------------------------------------------------===*/

/* For each number of x the place of an equal one among the `count` keys, which
   are sorted (NaN last) and distinct, or -1. */
int32_t onnxc_rt_lookup(onnxc_context *context, const char *node,
                        const onnxc_tensor *x, const onnxc_tensor *keys,
                        int64_t count, onnxc_tensor *result);
/* The same for texts, of distinct keys in any order. `slots`, int32, is a hash
   table of 2^n places among the keys, or -1 where nothing is; more than one is.
   A key stands in the slot of onnxc_rt_hash_text modulo 2^n, or the next free
   one. */
int32_t onnxc_rt_find_texts(onnxc_context *context, const char *node,
                            const onnxc_tensor *x, const onnxc_tensor *keys,
                            const onnxc_tensor *slots, onnxc_tensor *result);

/* A sequence of maps from the labels to each row of scores. */
int32_t onnxc_rt_zip_map(onnxc_context *context, const char *node,
                         const onnxc_tensor *scores, const onnxc_tensor *labels,
                         int64_t *result);
/* The values of a map for the keys of a vocabulary, 0 (or "") for the others.
 */
int32_t onnxc_rt_dict_vector(onnxc_context *context, const char *node,
                             int64_t map, const onnxc_tensor *vocabulary,
                             onnxc_tensor *result);
/* The values of a map from int64 in the order of its keys; with `sparse`, each
   at the place that its key says. */
int32_t onnxc_rt_cast_map(onnxc_context *context, const char *node, int64_t map,
                          int64_t sparse, int64_t length, onnxc_tensor *result);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RUNTIME_CLASSICML_H */
