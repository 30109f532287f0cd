//===- ValueTest.cpp - Tensors by handle, sequences -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Sequence.h"

#include "Tensors.h"

namespace {

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;

class Value : public ContextTest {
protected:
  onnxc_context *face() { return &context.face; }

  /// What a tensor expected as `wanted` gets from a value of floats [2, 3].
  std::string unbox(onnxc_tensor &wanted) {
    onnxc_tensor value = tensorOf(ONNXC_FLOAT, {2, 3}, six);
    return onnxc_rt_unbox(face(), "node: ", handleOf(value), &wanted) ? error()
                                                                      : "";
  }
  static onnxc_tensor wanted(int32_t dtype, Integers dims) {
    onnxc_tensor result = {};
    result.dtype = dtype;
    result.rank = int32_t(dims.size());
    std::copy(dims.begin(), dims.end(), result.dims);
    return result;
  }

  Floats six = {0, 1, 2, 3, 4, 5};
};

TEST_F(Value, IsTakenOutAsTheTensorThatItIs) {
  onnxc_tensor same = wanted(ONNXC_FLOAT, {2, 3});
  EXPECT_EQ(unbox(same), "");
  EXPECT_EQ(same.data, six.data());
  onnxc_tensor open = wanted(ONNXC_FLOAT, {-1, -1});
  EXPECT_EQ(unbox(open), "");
  EXPECT_EQ(open.dims[0], 2);
  EXPECT_EQ(open.dims[1], 3);
}

TEST_F(Value, OtherTypesRanksAndSizesAreErrors) {
  onnxc_tensor other = wanted(ONNXC_INT32, {2, 3});
  EXPECT_EQ(unbox(other),
            "node: expected a value int32 [2, 3], got float [2, 3]");
  other = wanted(ONNXC_FLOAT, {2});
  EXPECT_EQ(unbox(other), "node: expected a value float [2], got float [2, 3]");
  other = wanted(ONNXC_FLOAT, {-1, 3, 1});
  EXPECT_EQ(unbox(other),
            "node: expected a value float [?, 3, 1], got float [2, 3]");
  other = wanted(ONNXC_FLOAT, {2, 4});
  EXPECT_EQ(unbox(other),
            "node: expected a value float [2, 4], got float [2, 3]");
}

TEST_F(Value, ShapesFromOneAxisToAnother) {
  onnxc_tensor value = wanted(ONNXC_FLOAT, {2, 3, 5, 7});
  auto shape = [&](int64_t start, int64_t end) {
    onnxc_tensor result = {};
    EXPECT_EQ(onnxc_rt_shape(face(), "", handleOf(value), start, end, &result),
              ONNXC_OK);
    auto *dims = static_cast<const int64_t *>(result.data);
    return Integers(dims, dims + result.dims[0]);
  };
  EXPECT_EQ(shape(0, INT64_MAX), (Integers{2, 3, 5, 7}));
  EXPECT_EQ(shape(1, -1), (Integers{3, 5}));
  EXPECT_EQ(shape(-2, 9), (Integers{5, 7}));
  EXPECT_EQ(shape(-9, 1), (Integers{2}));
  EXPECT_EQ(shape(2, 2), Integers());
  EXPECT_EQ(shape(3, 1), Integers());
}

TEST_F(Value, ABoxIsACopy) {
  onnxc_tensor value = tensorOf(ONNXC_FLOAT, {2, 3}, six);
  int64_t handle, size;
  ASSERT_EQ(onnxc_rt_box(face(), "", &value, &handle), ONNXC_OK);
  six[5] = 9;
  EXPECT_EQ(static_cast<const float *>(atHandle(handle).data)[5], 5);
  ASSERT_EQ(onnxc_rt_size(face(), "", handle, &size), ONNXC_OK);
  EXPECT_EQ(size, 6);
}

TEST_F(Value, IntegersAreTensorsOfOneElement) {
  Integers numbers = {-4, 5};
  std::vector<int32_t> small = {-6};
  std::vector<uint8_t> flags = {7};
  int64_t result;
  onnxc_tensor tensor = tensorOf(ONNXC_INT64, {}, numbers);
  ASSERT_EQ(onnxc_rt_integer_of(face(), "", handleOf(tensor), &result),
            ONNXC_OK);
  EXPECT_EQ(result, -4);
  tensor = tensorOf(ONNXC_INT32, {1}, small);
  ASSERT_EQ(onnxc_rt_integer_of(face(), "", handleOf(tensor), &result),
            ONNXC_OK);
  EXPECT_EQ(result, -6);
  tensor = tensorOf(ONNXC_BOOL, {1, 1}, flags);
  ASSERT_EQ(onnxc_rt_integer_of(face(), "", handleOf(tensor), &result),
            ONNXC_OK);
  EXPECT_EQ(result, 1);
  tensor = tensorOf(ONNXC_INT64, {2}, numbers);
  EXPECT_EQ(onnxc_rt_integer_of(face(), "node: ", handleOf(tensor), &result),
            ONNXC_RUNTIME_ERROR);
  EXPECT_EQ(error(), "node: expected a tensor of one element");
  tensor = tensorOf(ONNXC_INT64, {0}, numbers);
  EXPECT_EQ(onnxc_rt_integer_of(face(), "", handleOf(tensor), &result),
            ONNXC_RUNTIME_ERROR);
}

class Sequence : public Value {
protected:
  int64_t append(int64_t sequence, const onnxc_tensor &value) {
    int64_t result = 0;
    EXPECT_EQ(onnxc_rt_sequence_append(face(), "", sequence, handleOf(value),
                                       &result),
              ONNXC_OK);
    return result;
  }
  int64_t empty() {
    int64_t result = 0;
    EXPECT_EQ(onnxc_rt_sequence_new(face(), "", &result), ONNXC_OK);
    return result;
  }
  static int64_t length(int64_t sequence) { return atHandle(sequence).dims[0]; }
};

TEST_F(Sequence, AsManyGrowInPlaceAsAreRemembered) {
  onnxc_tensor value = tensorOf(ONNXC_FLOAT, {2, 3}, six);
  int64_t sequences[ONNXC_RT_NUM_GROWING];
  for (int64_t &sequence : sequences)
    sequence = append(empty(), value);
  for (int64_t &sequence : sequences) {
    const void *array = atHandle(sequence).data;
    sequence = append(sequence, value);
    EXPECT_EQ(atHandle(sequence).data, array);
    EXPECT_EQ(length(sequence), 2);
  }
}

TEST_F(Sequence, WhatAnOlderHandleShowsStays) {
  onnxc_tensor value = tensorOf(ONNXC_FLOAT, {2, 3}, six);
  onnxc_tensor other = tensorOf(ONNXC_FLOAT, {6}, six);
  int64_t one = append(empty(), value);
  int64_t two = append(one, value), fork = append(one, other);
  EXPECT_EQ(length(one), 1);
  EXPECT_EQ(length(two), 2);
  auto rank = [&](int64_t sequence, int i) {
    return static_cast<const onnxc_tensor *>(atHandle(sequence).data)[i].rank;
  };
  EXPECT_EQ(rank(two, 1), 2);
  EXPECT_EQ(rank(fork, 1), 1);
  int64_t sequence = empty();
  for (int i = 0; i < 100; ++i)
    sequence = append(sequence, i % 3 ? value : other);
  ASSERT_EQ(length(sequence), 100);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(rank(sequence, i), i % 3 ? 2 : 1);
}

/// The output of a run: a sequence of strings, or whatever `make` says.
onnxc_tensor *made;
int32_t giveValue(onnxc_context *context, const onnxc_tensor *,
                  onnxc_tensor *outputs) {
  return onnxc_rt_output_value(context, outputs, 0, handleOf(*made));
}

TEST(Outputs, SequencesOfTextsAreCopiedWhole) {
  onnxc_value_info info = {};
  info.name = "out";
  info.dtype = ONNXC_SEQUENCE;
  info.type = "seq(tensor(string))";
  onnxc_model model = {};
  model.abi_version = ONNXC_ABI_VERSION;
  model.num_outputs = 1;
  model.name = model.producer = model.target_triple = model.target_cpu = "";
  model.outputs = &info;
  model.create = onnxc_rt_create;
  model.destroy = onnxc_rt_destroy;
  model.run = onnxc_rt_run;
  model.error = onnxc_rt_error;
  model.entry = giveValue;
  onnxc_context *context;
  ASSERT_EQ(onnxc_create(&model, nullptr, &context), ONNXC_OK);
  char first[] = "first", second[] = "the second text";
  std::vector<const char *> texts = {first, second, ""};
  onnxc_tensor parts[] = {tensorOf(ONNXC_STRING, {2}, texts),
                          tensorOf(ONNXC_STRING, {1, 3}, texts)};
  onnxc_tensor sequence = {};
  sequence.data = parts;
  sequence.dtype = ONNXC_SEQUENCE;
  sequence.rank = 1;
  sequence.dims[0] = 2;
  made = &sequence;
  onnxc_tensor out = onnxc_output_buffer(nullptr, 0);
  ASSERT_EQ(onnxc_run(context, nullptr, 0, &out, 1), ONNXC_OK);
  // What it was made of goes away with the run.
  first[0] = second[0] = '#';
  texts.assign(3, "#");
  parts[0].rank = parts[1].rank = 7;
  ASSERT_EQ(out.dims[0], 2);
  auto *copies = static_cast<const onnxc_tensor *>(out.data);
  EXPECT_EQ(copies[0].rank, 1);
  EXPECT_EQ(copies[1].rank, 2);
  EXPECT_EQ(copies[1].dims[1], 3);
  auto *copied = static_cast<const char *const *>(copies[1].data);
  EXPECT_STREQ(copied[0], "first");
  EXPECT_STREQ(copied[1], "the second text");
  EXPECT_STREQ(copied[2], "");
  copied = static_cast<const char *const *>(copies[0].data);
  EXPECT_STREQ(copied[1], "the second text");
  onnxc_destroy(context);
}

} // namespace
