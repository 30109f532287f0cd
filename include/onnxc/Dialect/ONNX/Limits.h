//===- Limits.h - What no model may exceed -------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_LIMITS_H
#define ONNXC_DIALECT_ONNX_LIMITS_H

#include <cstdint>

namespace onnxc {

/// The most dimensions of a tensor. Loops are as many: with thousands of them
/// the compiler's own data structures would be as deep.
constexpr int64_t maxTensorRank = 64;

/// Loops over a tensor without elements still run through the dimensions before
/// the empty one: not this often. Products of two such sizes do not overflow.
constexpr int64_t maxIdleIterations = int64_t(1) << 31;

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_LIMITS_H
