//===- DotOrder.h - Dot products that share sums of 16 bits -----*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_DOTORDER_H
#define ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_DOTORDER_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"

namespace onnxc {

/// What `order` of kernel.integer_dot says of a packed filter.
class DotOrder {
public:
  /// Of bytes [panels, dot products, width, 4].
  DotOrder(llvm::ArrayRef<char> packed, int64_t panels, int64_t width);

  /// Whether it takes no more than so many instructions for a dot product.
  bool takesAtMost(double each) const {
    return !numbers.empty() && 0.25 * instructions <= each * numDots;
  }

  llvm::SmallVector<uint16_t> numbers; // empty if 16 bits do not hold them

private:
  void orderPanel(llvm::ArrayRef<char> panel, int64_t dots, int64_t width);

  int64_t numDots = 0, instructions = 0; // in quarters
};

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_DOTORDER_H
