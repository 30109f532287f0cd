//===- ParallelLoops.h - Which loops threads share ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_VECTORIZE_PARALLELLOOPS_H
#define ONNXC_LIB_SCHEDULE_VECTORIZE_PARALLELLOOPS_H

#include "Select/Schedule.h"

namespace onnxc {

/// A loop that threads share, in blocks of `block` steps: some tiles.
struct ParallelLoop {
  unsigned loop;
  int64_t block;
};

/// The outermost parallel loops of an op whose blocks are enough for a few
/// threads; none if the op is known to be too short, or has no such loops.
/// `extents` are the loops' sizes, dynamic where they are not known. Depends on
/// the op and its schedule only, never on how many threads there will be.
llvm::SmallVector<ParallelLoop>
chooseParallelLoops(mlir::linalg::LinalgOp op, const Schedule &schedule,
                    llvm::ArrayRef<int64_t> extents);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_VECTORIZE_PARALLELLOOPS_H
