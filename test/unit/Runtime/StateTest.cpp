//===- StateTest.cpp - States, without compiled code ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code says only what is right: here is what the runtime does
// otherwise.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Context.h"
#include "onnxc/Runtime/Entry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

/// What a run says that it writes of the state.
struct Part {
  int32_t axis;
  int64_t sample, samples, first, rows;
};
Part part;
/// Whether the run fails behind that.
bool isUnlucky;

/// Makes all elements 7, whatever it has said.
int32_t overwrite(onnxc_context *context, const onnxc_tensor *inputs,
                  onnxc_tensor *) {
  if (onnxc_rt_state_overwrite(context, 0, part.axis, part.sample, part.samples,
                               part.first, part.rows) != ONNXC_OK)
    return onnxc_rt_status(context);
  auto *elements = static_cast<int32_t *>(inputs[0].data);
  std::fill_n(elements, 24, 7);
  if (isUnlucky)
    onnxc_rt_fail(context, "unlucky");
  return onnxc_rt_status(context);
}

const int64_t dims[] = {2, 3, 4};
const char *const symbols[] = {"", "", ""};
const onnxc_state_info state = {
    {"past", ONNXC_INT32, 3, dims, symbols, "tensor(int32)"}, "present", -1, 0};

class State : public ::testing::Test {
protected:
  State() {
    model.abi_version = ONNXC_ABI_VERSION;
    model.name = model.producer = model.target_triple = model.target_cpu = "";
    model.num_states = 1;
    model.states = &state;
    model.create = onnxc_rt_create;
    model.destroy = onnxc_rt_destroy;
    model.run = onnxc_rt_run_states;
    model.error = onnxc_rt_error;
    model.entry = overwrite;
    EXPECT_EQ(onnxc_create(&model, nullptr, &context), ONNXC_OK);
    std::vector<int32_t> numbers = count();
    onnxc_tensor value =
        onnxc_tensor_over(numbers.data(), ONNXC_INT32, 3, dims);
    EXPECT_EQ(onnxc_rt_state_set(context, 0, &value), ONNXC_OK);
  }
  ~State() override { onnxc_destroy(context); }

  static std::vector<int32_t> count() {
    std::vector<int32_t> numbers(24);
    for (int32_t i = 0; i < 24; ++i)
      numbers[i] = i;
    return numbers;
  }

  /// The error of a run that writes `written`; "" if it succeeds.
  std::string run(Part written, bool fails = false) {
    part = written;
    isUnlucky = fails;
    onnxc_status status = onnxc_run(context, nullptr, 0, nullptr, 0);
    return status == ONNXC_OK ? "" : onnxc_error(context);
  }
  std::vector<int32_t> get() {
    std::vector<int32_t> numbers(24);
    onnxc_tensor value =
        onnxc_tensor_over(numbers.data(), ONNXC_INT32, 3, dims);
    EXPECT_EQ(onnxc_rt_state_get(context, 0, &value), ONNXC_OK);
    return numbers;
  }

  onnxc_model model = {};
  onnxc_context *context = nullptr;
};

TEST_F(State, IsWrittenWhereItLies) {
  EXPECT_EQ(run({2, 0, 2, 0, 4}), "");
  EXPECT_EQ(get(), std::vector<int32_t>(24, 7));
}

TEST_F(State, HasThePartAgainAfterAFailure) {
  std::vector<int32_t> wanted(24, 7);
  // Columns 1 and 2 of all rows of the second sample.
  for (int32_t i : {13, 14, 17, 18, 21, 22})
    wanted[i] = i;
  EXPECT_EQ(run({2, 1, 1, 1, 2}, /*fails=*/true), "unlucky");
  EXPECT_EQ(get(), wanted);
}

TEST_F(State, IsNotWrittenOutside) {
  constexpr int64_t most = INT64_MAX, least = INT64_MIN;
  for (Part outside :
       {Part{2, 0, 1, 3, 2}, Part{2, 0, 1, 5, 0}, Part{2, 0, 1, -1, 1},
        Part{2, 0, 1, 2, -1}, Part{2, 0, 1, 0, 5}, Part{2, 0, 1, most, most},
        Part{2, 0, 1, least, most}, Part{2, 0, 1, 1, least},
        Part{2, 2, 1, 0, 4}, Part{2, 0, 3, 0, 4}, Part{2, -1, 1, 0, 4},
        Part{2, 1, -1, 0, 4}, Part{2, most, 1, 0, 4}, Part{1, 0, 1, 3, 1},
        Part{0, 0, 0, 2, 1}, Part{0, 0, 0, 0, 3}, Part{3, 0, 1, 0, 1},
        Part{-1, 0, 1, 0, 1}}) {
    EXPECT_NE(run(outside), "");
    EXPECT_EQ(get(), count());
  }
  EXPECT_EQ(run({2, 1, 1, 3, 2}),
            "state 'past': expected a part of int32 [2, 3, 4], the run writes "
            "2 from 3 on in dimension 2, 1 from 1 on in dimension 0");
  EXPECT_EQ(run({0, 0, 0, 2, 1}),
            "state 'past': expected a part of int32 [2, 3, 4], the run writes "
            "1 from 2 on in dimension 0");
  // Of dimension 0 there are no samples.
  EXPECT_EQ(run({0, 99, 99, 1, 1}), "");
}

} // namespace
