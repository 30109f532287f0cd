//===- ContextTest.cpp - Contexts, without compiled code ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model is written by hand; test/capi runs compiled ones.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Context.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace {

const int64_t unknown[] = {-1};
const char *const symbols[] = {"N"};
const onnxc_value_info input = {"in",    ONNXC_INT32, 1,
                                unknown, symbols,     "tensor(int32)"};
const onnxc_value_info output = {"out",   ONNXC_INT32, 1,
                                 unknown, symbols,     "tensor(int32)"};

/// Counts up: out[i] = in[i] + 1. Fails when asked to.
int32_t countUp(onnxc_context *context, const onnxc_tensor *inputs,
                onnxc_tensor *outputs) {
  const auto *in = static_cast<const int32_t *>(inputs[0].data);
  int64_t n = inputs[0].dims[0];
  if (n == 13) {
    EXPECT_EQ(onnxc_rt_fail(context, "unlucky"), ONNXC_RUNTIME_ERROR);
    // The first error counts.
    EXPECT_EQ(onnxc_rt_fail(context, "later"), ONNXC_RUNTIME_ERROR);
    return ONNXC_OK;
  }
  auto *out = static_cast<int32_t *>(
      onnxc_rt_output(context, outputs, 0, 1, inputs[0].dims));
  if (!out)
    return onnxc_rt_status(context);
  for (int64_t i = 0; i < n; ++i)
    out[i] = in[i] + 1;
  return ONNXC_OK;
}

onnxc_model makeModel() {
  onnxc_model model = {};
  model.abi_version = ONNXC_ABI_VERSION;
  model.num_inputs = model.num_outputs = 1;
  model.name = model.producer = model.target_triple = model.target_cpu = "";
  model.inputs = &input;
  model.outputs = &output;
  model.workspace_bytes = 100;
  model.create = onnxc_rt_create;
  model.destroy = onnxc_rt_destroy;
  model.run = onnxc_rt_run;
  model.error = onnxc_rt_error;
  model.entry = countUp;
  return model;
}

class Context : public ::testing::Test {
protected:
  Context() : model(makeModel()) {
    EXPECT_EQ(onnxc_create(&model, nullptr, &context), ONNXC_OK);
  }
  ~Context() override { onnxc_destroy(context); }

  onnxc_status run(const int32_t *data, int64_t n, onnxc_tensor &out) {
    onnxc_tensor in = onnxc_tensor_over(data, ONNXC_INT32, 1, &n);
    return onnxc_run(context, &in, 1, &out, 1);
  }

  onnxc_model model;
  onnxc_context *context = nullptr;
};

TEST_F(Context, WorkspaceIsAligned) {
  void *workspace = onnxc_rt_workspace(context);
  ASSERT_NE(workspace, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(workspace) % ONNXC_RT_ALIGNMENT, 0u);
  std::memset(workspace, 1, 100);
}

TEST_F(Context, FeedsOutputsBack) {
  int32_t zeros[1000] = {};
  onnxc_tensor state = onnxc_output_buffer(nullptr, 0);
  ASSERT_EQ(run(zeros, 1000, state), ONNXC_OK);
  for (int step = 2; step < 6; ++step) {
    ASSERT_EQ(run(static_cast<int32_t *>(state.data), 1000, state), ONNXC_OK);
    EXPECT_EQ(static_cast<int32_t *>(state.data)[999], step);
  }
}

TEST_F(Context, KeepsWhatIsAnInputOfTheRun) {
  int32_t zeros[10] = {};
  onnxc_tensor first = onnxc_output_buffer(nullptr, 0);
  ASSERT_EQ(run(zeros, 10, first), ONNXC_OK);
  onnxc_tensor second = onnxc_output_buffer(nullptr, 0);
  ASSERT_EQ(run(static_cast<int32_t *>(first.data), 10, second), ONNXC_OK);
  EXPECT_NE(first.data, second.data);
}

