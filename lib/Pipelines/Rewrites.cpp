//===- Rewrites.cpp - The optimize stage, which must not fail -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"

#include "onnxc/Optimize/Pipeline.h"
#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Support/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace onnxc;

void FailureWatch::runAfterPassFailed(Pass *failed, Operation *) {
  if (pass.empty())
    pass = (failed->getArgument().empty() ? failed->getName()
                                          : failed->getArgument())
               .str();
}

namespace {
/// What a stage says, kept back.
class Collector : public ScopedDiagnosticHandler {
public:
  explicit Collector(MLIRContext *context) : ScopedDiagnosticHandler(context) {
    setHandler([this](Diagnostic &diagnostic) {
      hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
      diagnostics.push_back(std::move(diagnostic));
    });
  }

  /// The first error's words, with its node.
  std::string describeError() {
    for (Diagnostic &diagnostic : diagnostics)
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        return StringRef(formatDiagnostic(diagnostic, getOnnxWording()))
            .split('\n')
            .first.str();
    return "it gave no reason";
  }

  bool hasError = false;
  std::vector<Diagnostic> diagnostics;
};
} // namespace

static bool isError(RewriteFailure failure) {
  return failure == RewriteFailure::ByBuild ? ONNXC_DEVELOPER_BUILD
                                            : failure == RewriteFailure::Error;
}

static std::string findCulprit(ModuleOp before, const StageOptions &options) {
  OptimizeOptions optimize;
  optimize.foldBudget = options.foldBudget;
  OwningOpRef<ModuleOp> trial(before.clone());
  return findInvalidRewrite(*trial, optimize);
}

LogicalResult onnxc::runRewritingStage(
    OwningOpRef<ModuleOp> &module, const StageOptions &options,
    RewriteFailure onFailure,
    function_ref<LogicalResult(const StageOptions &, std::string &)> runStage) {
  MLIRContext *context = module->getContext();
  Location location = module->getLoc();
  OwningOpRef<ModuleOp> before(module->clone());
  std::vector<Diagnostic> diagnostics;
  std::string culprit, reason;
  bool isRight;
  {
    Collector collector(context);
    std::string pass;
    isRight = succeeded(runStage(options, pass)) && !collector.hasError;
    if (!isRight) {
      reason = collector.describeError();
      culprit = findCulprit(*before, options);
      culprit = !culprit.empty() ? "the rewrite '" + culprit + "'"
                : !pass.empty()  ? "the pass '" + pass + "'"
                                 : "a pass";
    }
    diagnostics = std::move(collector.diagnostics);
  }
  if (isRight || isError(onFailure))
    for (Diagnostic &diagnostic : diagnostics)
      context->getDiagEngine().emit(std::move(diagnostic));
  if (isRight)
    return success();
  if (isError(onFailure))
    return emitError(location)
           << culprit << " of the optimize stage failed, which is an error of "
           << "onnxc and not of the model";
  emitWarning(location) << culprit
                        << " of the optimize stage failed: " << reason
                        << "; the model is compiled without rewrites. This is "
                           "an error of onnxc";
  module = std::move(before);
  StageOptions plain = options;
  plain.rewrites = false;
  std::string ignored;
  return runStage(plain, ignored);
}
