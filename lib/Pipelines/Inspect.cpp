//===- Inspect.cpp - What is in a model, from the file --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Inspect.h"

#include "onnxc/Import/Import.h"
#include "onnxc/Infer/Passes.h"
#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace onnxc;

/// Runs the stages up to infer on `module`. The first error is `fault`.
static LogicalResult infer(ModuleOp module, const StageOptions &options,
                           std::string &fault) {
  MLIRContext *context = module.getContext();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && fault.empty())
      fault = StringRef(formatDiagnostic(diagnostic, getOnnxWording()))
                  .rtrim()
                  .str();
    return success();
  });
  if (failed(runPipelineText(module,
                             getStageText(Stage::Upgrade, options) + "," +
                                 getStageText(Stage::Infer, options),
                             /*verify=*/false))) {
    if (fault.empty())
      fault = "shapes cannot be inferred";
    return failure();
  }
  return success();
}

/// What the user says of the inputs must be possible, or it is an error.
static LogicalResult checkOverrides(ModuleOp imported,
                                    const StageOptions &options) {
  if (options.inputShapes.empty() && options.dims.empty())
    return success();
  OwningOpRef<ModuleOp> module(imported.clone());
  PassManager manager(module->getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(false);
  SpecializeInputsOptions inputs;
  llvm::append_range(inputs.shapes, options.inputShapes);
  llvm::append_range(inputs.dims, options.dims);
  manager.addPass(createSpecializeInputs(inputs));
  return manager.run(*module);
}

FailureOr<InspectedModel> onnxc::inspectModel(const InspectRequest &request,
                                              MLIRContext &context) {
  ImportOptions options = request.limits;
  options.keepMissingData = true;
  FailureOr<OwningOpRef<ModuleOp>> imported =
      request.bytes ? importModelBuffer(request.bytes, request.inputPath,
                                        &context, options)
                    : importModelFile(request.inputPath, &context, options);
  if (failed(imported) || failed(checkOverrides(**imported, request.options)))
    return failure();
  InspectedModel model;
  model.imported = std::move(*imported);
  model.summary = summarize(*model.imported);
  model.summary.path = request.inputPath;
  model.inferred = OwningOpRef<ModuleOp>(model.imported->clone());
  if (failed(infer(*model.inferred, request.options, model.summary.fault)))
    model.inferred = nullptr;
  else
    addInferred(model.summary, *model.inferred);
  return model;
}
