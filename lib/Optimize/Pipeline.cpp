//===- Pipeline.cpp - The optimize stage ----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Optimize/Pipeline.h"

#include "onnxc/Optimize/Drivers.h"
#include "onnxc/Optimize/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace onnxc;

/// Rewrites whose result takes longer than what they replace, as it is lowered
/// today, or that the infer stage would undo.
static const char *const slower[] = {"fuse_rope", "share_functions"};

/// What the rewrites of a compile may do.
static RewriteOptions getRewriteOptions(const OptimizeOptions &options) {
  RewriteOptions anyOpset;
  anyOpset.keepOpset = false;
  anyOpset.foldBudget = options.foldBudget;
  return anyOpset;
}

std::string onnxc::findInvalidRewrite(ModuleOp module,
                                      const OptimizeOptions &options) {
  RewriteOptions rewrites = getRewriteOptions(options);
  rewrites.disabled.assign(std::begin(slower), std::end(slower));
  return findInvalidRewrite(module, rewrites);
}

void onnxc::buildOptimizePipeline(
    OpPassManager &pm, const OptimizeOptions &options,
    llvm::function_ref<void(OpPassManager &)> addInference) {
  OptimizeRewritesOptions named;
  // No work for a kernel.
  if (!options.rewrites)
    named.passes.assign({"eliminate_inference_dropout"});
  else
    named.disabled.assign(std::begin(slower), std::end(slower));
  std::unique_ptr<Pass> rewrites = createOptimizeRewrites(named);
  // Passes.td: its class is RewritePass.
  static_cast<RewritePass &>(*rewrites).setOptions(getRewriteOptions(options));
  pm.addPass(std::move(rewrites));
  if (options.rewrites && addInference)
    addInference(pm);
  // Rewrites may know less of a type than what they replace did, which the
  // lowering would miss: only folders and what comes from upstream.
  SmallVector<std::string> ours;
  for (const RewriteInfo &info : getRewrites())
    ours.push_back(info.name);
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal().setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Normal);
  pm.addPass(createCanonicalizerPass(config, ours));
  pm.addPass(createCSEPass());
  pm.addPass(createSymbolDCEPass());
}
