//===- ClassicMLTest.cpp - Scores, votes, maps ----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/ClassicML.h"
#include "onnxc/Runtime/TextHash.h"

#include "Tensors.h"

#include <cmath>
#include <string>

namespace {

class Scores : public ContextTest {};
class Maps : public ContextTest {};

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;
using Texts = std::vector<const char *>;

TEST_F(Scores, ProbitIsTheQuantileOfTheNormalDistribution) {
  // To the few thousandths of Winitzki's approximation.
  struct {
    float p;
    double quantile;
  } points[] = {{0.5f, 0},         {0.6f, 0.253347},  {0.75f, 0.674490},
                {0.975f, 1.95996}, {0.999f, 3.09023}, {0.25f, -0.674490},
                {0.02f, -2.05375}};
  for (auto [p, quantile] : points) {
    float score = p;
    onnxc_rt_finish_scores(&score, 1, ONNXC_RT_SCORES_PROBIT);
    EXPECT_NEAR(score, quantile, 0.006) << p;
  }
}

TEST_F(Scores, TransformsOfARow) {
  Floats from = {1, 0, -2, 3}, to(4);
  onnxc_tensor scores = tensorOf(ONNXC_FLOAT, {2, 2}, from);
  onnxc_tensor result = tensorOf(ONNXC_FLOAT, {2, 2}, to);
  auto transform = [&](int64_t kind) {
    EXPECT_EQ(
        onnxc_rt_transform_scores(&context.face, "", &scores, kind, &result),
        ONNXC_OK);
    return to;
  };
  EXPECT_EQ(transform(ONNXC_RT_SCORES_AS_IS), from);
  Floats softmax = transform(ONNXC_RT_SCORES_SOFTMAX);
  EXPECT_NEAR(softmax[0], 1 / (1 + std::exp(-1)), 1e-6);
  EXPECT_NEAR(softmax[1], 1 / (1 + std::exp(1)), 1e-6);
  EXPECT_NEAR(softmax[3], 1 / (1 + std::exp(-5)), 1e-6);
  // 0 is no score there: it takes no part in the sum.
  Floats zero = transform(ONNXC_RT_SCORES_SOFTMAX_ZERO);
  EXPECT_EQ(zero[0], 1);
  EXPECT_EQ(zero[1], 0);
  EXPECT_NEAR(zero[2], 1 / (1 + std::exp(5)), 1e-6);
  Floats logistic = transform(ONNXC_RT_SCORES_LOGISTIC);
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(logistic[i], 1 / (1 + std::exp(-from[i])), 1e-6);
  // One alone only by PROBIT.
  float one = 3;
  onnxc_rt_finish_scores(&one, 1, ONNXC_RT_SCORES_LOGISTIC);
  EXPECT_EQ(one, 3);
}

/// Three classes with 2, 1 and 2 support vectors.
class Machine : public Scores {
protected:
  Machine() { EXPECT_EQ(starts.back(), 5); }

  /// Classifies by the kernels' values `near`, one row.
  Floats classify(Floats near, Floats probA, Floats probB, int64_t classes) {
    onnxc_tensor kernels = tensorOf(ONNXC_FLOAT, {1, 5}, near);
    onnxc_tensor all[] = {tensorOf(ONNXC_FLOAT, {10}, coefficients),
                          tensorOf(ONNXC_INT64, {4}, starts),
                          tensorOf(ONNXC_FLOAT, {3}, rho),
                          tensorOf(ONNXC_FLOAT, {int64_t(probA.size())}, probA),
                          tensorOf(ONNXC_FLOAT, {int64_t(probB.size())}, probB),
                          tensorOf(ONNXC_INT64, {classes}, labels)};
    Floats scores(3);
    onnxc_tensor result = tensorOf(ONNXC_FLOAT, {1, 3}, scores);
    onnxc_tensor label = tensorOf(ONNXC_INT64, {1}, chosen);
    EXPECT_EQ(onnxc_rt_svm_classify(&context.face, "", &kernels, &all[0],
                                    &all[1], &all[2], &all[3], &all[4], &all[5],
                                    int64_t(probA.size()),
                                    ONNXC_RT_SCORES_AS_IS, &label, &result),
              ONNXC_OK);
    return scores;
  }

