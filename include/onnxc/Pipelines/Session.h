//===- Session.h - A model on its way through the stages ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compile, check, inspect, onnx-optimize and the evaluator of constants
// share: a model is read, and stages run on it in their order.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_SESSION_H
#define ONNXC_PIPELINES_SESSION_H

#include "onnxc/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace onnxc {

struct ImportOptions;
struct ModelSource;

/// What a failure of the rewrites is, which is one of onnxc and not of the
/// model.
enum class RewriteFailure {
  /// Of a build with ONNXC_ASSERTIONS an error, else a warning.
  ByBuild,
  Error,
  /// A warning; the model is compiled without them.
  Warning,
};

class Session {
public:
  explicit Session(mlir::MLIRContext &context, StageOptions options = {})
      : options(std::move(options)), context(context) {}

  /// Reads a model; it takes the place of the one there was.
  llvm::LogicalResult import(const ModelSource &source,
                             const ImportOptions &limits);
  /// Takes a module that was made elsewhere.
  void setModule(mlir::OwningOpRef<mlir::ModuleOp> given) {
    module = std::move(given);
  }
  /// Valid until the next stage: one that fails may be run again on a copy.
  mlir::ModuleOp getModule() { return *module; }
  mlir::OwningOpRef<mlir::ModuleOp> takeModule() { return std::move(module); }

  /// Runs the pipelines of the stages first..last, in their order, and ends at
  /// the first that fails. States the target where they need it.
  llvm::LogicalResult run(Stage first, Stage last);

  StageOptions options;
  RewriteFailure rewriteFailure = RewriteFailure::ByBuild;
  /// Whether the module must be valid after each stage.
  bool verify = true;
  /// Prepares the pass manager of each stage, if not null.
  std::function<llvm::LogicalResult(mlir::PassManager &)> configure;
  /// Called in place of each stage, which `work` runs, if not null.
  std::function<llvm::LogicalResult(
      Stage, llvm::function_ref<llvm::LogicalResult()> work)>
      around;

private:
  llvm::LogicalResult runStage(Stage stage);
  llvm::LogicalResult runPipeline(
      Stage stage, const StageOptions &options,
      llvm::function_ref<llvm::LogicalResult(mlir::PassManager &)> configure);
  llvm::LogicalResult runRewritingStage();

  mlir::MLIRContext &context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace onnxc

#endif // ONNXC_PIPELINES_SESSION_H
