/*===- TreeEnsemble.c - Ensembles of decision trees ---------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Sums are made in the order of the trees, whatever else changes. The special*|
|* cases of two classes are those of ONNX Runtime: the standard leaves open   *|
|* what weights for only one of them mean.                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/ClassicML.h"
#include "onnxc/Runtime/Context.h"
#include "onnxc/Runtime/Entry.h"

#include "Libc.h"

#define INFINITY (__builtin_inff())
/* Descents side by side, and steps before asking whether all have arrived. */
#define LANES 8
#define STEPS 2
/* A loop of which no iteration is left. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif
/* Rows that one task takes. */
#define BLOCK 64
/* From the root to a leaf, about. */
#define CYCLES_PER_TREE 30
/* To look whether rows have NaN takes less time than it saves, up to so many
   features for a tree. */
#define FEATURES_PER_TREE 32

/* What the one score of two classes stands for. */
enum class_form {
  /* There is a score for each class. */
  FORM_ALL,
  /* Only the first class has one. */
  FORM_FIRST,
  /* Of the second class; the first one has 1 - score. */
  FORM_COMPLEMENT,
  /* Of the second class; the first one has -score. */
  FORM_SIGNED
};

struct tables {
  const onnxc_tensor *x, *nodes, *roots, *weights, *targets, *leaf_starts,
      *members, *set_starts, *bases, *parameters;
};

static void write_class_scores(float *scores, int64_t classes,
                               enum class_form form, int64_t transform) {
  float score = scores[0];
  if (classes == 1 || form == FORM_FIRST ||
      (form != FORM_ALL && transform == ONNXC_RT_SCORES_PROBIT)) {
    onnxc_rt_finish_scores(scores, 1, transform);
    return;
  }
  if (form == FORM_COMPLEMENT) {
    scores[1] = transform == ONNXC_RT_SCORES_LOGISTIC ? onnxc_rt_logistic(score)
                                                      : score;
    scores[0] = 1 - scores[1];
    return;
  }
  if (form == FORM_SIGNED) {
    scores[0] = -score;
    scores[1] = score;
    if (transform != ONNXC_RT_SCORES_LOGISTIC)
      return;
  }
  onnxc_rt_finish_scores(scores, classes, transform);
}

#define NUMBER float
#define NAME(x) x##_float
#include "TreeEnsemble.inc"
#undef NUMBER
#undef NAME
#define NUMBER double
#define NAME(x) x##_double
#include "TreeEnsemble.inc"
#undef NUMBER
#undef NAME

static int32_t check_features(onnxc_context *context, const char *node,
                              const struct tables *t) {
  int64_t needed =
      ((const int64_t *)t->parameters->data)[ONNXC_RT_TREES_FEATURES];
  int64_t given = t->x->dims[1];
  if (given >= needed || !t->x->dims[0])
    return ONNXC_OK;
  return onnxc_rt_set_error((onnxc_rt_context *)context, ONNXC_RUNTIME_ERROR,
                            "%sexpected at least %lld features, got %lld", node,
                            (long long)needed, (long long)given);
}

int32_t onnxc_rt_tree_regress(
    onnxc_context *context, const char *node, const onnxc_tensor *x,
    const onnxc_tensor *nodes, const onnxc_tensor *roots,
    const onnxc_tensor *weights, const onnxc_tensor *targets,
    const onnxc_tensor *leaf_starts, const onnxc_tensor *members,
    const onnxc_tensor *set_starts, const onnxc_tensor *bases,
    const onnxc_tensor *parameters, onnxc_tensor *scores) {
  const struct tables t = {x,       nodes,       roots,   weights,
                           targets, leaf_starts, members, set_starts,
                           bases,   parameters};
  int32_t status = check_features(context, node, &t);
  if (status != ONNXC_OK)
    return status;
  return x->dtype == ONNXC_DOUBLE ? regress_double(context, &t, scores)
                                  : regress_float(context, &t, scores);
}

int32_t onnxc_rt_tree_classify(
    onnxc_context *context, const char *node, const onnxc_tensor *x,
    const onnxc_tensor *nodes, const onnxc_tensor *roots,
    const onnxc_tensor *weights, const onnxc_tensor *targets,
    const onnxc_tensor *leaf_starts, const onnxc_tensor *members,
    const onnxc_tensor *set_starts, const onnxc_tensor *bases,
    const onnxc_tensor *parameters, const onnxc_tensor *labels,
    onnxc_tensor *chosen, onnxc_tensor *scores) {
  const struct tables t = {x,       nodes,       roots,   weights,
                           targets, leaf_starts, members, set_starts,
                           bases,   parameters};
  int32_t status = check_features(context, node, &t);
  if (status != ONNXC_OK)
    return status;
  return x->dtype == ONNXC_DOUBLE
             ? choose_double(context, &t, labels->data, chosen->data, scores)
             : choose_float(context, &t, labels->data, chosen->data, scores);
}
