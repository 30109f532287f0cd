//===- Pipeline.cpp - The optimize stage -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Optimize/Pipeline.h"

#include "onnxc/Optimize/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace onnxc;

void onnxc::buildOptimizePipeline(OpPassManager &pm,
                                  const OptimizeOptions &options) {
  if (options.rewrites) {
    OptimizeRewritesOptions rewrites;
    rewrites.keepOpset = false;
    pm.addPass(createOptimizeRewrites(rewrites));
  }
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSymbolDCEPass());
}
