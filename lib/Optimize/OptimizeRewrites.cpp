//===- OptimizeRewrites.cpp - Rewrites by onnx-optimizer's names ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Optimize/Drivers.h"
#include "onnxc/Optimize/Passes.h"

namespace onnxc {
#define GEN_PASS_DEF_OPTIMIZEREWRITES
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {
struct OptimizeRewrites : onnxc::impl::OptimizeRewritesBase<OptimizeRewrites> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<SmallVector<const RewriteInfo *>> rewrites = lookUp(passes),
                                                without = lookUp(disabled);
    if (failed(rewrites) || failed(without))
      return signalPassFailure();
    RewriteOptions options = getOptions();
    for (const RewriteInfo *info : *without)
      options.disabled.push_back(info->name);
    if (rewrites->empty())
      (void)runDefaultRewrites(getOperation(), options);
    else if (fixedPoint)
      (void)runRewritesToFixedPoint(getOperation(), *rewrites, options);
    else
      runRewrites(getOperation(), *rewrites, options);
  }

  /// The rewrites of these names; an error if one does not exist.
  FailureOr<SmallVector<const RewriteInfo *>>
  lookUp(ArrayRef<std::string> names) {
    SmallVector<const RewriteInfo *> found;
    for (const std::string &name : names) {
      found.push_back(lookupRewrite(name));
      if (found.back())
        continue;
      InFlightDiagnostic error = mlir::emitError(getOperation().getLoc())
                                 << "there is no rewrite '" << name << "'";
      if (StringRef similar = suggestRewrite(name); !similar.empty())
        error << "; did you mean '" << similar << "'?";
      return failure();
    }
    return found;
  }

  RewriteOptions getOptions() const {
    RewriteOptions options;
    options.noSignedZeros = noSignedZeros;
    options.noNaNs = noNaNs;
    options.noInfinities = noInfinities;
    options.assumeStrictlyMonotone = assumeStrictlyMonotone;
    options.upstreamCompatible = upstreamCompatible;
    options.keepOpset = keepOpset;
    options.foldBudget = foldBudget;
    options.unrollBudget = unrollBudget;
    return options;
  }
};
} // namespace
