//===- FuseConsecutiveUnsqueezes.cpp - Two Unsqueezes are one -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSECONSECUTIVEUNSQUEEZES
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct JoinUnsqueezes : Rewriting<UnsqueezeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(UnsqueezeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().getDefiningOp<UnsqueezeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "reads no Unsqueeze");
    std::optional<SmallVector<int64_t>> first = getIntegers(inner.getAxes()),
                                        second = getIntegers(op.getAxes());
    if (!first || !second)
      return rewriter.notifyMatchFailure(op, "the axes are not constants");
    // Axes count in the result.
    std::optional<int64_t> rank = getRank(inner.getData());
    if (rank)
      rank = *rank + first->size();
    first = resolveAxes(*first, rank);
    if (rank)
      rank = *rank + second->size();
    second = resolveAxes(*second, rank);
    if (!first || !second)
      return rewriter.notifyMatchFailure(
          op, "axes count from the end, and the rank is not known");

    llvm::sort(*second);
    SmallVector<int64_t> axes = *second;
    for (int64_t axis : *first) {
      for (int64_t inserted : *second)
        axis += inserted <= axis;
      axes.push_back(axis);
    }
    llvm::sort(axes);
    Value operand =
        makeConstant(rewriter, op, makeIntegers(getContext(), axes), "axes");
    rewriter.modifyOpInPlace(op, [&] {
      op.getDataMutable().set(inner.getData());
      op.getAxesMutable().set(operand);
    });
    return success();
  }
};

struct FuseConsecutiveUnsqueezes
    : onnxc::impl::FuseConsecutiveUnsqueezesBase<FuseConsecutiveUnsqueezes> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<JoinUnsqueezes>(patterns.getContext(), options);
  }
};
} // namespace
