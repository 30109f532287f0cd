//===- LoopFacts.h - What is known of loops ------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_LOOPFACTS_H
#define ONNXC_LIB_OPTIMIZE_LOOPFACTS_H

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc::optimize {

/// How often the body runs, if that is settled beforehand.
std::optional<int64_t> getTripCount(LoopOp op);

/// How many elements it goes over; of rank and axes that contradict, and of
/// what is not known, nullopt.
std::optional<int64_t> getScanLength(ScanOp op);

/// Whether the body takes and yields as many values as the loop needs. Its rule
/// demands that, but not where a run may not come to it.
bool hasFittingBody(LoopOp op);
bool hasFittingBody(ScanOp op);

/// Whether the body runs at all, for certain.
bool runsForCertain(mlir::Operation *loop);

/// Adds what makes the bodies of loops smaller: what is the same in all
/// iterations goes before the loop, what is unused goes (LoopShrink.cpp).
void populateLoopPatterns(mlir::RewritePatternSet &patterns,
                          const RewriteOptions &options);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_LOOPFACTS_H
