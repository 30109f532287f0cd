//===- Arena.h - Offsets by liveness -------------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_BUFFERIZE_ARENA_H
#define ONNXC_LIB_BUFFERIZE_ARENA_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace onnxc {

/// A piece of memory that is needed from time `begin` to time `end`, both
/// included.
struct Lifetime {
  uint64_t bytes = 0;
  unsigned begin = 0, end = 0;
  uint64_t offset = 0; // result
};

struct ArenaSize {
  uint64_t bytes = 0;
  /// The most bytes that are live at one time: no arena can be smaller.
  uint64_t lowerBound = 0;
};

/// Assigns aligned offsets such that pieces with overlapping lifetimes do not
/// overlap in memory: largest first, each into the tightest gap that the
/// pieces placed before it leave. Deterministic.
ArenaSize assignOffsets(llvm::MutableArrayRef<Lifetime> pieces,
                        uint64_t alignment);

} // namespace onnxc

#endif // ONNXC_LIB_BUFFERIZE_ARENA_H
