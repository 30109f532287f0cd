//===- Tensors.h - A context without a model, and tensors ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_UNIT_RUNTIME_TENSORS_H
#define ONNXC_TEST_UNIT_RUNTIME_TENSORS_H

#include "onnxc/Runtime/Context.h"
#include "onnxc/Runtime/Entry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

/// A context for functions that allocate. Memory is not zero when it is fresh.
class ContextTest : public ::testing::Test {
protected:
  ContextTest() {
    std::memset(&context, 0, sizeof context);
    context.options.allocate = [](void *, size_t bytes, size_t alignment) {
      void *memory = std::aligned_alloc(alignment, bytes);
      return memory ? std::memset(memory, 0x5a, bytes) : nullptr;
    };
    context.options.release = [](void *, void *memory, size_t) {
      std::free(memory);
    };
  }
  ~ContextTest() override { onnxc_rt_pool_destroy(&context); }

  /// The message of a failure, which is forgotten.
  std::string error() {
    std::string message = context.message;
    context.status = ONNXC_OK;
    context.message[0] = 0;
    return message;
  }

  onnxc_rt_context context;
};

/// A tensor over elements that it shares.
template <typename T>
onnxc_tensor tensorOf(int32_t dtype, std::vector<int64_t> dims,
                      std::vector<T> &elements) {
  return onnxc_tensor_over(elements.data(), dtype, int32_t(dims.size()),
                           dims.data());
}

inline int64_t handleOf(const onnxc_tensor &tensor) {
  return int64_t(reinterpret_cast<uintptr_t>(&tensor));
}
inline const onnxc_tensor &atHandle(int64_t handle) {
  return *reinterpret_cast<const onnxc_tensor *>(uintptr_t(handle));
}

#endif // ONNXC_TEST_UNIT_RUNTIME_TENSORS_H
