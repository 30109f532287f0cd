//===- CacheShares.h - What schedules give to whom of a cache ---*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_CACHESHARES_H
#define ONNXC_LIB_SCHEDULE_KERNELS_CACHESHARES_H

#include "onnxc/Dialect/Program/ProgramDialect.h"

namespace onnxc {

/// What is read again and again, and stays in the second level of the cache
/// while other things pass.
inline int64_t nearBytes(TargetAttr target) {
  return target.getSecondLevelCache() / 2;
}

/// What waits in the second level beside what is read again and again: sums,
/// scores, rows of a product.
inline int64_t waitingBytes(TargetAttr target) {
  return target.getSecondLevelCache() / 4;
}

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_CACHESHARES_H