TEST_F(Context, KeepsTheFirstError) {
  int32_t zeros[13] = {};
  onnxc_tensor out = onnxc_output_buffer(nullptr, 0);
  EXPECT_EQ(run(zeros, 13, out), ONNXC_RUNTIME_ERROR);
  EXPECT_STREQ(onnxc_error(context), "unlucky");
  EXPECT_EQ(run(zeros, 12, out), ONNXC_OK);
  EXPECT_STREQ(onnxc_error(context), "");
}

TEST_F(Context, SaysWhatABufferNeeds) {
  int32_t data[4] = {}, small[3];
  onnxc_tensor out = onnxc_output_buffer(small, sizeof small);
  EXPECT_EQ(run(data, 4, out), ONNXC_BUFFER_TOO_SMALL);
  EXPECT_EQ(out.dims[0], 4);
  EXPECT_EQ(out.bytes, sizeof small);
}

TEST_F(Context, BuffersAreAlignedToTheirElements) {
  int32_t data[4] = {}, buffer[6];
  char *bytes = reinterpret_cast<char *>(buffer);
  for (int offset = 1; offset < 4; ++offset) {
    onnxc_tensor out = onnxc_output_buffer(bytes + offset, 16);
    EXPECT_EQ(run(data, 4, out), ONNXC_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(onnxc_error(context),
                          "output 'out': expected a buffer aligned to its "
                          "element type int32"),
              nullptr);
    onnxc_tensor other = onnxc_output_buffer(nullptr, 0);
    EXPECT_EQ(run(reinterpret_cast<int32_t *>(bytes + offset), 4, other),
              ONNXC_INVALID_INPUT);
  }
  onnxc_tensor out = onnxc_output_buffer(bytes + 4, 16);
  EXPECT_EQ(run(data, 4, out), ONNXC_OK);
}

TEST_F(Context, BuffersDoNotOverlapWhatTheyAreComputedFrom) {
  int32_t data[12] = {};
  auto status = [&](int from, int n, int to, int size) {
    onnxc_tensor out = onnxc_output_buffer(data + to, size * sizeof *data);
    return run(data + from, n, out);
  };
  EXPECT_EQ(status(0, 4, 4, 4), ONNXC_OK);
  EXPECT_EQ(status(4, 4, 0, 4), ONNXC_OK);
  EXPECT_EQ(status(0, 4, 3, 4), ONNXC_INVALID_ARGUMENT);
  EXPECT_EQ(status(3, 4, 0, 4), ONNXC_INVALID_ARGUMENT);
  EXPECT_EQ(status(4, 1, 0, 8), ONNXC_INVALID_ARGUMENT);
  EXPECT_EQ(status(0, 8, 4, 8), ONNXC_INVALID_ARGUMENT);
  // Nothing overlaps no bytes.
  EXPECT_EQ(status(4, 0, 0, 8), ONNXC_OK);
  EXPECT_EQ(status(0, 0, 0, 8), ONNXC_OK);
  EXPECT_EQ(status(0, 0, 4, 0), ONNXC_OK);
}

TEST(Check, EqualSymbolsOfOneInputAreEqualSizes) {
  const int64_t open[] = {-1, -1, -1};
  const char *const names[] = {"N", "", "N"};
  const onnxc_value_info square = {"square", ONNXC_INT32, 3, open, names, ""};
  onnxc_model model = makeModel();
  model.inputs = &square;
  model.entry = [](onnxc_context *context, const onnxc_tensor *inputs,
                   onnxc_tensor *outputs) {
    return onnxc_rt_output(context, outputs, 0, 1, inputs[0].dims)
               ? int32_t(ONNXC_OK)
               : onnxc_rt_status(context);
  };
  onnxc_context *context;
  ASSERT_EQ(onnxc_create(&model, nullptr, &context), ONNXC_OK);
  int32_t data[64] = {};
  auto status = [&](int64_t a, int64_t b, int64_t c) {
    const int64_t dims[] = {a, b, c};
    onnxc_tensor in = onnxc_tensor_over(data, ONNXC_INT32, 3, dims);
    onnxc_tensor out = onnxc_output_buffer(nullptr, 0);
    return onnxc_run(context, &in, 1, &out, 1);
  };
  EXPECT_EQ(status(2, 5, 2), ONNXC_OK);
  EXPECT_EQ(status(2, 2, 3), ONNXC_INVALID_INPUT);
  EXPECT_STREQ(onnxc_error(context),
               "input 'square': expected dimension 2 ('N') to be 2 as in input "
               "'square', got 3");
  onnxc_destroy(context);
}

