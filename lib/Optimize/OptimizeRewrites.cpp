//===- OptimizeRewrites.cpp - Rewrites by onnx-optimizer's names ----------===//
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

  int64_t rewriteModule(ModuleOp module, const RewriteOptions &given) override {
    FailureOr<SmallVector<const RewriteInfo *>> rewrites = lookUp(passes),
                                                without = lookUp(disabled);
    if (failed(rewrites) || failed(without)) {
      signalPassFailure();
      return 0;
    }
    RewriteOptions options = given;
    for (const RewriteInfo *info : *without)
      options.disabled.push_back(info->name);
    int64_t changes = 0;
    auto count = [&](StringRef name, int64_t mine) {
      changes += mine;
      if (observer)
        observer(name, mine);
    };
    if (rewrites->empty())
      (void)runDefaultRewrites(module, options, count);
    else if (fixedPoint)
      (void)runRewritesToFixedPoint(module, *rewrites, options, count);
    else
      runRewrites(module, *rewrites, options, count);
    return changes;
  }

private:
  /// The rewrites of these names; an error if one does not exist.
  FailureOr<SmallVector<const RewriteInfo *>>
  lookUp(ArrayRef<std::string> names) {
    SmallVector<const RewriteInfo *> found;
    for (const std::string &name : names) {
      if (std::string wrong = checkRewriteName(name); !wrong.empty()) {
        mlir::emitError(getOperation().getLoc()) << wrong;
        return failure();
      }
      found.push_back(lookupRewrite(name));
    }
    return found;
  }
};
} // namespace
