//===- PeakMemory.h - The most memory this process had -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_PEAKMEMORY_H
#define ONNXC_SUPPORT_PEAKMEMORY_H

#include <cstdint>

namespace onnxc {

/// The most bytes of memory that this process has had resident so far. Unlike
/// getrusage, which on Linux starts from what the process that started this one
/// had, it counts this program alone.
uint64_t getPeakMemory();

} // namespace onnxc

#endif // ONNXC_SUPPORT_PEAKMEMORY_H
