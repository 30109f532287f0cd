//===- Pipeline.h - The upgrade stage ------------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_UPGRADE_PIPELINE_H
#define ONNXC_UPGRADE_PIPELINE_H

#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace onnxc {

struct UpgradeOptions : public mlir::PassPipelineOptions<UpgradeOptions> {
  Option<bool> keepUnknown{
      *this, "keep-unknown",
      llvm::cl::desc("Leave nodes of unknown operators as they are"),
      llvm::cl::init(false)};
  Option<std::string> lastLogits{
      *this, "last-logits",
      llvm::cl::desc("The output that is given for the last position alone")};
  ListOption<std::string> states{
      *this, "states",
      llvm::cl::desc("Outputs that are the next values of inputs, both kept by "
                     "the context: present=past, or auto")};
  Option<int64_t> stateCapacity{
      *this, "state-capacity",
      llvm::cl::desc("How long states may become; 0 for any length"),
      llvm::cl::init(0)};
  Option<bool> reversible{
      *this, "reversible",
      llvm::cl::desc("For a model that is written again: upgrade only nodes "
                     "whose old form can be made again"),
      llvm::cl::init(false)};
};

/// Afterwards every op is in its newest form, or there was an error. Types are
/// inferred on the way, from those that are declared: `forgetDeclared` adds the
/// passes that give up declarations that need not hold.
void buildUpgradePipeline(
    mlir::OpPassManager &pm, const UpgradeOptions &options,
    llvm::function_ref<void(mlir::OpPassManager &)> forgetDeclared);

} // namespace onnxc

#endif // ONNXC_UPGRADE_PIPELINE_H
