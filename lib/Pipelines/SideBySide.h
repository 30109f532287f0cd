//===- SideBySide.h - Stages of several levels at a time -------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages from schedule on, of a module for each level of processors: much
// of them is passes over one long function, which a single thread runs.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_PIPELINES_SIDEBYSIDE_H
#define ONNXC_LIB_PIPELINES_SIDEBYSIDE_H

#include "onnxc/Pipelines/Session.h"

#include <functional>

namespace onnxc {

/// Hears of the levels, from one thread at a time.
struct LevelObserver {
  /// The first of them begins the stage.
  std::function<void(Stage)> begins;
  /// The number of a level, a stage of it that is over, the seconds that it
  /// took, and the module.
  std::function<void(size_t, Stage, double, mlir::ModuleOp)> ends;
};

/// Runs the stages from schedule to `last` of all sessions, each in a thread,
/// of which there are at most `maxThreads`. All have their weights in one blob:
/// the places are taken in the order of the sessions, so that what comes out is
/// what it would be one after the other. So is what is said: that of the levels
/// up to the first that fails.
llvm::LogicalResult runSideBySide(mlir::MLIRContext &context,
                                  llvm::MutableArrayRef<Session> sessions,
                                  Stage last, size_t maxThreads,
                                  const LevelObserver &observe);

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINES_SIDEBYSIDE_H