TEST_F(Context, RunsTasksByTheCallersLoop) {
  static int64_t asked;
  onnxc_options options = {};
  options.threads = 3;
  options.parallel_for = [](void *, int64_t count, onnxc_task task,
                            void *data) {
    asked = count;
    for (int64_t i = count; i-- > 0;)
      task(data, i);
  };
  onnxc_context *other;
  ASSERT_EQ(onnxc_create(&model, &options, &other), ONNXC_OK);
  int64_t sum = 0;
  onnxc_rt_task add = [](void *data, void *, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      *static_cast<int64_t *>(data) += i;
  };
  onnxc_rt_parallel_for(other, 10, 1000000, add, &sum);
  EXPECT_EQ(asked, 10);
  EXPECT_EQ(sum, 45);
  // What is not worth it stays here.
  asked = 0;
  onnxc_rt_parallel_for(other, 10, 1, add, &sum);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(sum, 90);
  onnxc_destroy(other);
}

TEST_F(Context, RefusesOtherNumbersOfTensors) {
  int32_t data[4] = {};
  int64_t n = 4;
  onnxc_tensor in[] = {onnxc_tensor_over(data, ONNXC_INT32, 1, &n),
                       onnxc_tensor_over(data, ONNXC_INT32, 1, &n)};
  onnxc_tensor out[] = {onnxc_output_buffer(nullptr, 0),
                        onnxc_output_buffer(nullptr, 0)};
  EXPECT_EQ(onnxc_run(context, in, 2, out, 1), ONNXC_INVALID_ARGUMENT);
  EXPECT_EQ(onnxc_run(context, in, 0, out, 1), ONNXC_INVALID_ARGUMENT);
  EXPECT_EQ(onnxc_run(context, in, 1, out, 2), ONNXC_INVALID_ARGUMENT);
  EXPECT_EQ(onnxc_run(context, in, 1, out, 0), ONNXC_INVALID_ARGUMENT);
  EXPECT_EQ(onnxc_run(context, in, 1, out, 1), ONNXC_OK);
}

TEST(Create, DestroyReleasesAllThatWasAllocated) {
  onnxc_model model = makeModel();
  struct {
    int blocks;
    size_t bytes;
  } live = {};
  onnxc_options options = {};
  options.user = &live;
  options.allocate = [](void *user, size_t bytes, size_t alignment) {
    auto *count = static_cast<decltype(&live)>(user);
    ++count->blocks;
    count->bytes += bytes;
    return std::aligned_alloc(alignment, bytes);
  };
  options.release = [](void *user, void *memory, size_t bytes) {
    auto *count = static_cast<decltype(&live)>(user);
    --count->blocks;
    count->bytes -= bytes;
    std::free(memory);
  };
  onnxc_context *context;
  ASSERT_EQ(onnxc_create(&model, &options, &context), ONNXC_OK);
  int32_t zeros[1000] = {};
  int64_t n = 1000;
  onnxc_tensor in = onnxc_tensor_over(zeros, ONNXC_INT32, 1, &n);
  onnxc_tensor out = onnxc_output_buffer(nullptr, 0);
  ASSERT_EQ(onnxc_run(context, &in, 1, &out, 1), ONNXC_OK);
  in.data = out.data;
  ASSERT_EQ(onnxc_run(context, &in, 1, &out, 1), ONNXC_OK);
  EXPECT_GE(live.blocks, 3);
  onnxc_destroy(context);
  EXPECT_EQ(live.blocks, 0);
  EXPECT_EQ(live.bytes, 0u);
}

