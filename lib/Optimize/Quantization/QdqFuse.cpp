//===- QdqFuse.cpp - Quantization that changes nothing --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizationParameters.h"
#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_QDQFUSE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// What is quantized as it was before.
struct QuantizeDequantized : Rewriting<QuantizeLinearOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(QuantizeLinearOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<DequantizeLinearOp>();
    std::optional<QuantizationParameters> outer = getParameters(op);
    if (!inner || !outer || getParameters(inner) != outer)
      return rewriter.notifyMatchFailure(op, "other parameters");
    return replaceRoot(rewriter, op, inner.getX());
  }
};

/// A Relu or Clip to what the quantized range holds, or more.
struct QuantizeClipped : Rewriting<QuantizeLinearOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(QuantizeLinearOp op,
                                PatternRewriter &rewriter) const override {
    Operation *inner = op.getX().getDefiningOp();
    if (!isa_and_present<ReluOp, ClipOp>(inner) || !op.getX().hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of what is clipped");
    std::optional<QuantizationParameters> parameters = getParameters(op);
    // Of other types the division rounds otherwise.
    if (!parameters || !parameters->real.isF32())
      return rewriter.notifyMatchFailure(op, "parameters are not known");
    std::optional<double> least, most;
    if (isa<ReluOp>(inner))
      least = 0;
    if (auto clip = dyn_cast<ClipOp>(inner)) {
      least = clip.getMin() ? getNumber(clip.getMin()) : std::nullopt;
      most = clip.getMax() ? getNumber(clip.getMax()) : std::nullopt;
      if ((clip.getMin() && !least) || (clip.getMax() && !most))
        return rewriter.notifyMatchFailure(op, "bounds are not known");
      if (least && most && !(*least <= *most))
        return rewriter.notifyMatchFailure(op, "the bounds contradict");
    }
    for (size_t i = 0; i < parameters->scales.size(); ++i)
      if ((least &&
           !(parameters->quantize(*least, i) <= parameters->getLeast())) ||
          (most && !(parameters->quantize(*most, i) >= parameters->getMost())))
        return rewriter.notifyMatchFailure(op, "it clips more");
    rewriter.modifyOpInPlace(
        op, [&] { op.getXMutable().assign(inner->getOperand(0)); });
    return success();
  }
};

/// Where the greatest is does not depend on the scale.
template <typename Op> struct IndexOfDequantized : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().template getDefiningOp<DequantizeLinearOp>();
    std::optional<QuantizationParameters> parameters =
        inner ? getParameters(inner) : std::nullopt;
    if (!parameters || !parameters->isPerTensor() ||
        parameters->integer.getWidth() != 8)
      return rewriter.notifyMatchFailure(op, "not of 8 bits with one scale");
    rewriter.modifyOpInPlace(op,
                             [&] { op.getDataMutable().assign(inner.getX()); });
    return success();
  }
};

struct QdqFuse : onnxc::impl::QdqFuseBase<QdqFuse> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<QuantizeDequantized, QuantizeClipped,
                 IndexOfDequantized<ArgMaxOp>, IndexOfDequantized<ArgMinOp>>(
        patterns.getContext(), options);
  }
};
} // namespace
