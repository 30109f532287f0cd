//===- Export.cpp - A module as a model -----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Export.h"

#include "onnxc/ConvertOpset/Passes.h"
#include "onnxc/Infer/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace onnxc;

void onnxc::buildDowngrade(OpPassManager &pm, const ExportOptions &options) {
  DowngradeNodesOptions forms;
  forms.raiseOpset = options.raiseOpset;
  pm.addPass(createDowngradeNodes(forms));
}

static LogicalResult downgrade(ModuleOp module, const ExportOptions &options) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  // A function is called with values whose types are known better than those of
  // its own arguments, which func.call does not allow.
  manager.enableVerifier(false);
  buildDowngrade(manager, options);
  return manager.run(module);
}

LogicalResult onnxc::exportModel(ModuleOp module, StringRef path,
                                 const ExportOptions &options) {
  if (failed(downgrade(module, options)))
    return failure();
  return exportModelFile(module, path, options);
}

LogicalResult onnxc::exportModel(ModuleOp module, std::string &bytes,
                                 const ExportOptions &options) {
  if (failed(downgrade(module, options)))
    return failure();
  return exportModelBytes(module, bytes, options);
}

void onnxc::buildConversion(OpPassManager &pm, ArrayRef<std::string> opsets) {
  if (opsets.empty())
    return;
  SetOpsetOptions set;
  llvm::append_range(set.opsets, opsets);
  pm.addPass(createSetOpset(set));
  pm.addPass(createConvertNodes());
  InferShapesOptions infer;
  infer.lenient = true;
  pm.addPass(createInferShapes(infer));
  DowngradeNodesOptions down;
  down.convert = true;
  pm.addPass(createDowngradeNodes(down));
}

LogicalResult onnxc::convertOpsets(ModuleOp module,
                                   ArrayRef<std::string> opsets) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  // As in `downgrade`.
  manager.enableVerifier(false);
  buildConversion(manager, opsets);
  return manager.run(module);
}

std::string onnxc::getConversionText(ArrayRef<std::string> opsets) {
  OpPassManager pm(ModuleOp::getOperationName());
  buildConversion(pm, opsets);
  buildDowngrade(pm, ExportOptions());
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  return text;
}
