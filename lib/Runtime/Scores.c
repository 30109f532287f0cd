/*===- Scores.c - Scores of classifiers, and votes ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The transforms of ai.onnx.ml, with the formulas of ONNX Runtime, since the *|
|* standard only names them.                                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/ClassicML.h"
#include "onnxc/Runtime/Context.h"
#include "onnxc/Runtime/Entry.h"

#include "Libc.h"

/*===----------------------------------------------------------------------===*\
|* Transforms                                                                 *|
\*===----------------------------------------------------------------------===*/

float onnxc_rt_logistic(float x) {
  float v = 1 / (1 + expf(-__builtin_fabsf(x)));
  return x < 0 ? 1 - v : v;
}

/* The quantile of the normal distribution, by Winitzki's approximation of the
   inverse error function. */
static float probit(float p) {
  const float a = 0.147f, pi = 3.14159265f, sqrt2 = 1.41421356f;
  float x = 2 * p - 1;
  float ln = logf((1 - x) * (1 + x));
  float v = 2 / (pi * a) + 0.5f * ln;
  float root = sqrtf(sqrtf(v * v - ln / a) - v);
  return sqrt2 * (x < 0 ? -root : root);
}

static void softmax(float *scores, int64_t count, int keep_zeros) {
  float greatest = scores[0], sum = 0;
  int64_t i;
  for (i = 1; i < count; ++i)
    greatest = scores[i] > greatest ? scores[i] : greatest;
  for (i = 0; i < count; ++i) {
    /* What is as good as 0 stays so, and has no part in the sum. */
    if (keep_zeros && scores[i] <= 1e-7f && scores[i] >= -1e-7f) {
      scores[i] *= expf(-greatest);
    } else {
      scores[i] = expf(scores[i] - greatest);
      sum += scores[i];
    }
  }
  for (i = 0; i < count; ++i)
    scores[i] /= sum;
}

void onnxc_rt_finish_scores(float *scores, int64_t count, int64_t transform) {
  int64_t i;
  if (count == 1 && transform != ONNXC_RT_SCORES_PROBIT)
    return;
  switch (transform) {
  case ONNXC_RT_SCORES_SOFTMAX:
  case ONNXC_RT_SCORES_SOFTMAX_ZERO:
    softmax(scores, count, transform == ONNXC_RT_SCORES_SOFTMAX_ZERO);
    break;
  case ONNXC_RT_SCORES_LOGISTIC:
    for (i = 0; i < count; ++i)
      scores[i] = onnxc_rt_logistic(scores[i]);
    break;
  case ONNXC_RT_SCORES_PROBIT:
    for (i = 0; i < count; ++i)
      scores[i] = probit(scores[i]);
    break;
  }
}

/* A row of results, filled with the row of scores. */
static float *copy_row(const onnxc_tensor *scores, onnxc_tensor *result,
                       int64_t row) {
  int64_t count = scores->dims[1];
  float *to = (float *)result->data + row * result->dims[1];
  memcpy(to, (const float *)scores->data + row * count,
         (size_t)count * sizeof *to);
  return to;
}

int32_t onnxc_rt_transform_scores(onnxc_context *context, const char *node,
                                  const onnxc_tensor *scores, int64_t transform,
                                  onnxc_tensor *result) {
  int64_t row;
  (void)context;
  (void)node;
  for (row = 0; row < scores->dims[0]; ++row)
    onnxc_rt_finish_scores(copy_row(scores, result, row), scores->dims[1],
                           transform);
  return ONNXC_OK;
}

static int64_t greatest(const float *scores, int64_t count) {
  int64_t best = 0, i;
  for (i = 1; i < count; ++i)
    if (scores[i] > scores[best])
      best = i;
  return best;
}

/*===----------------------------------------------------------------------===*\
|* Linear classifiers                                                         *|
\*===----------------------------------------------------------------------===*/

