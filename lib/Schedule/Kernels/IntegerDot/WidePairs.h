//===- WidePairs.h - Pairs of weights whose sums need 32 bits - -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_WIDEPAIRS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_WIDEPAIRS_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"

namespace onnxc {

/// What `narrow_pairs` and `wide` of kernel.integer_dot say of a packed filter.
struct WidePairs {
  /// For each dot product of a panel: 0 where 255 times a sum of two weights
  /// fits in 16 bits, in all columns.
  llvm::SmallVector<char> wide;
  int64_t count = 0; // those that are not 0

  /// Whether instructions for sums of 16 bits pay.
  bool isWorthwhile() const;
};

/// Of bytes [panels and taps, width, 4].
WidePairs findWidePairs(llvm::ArrayRef<char> packed, int64_t width);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_WIDEPAIRS_H