  Floats coefficients = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  Floats rho = {-10, -20, -30};
  Integers starts = {0, 2, 3, 5}, labels = {100, 200, 300}, chosen = {0};
};

TEST_F(Machine, ScoresOfPairsAndVotes) {
  // Of classes i and j: vectors of i with coefficients of row j - 1, those of j
  // with row i.
  Floats scores = classify({1, 2, 3, 4, 5}, {}, {}, 3);
  EXPECT_EQ(scores[0], 1 * 1 + 2 * 2 + 3 * 3 - 10);
  EXPECT_EQ(scores[1], 6 * 1 + 7 * 2 + 4 * 4 + 5 * 5 - 20);
  EXPECT_EQ(scores[2], 8 * 3 + 9 * 4 + 10 * 5 - 30);
  EXPECT_EQ(chosen[0], 100);
  // The others win where the score is not positive.
  classify({0, 0, 0, 0, 0}, {}, {}, 3);
  EXPECT_EQ(chosen[0], 300);
  rho = {0, 0, 1};
  classify({0, 0, 0, 0, 0}, {}, {}, 3);
  EXPECT_EQ(chosen[0], 200);
}

TEST_F(Machine, ProbabilitiesThatAgreeAreFound) {
  // Where the probability of i among i and j is p[i] / (p[i] + p[j]) for all
  // pairs, the classes' probabilities are p.
  for (Floats p : {Floats{0.5f, 0.3f, 0.2f}, Floats{0.1f, 0.2f, 0.7f},
                   Floats{0.05f, 0.9f, 0.05f}}) {
    rho = {std::log(p[0] / p[1]), std::log(p[0] / p[2]), std::log(p[1] / p[2])};
    Floats found = classify({0, 0, 0, 0, 0}, {-1, -1, -1}, {0, 0, 0}, 3);
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(found[i], p[i], 0.006) << i;
    EXPECT_NEAR(found[0] + found[1] + found[2], 1, 1e-5);
  }
  // The same by the offsets alone.
  rho = {0, 0, 0};
  Floats found = classify(
      {0, 0, 0, 0, 0}, {1, 1, 1},
      {-std::log(0.5f / 0.3f), -std::log(0.5f / 0.2f), -std::log(0.3f / 0.2f)},
      3);
  EXPECT_NEAR(found[0], 0.5, 0.006);
  EXPECT_NEAR(found[2], 0.2, 0.006);
}

TEST_F(Scores, LinearClassifierOfOneScore) {
  Floats from = {2, -1, 0}, to(6);
  Integers names = {7, 8}, chosen(3);
  onnxc_tensor scores = tensorOf(ONNXC_FLOAT, {3, 1}, from);
  onnxc_tensor labels = tensorOf(ONNXC_INT64, {2}, names);
  onnxc_tensor label = tensorOf(ONNXC_INT64, {3}, chosen);
  onnxc_tensor result = tensorOf(ONNXC_FLOAT, {3, 2}, to);
  ASSERT_EQ(onnxc_rt_linear_classify(&context.face, "", &scores, &labels, 2,
                                     ONNXC_RT_SCORES_LOGISTIC, &label, &result),
            ONNXC_OK);
  EXPECT_EQ(chosen, (Integers{8, 7, 7}));
  for (int row = 0; row < 3; ++row) {
    EXPECT_NEAR(to[2 * row + 1], 1 / (1 + std::exp(-from[row])), 1e-6);
    EXPECT_NEAR(to[2 * row], 1 - to[2 * row + 1], 1e-6);
  }
}

TEST_F(Maps, KeysThatAreNotThereGiveZero) {
  Integers keys = {3, 1}, words = {1, 2, 3, 4};
  Floats values = {30, 10}, made(4, 7);
  onnxc_tensor parts[] = {tensorOf(ONNXC_INT64, {2}, keys),
                          tensorOf(ONNXC_FLOAT, {2}, values)};
  onnxc_tensor map = {};
  map.data = parts;
  map.dtype = ONNXC_MAP;
  onnxc_tensor vocabulary = tensorOf(ONNXC_INT64, {4}, words);
  onnxc_tensor result = tensorOf(ONNXC_FLOAT, {1, 4}, made);
  ASSERT_EQ(onnxc_rt_dict_vector(&context.face, "", handleOf(map), &vocabulary,
                                 &result),
            ONNXC_OK);
  EXPECT_EQ(made, (Floats{10, 0, 30, 0}));

  Texts texts = {"thirty", "ten"}, found(4, "?");
  parts[1] = tensorOf(ONNXC_STRING, {2}, texts);
  result = tensorOf(ONNXC_STRING, {1, 4}, found);
  ASSERT_EQ(onnxc_rt_dict_vector(&context.face, "", handleOf(map), &vocabulary,
                                 &result),
            ONNXC_OK);
  EXPECT_STREQ(found[0], "ten");
  EXPECT_STREQ(found[1], "");
  EXPECT_STREQ(found[2], "thirty");
}

TEST_F(Maps, LooksUpSortedKeys) {
  Floats sorted = {-1, 0.5f, 2, NAN}, wanted = {2, -1, 0, 5, NAN, -7, 0.5f};
  Integers places(7);
  onnxc_tensor keys = tensorOf(ONNXC_FLOAT, {4}, sorted);
  onnxc_tensor x = tensorOf(ONNXC_FLOAT, {7}, wanted);
  onnxc_tensor result = tensorOf(ONNXC_INT64, {7}, places);
  ASSERT_EQ(onnxc_rt_lookup(&context.face, "", &x, &keys, 4, &result),
            ONNXC_OK);
  EXPECT_EQ(places, (Integers{2, 0, -1, -1, 3, -1, 1}));
  // Without keys nothing is found, and nothing read.
  ASSERT_EQ(onnxc_rt_lookup(&context.face, "", &x, &keys, 0, &result),
            ONNXC_OK);
  EXPECT_EQ(places, Integers(7, -1));
}

// Of two keys with the same slot one stands in the next one, and after the last
// slot comes the first.
TEST_F(Maps, FindsTextsBehindOthers) {
  auto slot = [](const char *text) { return onnxc_rt_hash_text(text) & 3; };
  std::vector<std::string> last;
  for (int i = 0; last.size() < 3; ++i)
    if (std::string text = std::to_string(i); slot(text.c_str()) == 3)
      last.push_back(text);
  Texts keyTexts = {last[0].c_str(), last[1].c_str()};
  Texts wanted = {last[1].c_str(), last[0].c_str(), last[2].c_str(), ""};
  std::vector<int32_t> table = {1, -1, -1, 0};
  Integers places(4);
  onnxc_tensor keys = tensorOf(ONNXC_STRING, {2}, keyTexts);
  onnxc_tensor slots = tensorOf(ONNXC_INT32, {4}, table);
  onnxc_tensor x = tensorOf(ONNXC_STRING, {4}, wanted);
  onnxc_tensor result = tensorOf(ONNXC_INT64, {4}, places);
  ASSERT_EQ(onnxc_rt_find_texts(&context.face, "", &x, &keys, &slots, &result),
            ONNXC_OK);
  EXPECT_EQ(places, (Integers{1, 0, -1, -1}));
}

} // namespace
