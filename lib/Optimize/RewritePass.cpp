//===- RewritePass.cpp - The base of all rewrites -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Optimize/RewritePass.h"

#include "FunctionMarks.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Optimize/Drivers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

using namespace mlir;
using namespace onnxc;

void RewritePass::populatePatterns(RewritePatternSet &,
                                   const RewriteOptions &) {}

int64_t RewritePass::rewriteModule(ModuleOp module,
                                   const RewriteOptions &options) {
  RewritePatternSet patterns(module.getContext());
  populatePatterns(patterns, options);
  return sweepPatterns(module, FrozenRewritePatternSet(std::move(patterns)));
}

void RewritePass::runOnOperation() {
  optimize::FunctionMarks marks(getOperation());
  if (rewriteModule(getOperation(), getOptions()) == 0)
    markAllAnalysesPreserved();
}

void RewritePass::getDependentDialects(DialectRegistry &registry) const {
  registry.insert<ONNXDialect, func::FuncDialect>();
}

RewriteOptions RewritePass::getOptions() const {
  RewriteOptions options;
  options.noSignedZeros = noSignedZeros;
  options.noNaNs = noNaNs;
  options.noInfinities = noInfinities;
  options.assumeStrictlyMonotone = assumeStrictlyMonotone;
  options.upstreamCompatible = upstreamCompatible;
  options.keepInterface = keepInterface;
  options.keepOpset = keepOpset;
  options.foldBudget = foldBudget;
  options.unrollBudget = unrollBudget;
  return options;
}

void RewritePass::setOptions(const RewriteOptions &options) {
  noSignedZeros = options.noSignedZeros;
  noNaNs = options.noNaNs;
  noInfinities = options.noInfinities;
  assumeStrictlyMonotone = options.assumeStrictlyMonotone;
  upstreamCompatible = options.upstreamCompatible;
  keepInterface = options.keepInterface;
  keepOpset = options.keepOpset;
  foldBudget = options.foldBudget;
  unrollBudget = options.unrollBudget;
}