int32_t onnxc_rt_linear_classify(onnxc_context *context, const char *node,
                                 const onnxc_tensor *scores,
                                 const onnxc_tensor *labels, int64_t num_labels,
                                 int64_t transform, onnxc_tensor *chosen,
                                 onnxc_tensor *result) {
  const int64_t *names = (const int64_t *)labels->data;
  int64_t *names_chosen = (int64_t *)chosen->data;
  int64_t count = scores->dims[1], row;
  (void)context;
  (void)node;
  for (row = 0; row < scores->dims[0]; ++row) {
    float *to = copy_row(scores, result, row);
    int64_t best = count == 1 ? to[0] > 0 : greatest(to, count);
    /* A lone score speaks for the second label. */
    names_chosen[row] = names[best < num_labels ? best : num_labels - 1];
    if (count == 1 && result->dims[1] == 2) {
      to[1] = transform == ONNXC_RT_SCORES_LOGISTIC ? onnxc_rt_logistic(to[0])
                                                    : to[0];
      to[0] = 1 - to[1];
      if (transform == ONNXC_RT_SCORES_PROBIT)
        onnxc_rt_finish_scores(to, 2, transform);
    } else {
      onnxc_rt_finish_scores(to, count, transform);
    }
  }
  return ONNXC_OK;
}

/*===----------------------------------------------------------------------===*\
|* Support vector machines                                                    *|
\*===----------------------------------------------------------------------===*/

typedef struct machine {
  const float *coefficients;
  const int64_t *starts;
  int64_t vectors;
  const float *rho;
  const float *prob_a;
  const float *prob_b;
  int64_t classes;
} machine;

/* The scores between each two classes. Returns the class with most votes. */
static int64_t vote(const machine *m, const float *kernels, int64_t *votes,
                    float *scores) {
  int64_t i, j, k, pair = 0, best = 0;
  for (i = 0; i < m->classes; ++i)
    votes[i] = 0;
  for (i = 0; i < m->classes; ++i)
    for (j = i + 1; j < m->classes; ++j, ++pair) {
      /* A row of coefficients leaves its own class out. */
      const float *of_i = m->coefficients + (j - 1) * m->vectors;
      const float *of_j = m->coefficients + i * m->vectors;
      double sum = 0;
      for (k = m->starts[i]; k < m->starts[i + 1]; ++k)
        sum += of_i[k] * kernels[k];
      for (k = m->starts[j]; k < m->starts[j + 1]; ++k)
        sum += of_j[k] * kernels[k];
      sum += m->rho[pair];
      scores[pair] = (float)sum;
      ++votes[sum > 0 ? i : j];
    }
  for (i = 1; i < m->classes; ++i)
    if (votes[i] > votes[best])
      best = i;
  return best;
}

/* Probabilities of classes from those between each two of them: the second
   method of Wu, Lin and Weng, 2004. `work` has room for classes times
   2 classes + 1 floats. */
static void couple(const machine *m, const float *scores, float *work,
                   float *result) {
  int64_t n = m->classes, i, j, pair = 0, round;
  float *r = work, *q = work + n * n, *qp = work + 2 * n * n;
  for (i = 0; i < n; ++i)
    for (j = i + 1; j < n; ++j, ++pair) {
      float p = 1 - onnxc_rt_logistic(scores[pair] * m->prob_a[pair] +
                                      m->prob_b[pair]);
      p = p < 1e-7f ? 1e-7f : p > 1 - 1e-7f ? 1 - 1e-7f : p;
      r[i * n + j] = p;
      r[j * n + i] = 1 - p;
    }
  for (i = 0; i < n; ++i) {
    q[i * n + i] = 0;
    for (j = 0; j < n; ++j) {
      if (j == i)
        continue;
      q[i * n + i] += r[j * n + i] * r[j * n + i];
      q[i * n + j] = -r[j * n + i] * r[i * n + j];
    }
    result[i] = 1 / (float)n;
  }
  for (round = 0; round < 100; ++round) {
    float pqp = 0, worst = 0;
    for (i = 0; i < n; ++i) {
      qp[i] = 0;
      for (j = 0; j < n; ++j)
        qp[i] += q[i * n + j] * result[j];
      pqp += result[i] * qp[i];
    }
    for (i = 0; i < n; ++i) {
      float error = __builtin_fabsf(qp[i] - pqp);
      worst = error > worst ? error : worst;
    }
    if (worst < 0.005f / (float)n)
      break;
    for (i = 0; i < n; ++i) {
      float step = (pqp - qp[i]) / q[i * n + i];
      result[i] += step;
      pqp = (pqp + step * (step * q[i * n + i] + 2 * qp[i])) / (1 + step) /
            (1 + step);
      for (j = 0; j < n; ++j) {
        qp[j] = (qp[j] + step * q[i * n + j]) / (1 + step);
        result[j] /= 1 + step;
      }
    }
  }
}

