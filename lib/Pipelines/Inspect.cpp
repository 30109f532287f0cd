//===- Inspect.cpp - What is in a model, from the file --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Inspect.h"

#include "onnxc/Import/Import.h"
#include "onnxc/Infer/Passes.h"
#include "onnxc/Infer/Pipeline.h"
#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace onnxc;

/// Runs the stages up to infer on a copy of the imported model, which becomes
/// what was inferred; null if they fail, and the first error is `fault`.
static OwningOpRef<ModuleOp>
infer(ModuleOp imported, const StageOptions &options, std::string &fault) {
  ScopedDiagnosticHandler handler(
      imported.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            fault.empty())
          fault = StringRef(formatDiagnostic(diagnostic, getOnnxWording()))
                      .rtrim()
                      .str();
        return success();
      });
  Session session(*imported.getContext(), options);
  session.verify = false;
  session.setModule(imported.clone());
  if (succeeded(session.run(Stage::Upgrade, Stage::Infer)))
    return session.takeModule();
  if (fault.empty())
    fault = "shapes cannot be inferred";
  return nullptr;
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
  // A range leaves the size open.
  for (const std::string &dim : options.dims)
    if (!isSizeRange(dim))
      inputs.dims.push_back(dim);
  manager.addPass(createSpecializeInputs(inputs));
  return manager.run(*module);
}

FailureOr<InspectedModel> onnxc::inspectModel(const InspectRequest &request,
                                              MLIRContext &context) {
  ImportOptions options = request.limits;
  options.keepMissingData = true;
  Session session(context);
  if (failed(session.import({request.inputPath, request.bytes}, options)) ||
      failed(checkOverrides(session.getModule(), request.options)))
    return failure();
  InspectedModel model;
  model.imported = session.takeModule();
  model.summary = summarize(*model.imported);
  model.summary.path = request.inputPath;
  model.inferred = infer(*model.imported, request.options, model.summary.fault);
  if (model.inferred)
    addInferred(model.summary, *model.inferred);
  return model;
}
