//===- Rewrites.h - The optimize stage, which must not fail --- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_PIPELINES_REWRITES_H
#define ONNXC_LIB_PIPELINES_REWRITES_H

#include "onnxc/Pipelines/Session.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassInstrumentation.h"

namespace onnxc {

/// Notes which pass failed first.
class FailureWatch : public mlir::PassInstrumentation {
public:
  explicit FailureWatch(std::string &pass) : pass(pass) {}
  void runAfterPassFailed(mlir::Pass *failed, mlir::Operation *) override;

private:
  std::string &pass;
};

/// Runs the optimize stage with its rewrites on `module`. `runStage` runs it
/// with the given options on the module, and gives the name of the pass that
/// failed; "" where none did but what they left does not verify. What the
/// stage says is passed on if it succeeds. If it fails, that is an error, or a
/// warning, and the stage is run without rewrites.
llvm::LogicalResult runRewritingStage(
    mlir::OwningOpRef<mlir::ModuleOp> &module, const StageOptions &options,
    RewriteFailure onFailure,
    llvm::function_ref<llvm::LogicalResult(const StageOptions &, std::string &)>
        runStage);

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINES_REWRITES_H
