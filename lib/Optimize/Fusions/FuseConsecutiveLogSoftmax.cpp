//===- FuseConsecutiveLogSoftmax.cpp - Log of Softmax is LogSoftmax -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSECONSECUTIVELOGSOFTMAX
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// Where Softmax underflows, this is finite, and the logarithm is minus
/// infinity: only of values that promise to be finite.
struct TakeLogSoftmax : Rewriting<LogOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(LogOp op,
                                PatternRewriter &rewriter) const override {
    if (!options.noInfinities && !options.upstreamCompatible)
      return rewriter.notifyMatchFailure(
          op, "the logarithm of what underflows is infinite");
    auto softmax = op.getInput().getDefiningOp<SoftmaxOp>();
    if (!softmax || !softmax->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "reads no Softmax, or one with other uses");
    Type type =
        joinTypes(op.getOutput().getType(), softmax.getOutput().getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "types contradict");
    // Onnx-optimizer makes it before the Softmax, which it leaves.
    if (options.upstreamCompatible)
      rewriter.setInsertionPoint(softmax);
    auto fused =
        LogSoftmaxOp::create(rewriter, fuseLocations(softmax, op), type,
                             softmax.getInput(), softmax.getAxisAttr());
    return replaceRoot(rewriter, op, fused.getOutput());
  }
};

struct FuseConsecutiveLogSoftmax
    : onnxc::impl::FuseConsecutiveLogSoftmaxBase<FuseConsecutiveLogSoftmax> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<TakeLogSoftmax>(patterns.getContext(), options);
  }
};
} // namespace
