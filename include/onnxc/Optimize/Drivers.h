//===- Drivers.h - Running rewrites by name ------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_DRIVERS_H
#define ONNXC_OPTIMIZE_DRIVERS_H

#include "onnxc/Optimize/RewritePass.h"

namespace mlir {
class FrozenRewritePatternSet;
} // namespace mlir

namespace onnxc {

/// All rewrites: those of onnx-optimizer in the order of its registry, then the
/// others.
llvm::ArrayRef<RewriteInfo> getRewrites();

/// By its name ("fuse_bn_into_conv", dashes for underscores) or the pass's
/// argument; null if there is none.
const RewriteInfo *lookupRewrite(llvm::StringRef name);

/// What is wrong with a name, and which one is most like it; empty if it is a
/// rewrite's.
std::string checkRewriteName(llvm::StringRef name);

/// Adds the patterns of a rewrite of kind "predicate", labelled with its name.
void populateRewrite(const RewriteInfo &info, mlir::RewritePatternSet &patterns,
                     const RewriteOptions &options);

/// Called after each run of a rewrite (of a group of them, by the group's name)
/// with the number of changes.
using RewriteObserver =
    llvm::function_ref<void(llvm::StringRef name, int64_t changes)>;

/// Looks at each op once, in order, the graphs in an op before the op itself,
/// and applies the first pattern that matches. The number of matches.
int64_t sweepPatterns(mlir::ModuleOp module,
                      const mlir::FrozenRewritePatternSet &patterns);

/// Runs the rewrites once each, in this order. The number of changes.
int64_t runRewrites(mlir::ModuleOp module,
                    llvm::ArrayRef<const RewriteInfo *> rewrites,
                    const RewriteOptions &options,
                    RewriteObserver observer = {});

/// Runs them again and again until none changes anything. Fails, with a
/// warning, if there is no end of it.
llvm::LogicalResult runRewritesToFixedPoint(
    mlir::ModuleOp module, llvm::ArrayRef<const RewriteInfo *> rewrites,
    const RewriteOptions &options, RewriteObserver observer = {});

/// The default pipeline: every rewrite that is in a group.
llvm::LogicalResult runDefaultRewrites(mlir::ModuleOp module,
                                       const RewriteOptions &options,
                                       RewriteObserver observer = {});

/// Runs the default pipeline on `module` until a rewrite leaves an operation
/// that violates its rule, and gives the name of that; "" if none does. Slow:
/// all operations are verified after each change.
std::string findInvalidRewrite(mlir::ModuleOp module,
                               const RewriteOptions &options);
/// The same of these rewrites, each run once.
std::string findInvalidRewrite(mlir::ModuleOp module,
                               llvm::ArrayRef<const RewriteInfo *> rewrites,
                               const RewriteOptions &options);

} // namespace onnxc

#endif // ONNXC_OPTIMIZE_DRIVERS_H