int32_t onnxc_rt_svm_classify(
    onnxc_context *context, const char *node, const onnxc_tensor *kernels,
    const onnxc_tensor *coefficients, const onnxc_tensor *starts,
    const onnxc_tensor *rho, const onnxc_tensor *prob_a,
    const onnxc_tensor *prob_b, const onnxc_tensor *labels,
    int64_t num_probabilities, int64_t transform, onnxc_tensor *chosen,
    onnxc_tensor *result) {
  int64_t n = labels->dims[0], pairs = n * (n - 1) / 2, row;
  machine m = {coefficients->data,
               starts->data,
               kernels->dims[1],
               rho->data,
               prob_a->data,
               prob_b->data,
               n};
  int64_t *votes = onnxc_rt_alloc(context, n * (int64_t)sizeof *votes);
  float *work = onnxc_rt_alloc(context, (pairs + n * (2 * n + 1)) *
                                            (int64_t)sizeof *work);
  if (!votes || !work)
    return onnxc_rt_status(context);
  (void)node;
  for (row = 0; row < kernels->dims[0]; ++row) {
    const float *near = (const float *)kernels->data + row * m.vectors;
    float *to = (float *)result->data + row * result->dims[1];
    int64_t best = vote(&m, near, votes, work);
    ((int64_t *)chosen->data)[row] = ((const int64_t *)labels->data)[best];
    if (num_probabilities) {
      couple(&m, work, work + pairs, to);
      onnxc_rt_finish_scores(to, n, transform);
    } else if (n == 2) {
      to[1] = work[0];
      to[0] = transform == ONNXC_RT_SCORES_AS_IS ? -to[1] : 1 - to[1];
      if (transform == ONNXC_RT_SCORES_PROBIT) {
        to[0] = to[1];
        onnxc_rt_finish_scores(to, 2, transform);
      }
    } else {
      memcpy(to, work, (size_t)pairs * sizeof *to);
      onnxc_rt_finish_scores(to, pairs, transform);
    }
  }
  onnxc_rt_free(context, work);
  onnxc_rt_free(context, votes);
  return ONNXC_OK;
}

int32_t onnxc_rt_svm_choose(onnxc_context *context, const char *node,
                            const onnxc_tensor *scores,
                            const onnxc_tensor *labels,
                            int64_t has_probabilities, int64_t positive,
                            int64_t transform, onnxc_tensor *chosen,
                            onnxc_tensor *result) {
  int64_t count = scores->dims[1], row;
  (void)context;
  (void)node;
  for (row = 0; row < scores->dims[0]; ++row) {
    float *to = copy_row(scores, result, row);
    int64_t best = greatest(to, count);
    if (count == 2 && !has_probabilities &&
        (positive ? to[best] >= 0.5f : to[best] > 0))
      best = 1;
    ((int64_t *)chosen->data)[row] = ((const int64_t *)labels->data)[best];
    onnxc_rt_finish_scores(to, count, transform);
  }
  return ONNXC_OK;
}
