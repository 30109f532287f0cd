//===- FoldScaleIntoWeights.cpp - Scales and shifts go into weights -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightFolding.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Optimize/Passes.h"

namespace onnxc {
#define GEN_PASS_DEF_FOLDSCALEINTOWEIGHTS
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// Mul, Div and `c -` of a product. What is added to one is the business of
/// fuse_add_bias_into_conv, fuse_matmul_add_bias_into_gemm, fuse_add_into_gemm.
template <typename Op> struct FoldIntoProducer : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value value = getVariable(op);
    if (!value || !value.hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "no operand is constant, or the other one has more uses");
    std::optional<Linear> linear = Linear::get(value.getDefiningOp());
    if (!linear)
      return rewriter.notifyMatchFailure(op, "reads no product of weights");
    std::optional<Affine> affine =
        getAffine(op, value, linear->getOutputChannels());
    if (!affine || !affine->hasScale())
      return rewriter.notifyMatchFailure(op, "no scale of channels");
    return linear->foldAfter(rewriter, op, *affine, this->options);
  }
};

template <typename Op> struct FoldIntoConsumer : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    std::optional<Linear> linear = Linear::get(op);
    if (!linear || !linear->getInput().hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "the weights are no constant, or what it reads has other uses");
    Operation *arithmetic = linear->getInput().getDefiningOp();
    Value value = getVariable(arithmetic);
    if (!value)
      return rewriter.notifyMatchFailure(op, "reads no arithmetic");
    std::optional<Affine> affine =
        getAffine(arithmetic, value, linear->getInputChannels());
    if (!affine)
      return rewriter.notifyMatchFailure(op, "no scale or shift of channels");
    return linear->foldBefore(rewriter, value, *affine, this->options);
  }
};

struct FoldScaleIntoWeights
    : onnxc::impl::FoldScaleIntoWeightsBase<FoldScaleIntoWeights> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<FoldIntoProducer<MulOp>, FoldIntoProducer<DivOp>,
                 FoldIntoProducer<SubOp>, FoldIntoConsumer<ConvOp>,
                 FoldIntoConsumer<ConvTransposeOp>, FoldIntoConsumer<GemmOp>,
                 FoldIntoConsumer<MatMulOp>>(patterns.getContext(), options);
  }
};
} // namespace