TEST(Create, RefusesOtherProcessors) {
  onnxc_model model = makeModel();
  const char *const features[] = {"an-instruction-set-to-come", nullptr};
  model.cpu_features = features;
  char message[100] = "";
  onnxc_options options = {};
  options.message = message;
  options.message_size = sizeof message;
  onnxc_context *context = nullptr;
  EXPECT_EQ(onnxc_create(&model, &options, &context), ONNXC_UNSUPPORTED_CPU);
  EXPECT_EQ(context, nullptr);
  EXPECT_STREQ(message, "this processor lacks 'an-instruction-set-to-come', "
                        "which the model was compiled for");
  // A short buffer takes what fits.
  options.message_size = 5;
  EXPECT_EQ(onnxc_create(&model, &options, &context), ONNXC_UNSUPPORTED_CPU);
  EXPECT_STREQ(message, "this");
}

TEST(Create, RefusesOtherVersions) {
  onnxc_model model = makeModel();
  model.abi_version = ONNXC_ABI_VERSION + 1;
  onnxc_context *context;
  EXPECT_EQ(onnxc_create(&model, nullptr, &context), ONNXC_ABI_MISMATCH);
}

TEST(Create, ReportsMissingMemory) {
  onnxc_model model = makeModel();
  model.workspace_bytes = UINT64_MAX - 10;
  onnxc_context *context;
  EXPECT_EQ(onnxc_create(&model, nullptr, &context), ONNXC_OUT_OF_MEMORY);
}

#if defined(__x86_64__)
TEST(Cpu, AgreesWithTheCompilersLibrary) {
  struct {
    const char *name;
    bool has;
  } features[] = {{"sse3", !!__builtin_cpu_supports("sse3")},
                  {"sse4.2", !!__builtin_cpu_supports("sse4.2")},
                  {"avx", !!__builtin_cpu_supports("avx")},
                  {"avx2", !!__builtin_cpu_supports("avx2")},
                  {"fma", !!__builtin_cpu_supports("fma")},
                  {"bmi2", !!__builtin_cpu_supports("bmi2")},
                  {"avx512f", !!__builtin_cpu_supports("avx512f")},
                  {"avx512vnni", !!__builtin_cpu_supports("avx512vnni")},
                  {"avx512bf16", !!__builtin_cpu_supports("avx512bf16")}};
  for (auto &feature : features) {
    const char *const list[] = {feature.name, nullptr};
    EXPECT_EQ(onnxc_rt_missing_feature(list) == nullptr, feature.has)
        << feature.name;
  }
  EXPECT_EQ(onnxc_rt_missing_feature(nullptr), nullptr);
}
#endif

TEST(Text, ShapesAreCutWhereTheBufferEnds) {
  const int64_t dims[] = {1, -1, 1000000000000, -1};
  const char *const names[] = {"", "batch", "", ""};
  char text[64];
  onnxc_rt_shape_text(text, sizeof text, ONNXC_FLOAT16, 4, dims, names);
  EXPECT_STREQ(text, "float16 [1, batch, 1000000000000, ?]");
  for (size_t size = 1; size < 40; ++size) {
    std::memset(text, '#', sizeof text);
    onnxc_rt_shape_text(text, size, ONNXC_FLOAT16, 4, dims, names);
    EXPECT_LT(std::strlen(text), size);
    EXPECT_EQ(text[size], '#');
  }
}

TEST(Text, EveryTypeHasANameAndASize) {
  for (int dtype = ONNXC_FLOAT; dtype <= ONNXC_FLOAT6E3M2; ++dtype) {
    EXPECT_STRNE(onnxc_dtype_name(dtype), "unknown");
    EXPECT_GT(onnxc_dtype_size(dtype), 0u);
  }
  EXPECT_EQ(onnxc_dtype_size(ONNXC_FLOAT6E3M2 + 1), 0u);
  EXPECT_STREQ(onnxc_dtype_name(-1), "unknown");
  for (int status = ONNXC_OK; status <= ONNXC_ABI_MISMATCH; ++status)
    EXPECT_STRNE(onnxc_status_text(status), "unknown status");
}

} // namespace
