//===- TreeEnsembleTest.cpp - Scores of two classes -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where all weights are for one of two classes, what the other one gets is up
// to the signs of the weights and to the transform.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/ClassicML.h"

#include "Tensors.h"

#include <cmath>

namespace {

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;

/// A tree that asks whether x <= 0. Its two leaves have a weight each, for the
/// first class; the second one has none.
class TwoClasses : public ContextTest {
protected:
  /// Classifies -1 and 1: a leaf each.
  void classify(Floats leaves, int64_t transform) {
    std::vector<onnxc_rt_node_float> nodes(3);
    nodes[0] = {/*split=*/0, 0, /*left=*/1, ONNXC_RT_NODE_INNER};
    for (int32_t i : {1, 2})
      nodes[i] = {INFINITY, 0, i, (i - 1) << ONNXC_RT_NODE_SHIFT};
    std::vector<int32_t> roots = {0}, targets = {0, 0}, leafStarts = {0, 1, 2},
                         starts = {0};
    Integers parameters(ONNXC_RT_TREES_PARAMETERS), labels = {100, 200};
    parameters[ONNXC_RT_TREES_FEATURES] = 1;
    parameters[ONNXC_RT_TREES_AGGREGATE] = ONNXC_RT_TREES_SUM;
    parameters[ONNXC_RT_TREES_TARGETS] = 2;
    parameters[ONNXC_RT_TREES_SPARSE] = 1;
    parameters[ONNXC_RT_TREES_TRANSFORM] = transform;
    parameters[ONNXC_RT_TREES_BINARY] = 1;
    parameters[ONNXC_RT_TREES_POSITIVE] = leaves[0] >= 0 && leaves[1] >= 0;
    Floats rows = {-1, 1}, none;
    scores.assign(4, 99);
    chosen.assign(2, 99);
    onnxc_tensor tables[] = {
        tensorOf(ONNXC_FLOAT, {2, 1}, rows),
        tensorOf(ONNXC_INT32, {12}, nodes),
        tensorOf(ONNXC_INT32, {1}, roots),
        tensorOf(ONNXC_FLOAT, {2}, leaves),
        tensorOf(ONNXC_INT32, {2}, targets),
        tensorOf(ONNXC_INT32, {3}, leafStarts),
        tensorOf(ONNXC_FLOAT, {0}, none),
        tensorOf(ONNXC_INT32, {1}, starts),
        tensorOf(ONNXC_FLOAT, {0}, none),
        tensorOf(ONNXC_INT64, {ONNXC_RT_TREES_PARAMETERS}, parameters),
        tensorOf(ONNXC_INT64, {2}, labels)};
    onnxc_tensor label = tensorOf(ONNXC_INT64, {2}, chosen);
    onnxc_tensor result = tensorOf(ONNXC_FLOAT, {2, 2}, scores);
    EXPECT_EQ(onnxc_rt_tree_classify(
                  &context.face, "", &tables[0], &tables[1], &tables[2],
                  &tables[3], &tables[4], &tables[5], &tables[6], &tables[7],
                  &tables[8], &tables[9], &tables[10], &label, &result),
              ONNXC_OK);
  }

  Floats scores;
  Integers chosen;
};

float logistic(float x) { return 1 / (1 + std::exp(-x)); }

void expectNear(const Floats &found, const Floats &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
}

TEST_F(TwoClasses, PositiveWeightsAreProbabilities) {
  classify({0.75f, 0.25f}, ONNXC_RT_SCORES_AS_IS);
  EXPECT_EQ(scores, (Floats{0.25f, 0.75f, 0.75f, 0.25f}));
  EXPECT_EQ(chosen, (Integers{200, 100}));
  classify({0.75f, 0.25f}, ONNXC_RT_SCORES_LOGISTIC);
  expectNear(scores, {logistic(-0.75f), logistic(0.75f), logistic(-0.25f),
                      logistic(0.25f)});
  EXPECT_EQ(chosen, (Integers{200, 100}));
}

TEST_F(TwoClasses, OtherWeightsCountForAndAgainst) {
  classify({0.75f, -0.25f}, ONNXC_RT_SCORES_AS_IS);
  EXPECT_EQ(scores, (Floats{-0.75f, 0.75f, 0.25f, -0.25f}));
  EXPECT_EQ(chosen, (Integers{200, 100}));
  // Signs say all that SOFTMAX would.
  classify({0.75f, -0.25f}, ONNXC_RT_SCORES_SOFTMAX);
  EXPECT_EQ(scores, (Floats{-0.75f, 0.75f, 0.25f, -0.25f}));
  classify({0.75f, -0.25f}, ONNXC_RT_SCORES_LOGISTIC);
  expectNear(scores, {logistic(-0.75f), logistic(0.75f), logistic(0.25f),
                      logistic(-0.25f)});
}

TEST_F(TwoClasses, ProbitIsOfTheOneScore) {
  classify({0.5f, 0.75f}, ONNXC_RT_SCORES_PROBIT);
  EXPECT_NEAR(scores[0], 0, 1e-3);
  EXPECT_NEAR(scores[2], 0.674490, 0.006);
  EXPECT_EQ(scores[1], 0);
  EXPECT_EQ(scores[3], 0);
  EXPECT_EQ(chosen, (Integers{100, 200}));
}

} // namespace
