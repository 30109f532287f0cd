//===- TextsTest.cpp - Numbers as texts, tokens ---------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Extra.h"
#include "onnxc/Runtime/Strings.h"

#include "Tensors.h"

#include <cmath>

/// In place of that with regular expressions, which is a library of its own:
/// tokens lie between spaces.
int onnxc_extra_tokenize(const char *const *, int64_t, int, int64_t least,
                         const char *const *texts, int64_t count,
                         onnxc_extra_take *take, void *user) {
  for (int64_t i = 0; i < count; ++i)
    for (const char *at = texts[i]; *at;) {
      size_t size = std::strcspn(at, " ");
      if (int64_t(size) >= least)
        take(user, i, at, size);
      at += size + (at[size] == ' ');
    }
  return 0;
}

namespace {

class NumberTexts : public ContextTest {
protected:
  template <typename T> std::string textOf(int32_t dtype, T number) {
    std::vector<T> one = {number};
    std::vector<const char *> text(1);
    onnxc_tensor x = tensorOf(dtype, {1}, one);
    onnxc_tensor result = tensorOf(ONNXC_STRING, {1}, text);
    EXPECT_EQ(onnxc_rt_numbers_to_texts(&context.face, "", &x, &result),
              ONNXC_OK);
    return text[0];
  }
  std::string ofFloat(float x) { return textOf(ONNXC_FLOAT, x); }
  std::string ofDouble(double x) { return textOf(ONNXC_DOUBLE, x); }
};

// As numpy writes them.
TEST_F(NumberTexts, FewestDigits) {
  EXPECT_EQ(ofFloat(0), "0.0");
  EXPECT_EQ(ofFloat(-0.0f), "-0.0");
  EXPECT_EQ(ofFloat(5), "5.0");
  EXPECT_EQ(ofFloat(-1.5f), "-1.5");
  EXPECT_EQ(ofFloat(10), "10.0");
  EXPECT_EQ(ofFloat(12345), "12345.0");
  EXPECT_EQ(ofFloat(0.1f), "0.1");
  EXPECT_EQ(ofDouble(0.1f), "0.10000000149011612");
  EXPECT_EQ(ofFloat(0.0625f), "0.0625");
  EXPECT_EQ(ofFloat(100.25f), "100.25");
  EXPECT_EQ(textOf<uint16_t>(ONNXC_FLOAT16, 0x3555), "0.3333");
  EXPECT_EQ(ofFloat(INFINITY), "inf");
  EXPECT_EQ(ofFloat(-INFINITY), "-inf");
  EXPECT_EQ(ofFloat(NAN), "nan");
}

TEST_F(NumberTexts, ExponentsBelowAndFromALimitOn) {
  EXPECT_EQ(ofFloat(1e-4f), "1e-04");
  EXPECT_EQ(ofDouble(1e-4), "0.0001");
  EXPECT_EQ(ofFloat(9.9e-5f), "9.9e-05");
  EXPECT_EQ(ofFloat(999999), "999999.0");
  EXPECT_EQ(ofFloat(1e6f), "1e+06");
  EXPECT_EQ(ofFloat(-1e6f), "-1e+06");
  EXPECT_EQ(ofDouble(9999999999999998.0), "9999999999999998.0");
  EXPECT_EQ(ofDouble(1e16), "1e+16");
  EXPECT_EQ(textOf<uint16_t>(ONNXC_FLOAT16, 0x63cf), "999.5");
  EXPECT_EQ(textOf<uint16_t>(ONNXC_FLOAT16, 0x63d0), "1e+03");
}

TEST_F(NumberTexts, Integers) {
  EXPECT_EQ(textOf<int64_t>(ONNXC_INT64, INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(textOf<uint64_t>(ONNXC_UINT64, UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(textOf<uint8_t>(ONNXC_BOOL, 1), "True");
  EXPECT_EQ(textOf<uint8_t>(ONNXC_BOOL, 0), "False");
}

class Tokens : public ContextTest {
protected:
  using Rows = std::vector<std::string>;

  /// The rows of tokens, joined by bars.
  Rows tokenize(std::vector<const char *> texts, int64_t mark,
                int64_t least = 1) {
    std::vector<const char *> patterns = {""};
    onnxc_tensor x = tensorOf(ONNXC_STRING, {int64_t(texts.size())}, texts);
    onnxc_tensor pattern = tensorOf(ONNXC_STRING, {1}, patterns);
    onnxc_tensor result = {};
    EXPECT_EQ(onnxc_rt_texts_tokenize(
                  &context.face, "", &x, &pattern, 1, least, mark,
                  int64_t(reinterpret_cast<uintptr_t>("#")), &result),
              ONNXC_OK);
    EXPECT_EQ(result.rank, 2);
    EXPECT_EQ(result.dims[0], int64_t(texts.size()));
    auto *tokens = static_cast<const char *const *>(result.data);
    Rows rows;
    for (int64_t i = 0; i < result.dims[0]; ++i) {
      rows.emplace_back();
      for (int64_t k = 0; k < result.dims[1]; ++k)
        rows.back() += std::string(k ? "|" : "") + *tokens++;
    }
    return rows;
  }
};

TEST_F(Tokens, RowsArePaddedToTheWidest) {
  EXPECT_EQ(tokenize({"a", "b c d", "", "e ff"}, 0),
            (Rows{"a|#|#", "b|c|d", "#|#|#", "e|ff|#"}));
  EXPECT_EQ(tokenize({"a", "e ff"}, 0, 2), (Rows{"#", "ff"}));
  EXPECT_EQ(tokenize({"", ""}, 0), (Rows{"", ""}));
}

TEST_F(Tokens, MarksStandAroundTheTokensOfARow) {
  EXPECT_EQ(
      tokenize({"a", "b c d", "", "e ff"}, 1),
      (Rows{"\2|a|\3|#|#", "\2|b|c|d|\3", "\2|\3|#|#|#", "\2|e|ff|\3|#"}));
  EXPECT_EQ(tokenize({"", ""}, 1), (Rows{"", ""}));
}

} // namespace
