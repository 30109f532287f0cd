//===- Pipeline.cpp - The upgrade stage -----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Upgrade/Pipeline.h"

#include "onnxc/Upgrade/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace onnxc;

void onnxc::buildUpgradePipeline(
    OpPassManager &pm, const UpgradeOptions &options,
    llvm::function_ref<void(OpPassManager &)> forgetDeclared) {
  if (options.reversible) {
    forgetDeclared(pm);
    return pm.addPass(createUpgradeReversibly());
  }
  // First: what is a constant where nothing is overridden decides how nodes are
  // upgraded there. A model with unknown operators is never run.
  if (!options.keepUnknown) {
    if (!options.lastLogits.empty()) {
      KeepLastPositionOptions last;
      last.output = options.lastLogits;
      pm.addPass(createKeepLastPosition(last));
    }
    PairStatesOptions states;
    llvm::append_range(states.pairs, options.states);
    states.capacity = options.stateCapacity;
    if (!states.pairs.empty())
      pm.addPass(createPairStates(states));
    pm.addPass(createSeparateDefaults());
  }
  forgetDeclared(pm);
  UpgradeNodesOptions upgrade;
  upgrade.keepUnknown = options.keepUnknown;
  pm.addPass(createUpgradeNodes(upgrade));
}
