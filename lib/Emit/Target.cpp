//===- Target.cpp - LLVM's code generator for a module --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target.h"

#include "onnxc/Target/Target.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace mlir;

namespace onnxc {

/// The features that LLVM may use and the runtime can check.
static std::vector<CheckableFeature>
findCheckedFeatures(const llvm::TargetMachine &machine) {
  llvm::StringSet<> enabled;
  const llvm::MCSubtargetInfo &subtarget = *machine.getMCSubtargetInfo();
  for (const llvm::SubtargetFeatureKV &feature :
       subtarget.getEnabledProcessorFeatures())
    enabled.insert(feature.Key);
  std::vector<CheckableFeature> checked;
  for (const CheckableFeature &row :
       getCheckableFeatures(machine.getTargetTriple()))
    if (enabled.contains(row.name))
      checked.push_back(row);
  return checked;
}

FailureOr<EmitTarget> EmitTarget::create(ModuleOp module,
                                         const EmitOptions &options) {
  auto target = module->getAttrOfType<TargetAttr>(TargetAttr::attrName);
  if (!target)
    return module.emitError() << "the module has no " << TargetAttr::attrName
                              << ", expected that onnxc-set-target was run";
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion =
      options.optLevel == 0 ? llvm::FPOpFusion::Strict : llvm::FPOpFusion::Fast;
  targetOptions.FunctionSections = true;
  auto level = options.optLevel >= 3 ? llvm::CodeGenOptLevel::Aggressive
                                     : llvm::CodeGenOptLevel::Default;
  EmitTarget result;
  result.machine = createTargetMachine(target, targetOptions, level);
  if (!result.machine)
    return module.emitError()
           << "LLVM has no code generator for " << target.getTriple();
  result.checkedFeatures = findCheckedFeatures(*result.machine);
  return result;
}

} // namespace onnxc
