//===- FoldScaleIntoWeights.cpp - Scales and shifts go into weights -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightFolding.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

#include <cmath>

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
          op,
          "the weights are not a constant, or what it reads has other uses");
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

/// Mul and Div by constants of a product to which a constant is added, and
/// which is then moved: the scale of queries and keys is in the projections.
template <typename Op> struct FoldThroughMovement : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value scaled = getVariable(op), value = scaled;
    Operation *producer = skipMovement(value);
    bool isMoved = value != scaled;
    auto add = dyn_cast_or_null<AddOp>(producer);
    if (add) {
      value = getVariable(add);
      producer = value && value.hasOneUse() ? value.getDefiningOp() : nullptr;
    }
    std::optional<Linear> linear = Linear::get(producer);
    if (!linear || (!isMoved && !add))
      return rewriter.notifyMatchFailure(
          op, "reads no product that something is done to");
    Channels channels = isMoved ? Channels{0, 1} : linear->getOutputChannels();
    std::optional<Affine> affine = getAffine(op, scaled, channels);
    if (!affine || !affine->hasScale())
      return rewriter.notifyMatchFailure(op, "no scale of all or of channels");
    std::optional<ElementsAttr> addend;
    if (add) {
      unsigned other = add.getA() == value ? 1 : 0;
      addend = scaleAddend(add->getOperand(other), *affine);
      if (!addend)
        return rewriter.notifyMatchFailure(op,
                                           "what is added cannot be scaled");
    }
    Type before = op->getResult(0).getType();
    if (!joinTypes(before, scaled.getType()) ||
        (isSeenByCalls(op->getResult(0)) && before != scaled.getType()))
      return rewriter.notifyMatchFailure(op, "types contradict");
    if (failed(linear->scaleInPlace(rewriter, *affine)))
      return failure();
    if (add) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(add);
      Value constant = makeConstant(rewriter, add, *addend, "bias");
      rewriter.modifyOpInPlace(
          add, [&] { add->setOperand(add.getA() == value ? 1 : 0, constant); });
    }
    return replaceRoot(rewriter, op, scaled);
  }

  /// What makes `value` before it is moved, all this for one use alone; then
  /// `value` is that.
  static Operation *skipMovement(Value &value) {
    while (value && value.hasOneUse()) {
      Operation *producer = value.getDefiningOp();
      if (!hasFact(producer, OpFact::Reshapes) &&
          !isa_and_present<TransposeOp, IdentityOp>(producer))
        return producer;
      value = producer->getOperand(0);
    }
    return nullptr;
  }

  /// One number scales any constant; several scale one of channels.
  static std::optional<ElementsAttr> scaleAddend(Value addend,
                                                 const Affine &affine) {
    std::optional<Elements> elements = Elements::get(getConstant(addend));
    if (!elements)
      return std::nullopt;
    if (affine.isUniform())
      return scaleElements(*elements, affine.scale[0]);
    auto count = static_cast<int64_t>(affine.scale.size());
    ArrayRef<int64_t> shape = elements->getType().getShape();
    if (elements->size() != count || shape.empty() || shape.back() != count)
      return std::nullopt;
    std::vector<double> numbers = elements->getNumbers();
    for (auto [number, scale] : llvm::zip_equal(numbers, affine.scale)) {
      number *= scale;
      if (!std::isfinite(static_cast<float>(number)))
        return std::nullopt;
    }
    return makeElements(elements->getType(), numbers);
  }
};

struct FoldScaleIntoWeights
    : onnxc::impl::FoldScaleIntoWeightsBase<FoldScaleIntoWeights> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<FoldIntoProducer<MulOp>, FoldIntoProducer<DivOp>,
                 FoldIntoProducer<SubOp>, FoldThroughMovement<MulOp>,
                 FoldThroughMovement<DivOp>, FoldIntoConsumer<ConvOp>,
                 FoldIntoConsumer<ConvTransposeOp>, FoldIntoConsumer<GemmOp>,
                 FoldIntoConsumer<MatMulOp>>(patterns.getContext(), options);
  }
};
} // namespace
