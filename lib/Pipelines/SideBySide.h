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

/// What a run of a level tells: the number of the level, the stage, the seconds
/// that it took, and the module.
using LevelObserver =
    std::function<void(size_t, Stage, double, mlir::ModuleOp)>;

/// Runs the stages from schedule to `last` of all sessions, each in a thread,
/// of which there are at most `maxThreads`. All have their weights in one blob:
/// the places are taken in the order of the sessions, so that what comes out is
/// what it would be one after the other. So is what is said: that of the levels
/// up to the first that fails. `observe` is called by one thread at a time.
llvm::LogicalResult runSideBySide(mlir::MLIRContext &context,
                                  llvm::MutableArrayRef<Session> sessions,
                                  Stage last, size_t maxThreads,
                                  const LevelObserver &observe);

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINES_SIDEBYSIDE_H
