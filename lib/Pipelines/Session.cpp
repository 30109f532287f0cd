//===- Session.cpp - A model on its way through the stages ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Session.h"

#include "Rewrites.h"

#include "onnxc/Import/Import.h"
#include "onnxc/Target/Target.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace onnxc;

LogicalResult Session::import(const ModelSource &source,
                              const ImportOptions &limits) {
  FailureOr<OwningOpRef<ModuleOp>> imported =
      importModel(source, &context, limits);
  if (failed(imported))
    return failure();
  module = std::move(*imported);
  return success();
}

/// Tools that take no pipeline as text need not have registered them.
static void ensureRegistered() {
  [[maybe_unused]] static const bool isRegistered = [] {
    if (!PassPipelineInfo::lookup(getStageInfo(Stage::Lower).pipeline))
      registerPipelines();
    return true;
  }();
}

LogicalResult Session::run(Stage first, Stage last) {
  ensureRegistered();
  if (last >= Stage::Schedule && failed(setTarget(*module, options.target)))
    return failure();
  for (const StageInfo &info : getStages()) {
    if (info.pipeline.empty() || info.stage < first || info.stage > last)
      continue;
    auto work = [&] { return runStage(info.stage); };
    if (failed(around ? around(info.stage, work) : work()))
      return failure();
  }
  return success();
}

LogicalResult Session::runStage(Stage stage) {
  if (stage == Stage::Optimize && options.rewrites && options.optLevel > 0)
    return runRewritingStage();
  if (!configure)
    return runPipeline(stage, options, nullptr);
  return runPipeline(stage, options, configure);
}

LogicalResult
Session::runPipeline(Stage stage, const StageOptions &options,
                     function_ref<LogicalResult(PassManager &)> configure) {
  return runPipelineText(*module, getStageText(stage, options), verify,
                         configure);
}

LogicalResult Session::runRewritingStage() {
  return onnxc::runRewritingStage(
      module, options, rewriteFailure,
      [&](const StageOptions &options, std::string &failedPass) {
        return runPipeline(Stage::Optimize, options, [&](PassManager &manager) {
          manager.addInstrumentation(
              std::make_unique<FailureWatch>(failedPass));
          return configure ? configure(manager) : success();
        });
      });
}
