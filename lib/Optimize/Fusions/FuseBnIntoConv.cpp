//===- FuseBnIntoConv.cpp - BatchNormalization goes into weights ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightFolding.h"

#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEBNINTOCONV
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct FoldIntoProducer : Rewriting<BatchNormalizationOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(BatchNormalizationOp op,
                                PatternRewriter &rewriter) const override {
    Operation *producer = op.getX().getDefiningOp();
    if (!producer || !producer->hasOneUse() ||
        (options.upstreamCompatible && !isa<ConvOp>(producer)))
      return rewriter.notifyMatchFailure(
          op, "reads no product, or one with other uses");
    std::optional<Linear> linear = Linear::get(producer);
    std::optional<Affine> affine = getAffine(op, options);
    if (!linear || !affine)
      return rewriter.notifyMatchFailure(op, "not all parameters are constant");
    // Its channels are dimension 1: those of the product, if it has its rank.
    auto [fromEnd, count] = linear->getOutputChannels();
    if (getRank(op.getX()) != fromEnd + 2 ||
        static_cast<int64_t>(affine->scale.size()) != count)
      return rewriter.notifyMatchFailure(op, "the product has other channels");
    return linear->foldAfter(rewriter, op, *affine, options);
  }
};

/// BatchNormalization in front of a product that pads nothing to it, or only
/// scales.
template <typename Op> struct FoldIntoConsumer : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto normalization =
        op->getOperand(0).template getDefiningOp<BatchNormalizationOp>();
    if (!normalization || !normalization.getY().hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "reads no BatchNormalization, or one with other uses");
    std::optional<Linear> linear = Linear::get(op);
    std::optional<Affine> affine = getAffine(normalization, this->options);
    if (!linear || !affine || linear->getInput() != normalization.getY())
      return rewriter.notifyMatchFailure(op, "not all parameters are constant");
    auto [fromEnd, count] = linear->getInputChannels();
    if (getRank(normalization.getX()) != fromEnd + 2 ||
        static_cast<int64_t>(affine->scale.size()) != count)
      return rewriter.notifyMatchFailure(op, "the product has other channels");
    return linear->foldBefore(rewriter, normalization.getX(), *affine,
                              this->options);
  }
};

struct FuseBnIntoConv : onnxc::impl::FuseBnIntoConvBase<FuseBnIntoConv> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<FoldIntoProducer>(patterns.getContext(), options);
    if (!options.upstreamCompatible)
      patterns.add<FoldIntoConsumer<ConvOp>, FoldIntoConsumer<ConvTransposeOp>,
                   FoldIntoConsumer<GemmOp>, FoldIntoConsumer<MatMulOp>>(
          patterns.getContext(), options);
  }
};
} // namespace
