//===- FuseAffineIntoBn.cpp - BatchNormalization scales and shifts, too ---===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightFolding.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Optimize/RewritePass.h"

#include <cmath>

namespace onnxc {
#define GEN_PASS_DEF_FUSEAFFINEINTOBN
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// Mul, Div, Add and Sub of each channel behind a BatchNormalization change its
/// scale and bias.
template <typename Op> struct FoldIntoNormalization : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value value = getVariable(op);
    auto normalization = value ? value.getDefiningOp<BatchNormalizationOp>()
                               : BatchNormalizationOp();
    if (!normalization || value != normalization.getY() || !value.hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "reads no BatchNormalization, or one with other uses");
    std::optional<Affine> own = getAffine(normalization, this->options);
    std::optional<int64_t> rank = getRank(value);
    if (!own || !rank || *rank < 2)
      return rewriter.notifyMatchFailure(
          op, "it trains, or not all of its parameters are constant");
    std::optional<Affine> affine =
        getAffine(op, value,
                  Channels{*rank - 2, static_cast<int64_t>(own->scale.size())});
    if (!affine)
      return rewriter.notifyMatchFailure(op, "not the same all over a channel");
    std::optional<ElementsAttr> scale =
        change(normalization.getScale(), *affine, /*isShifted=*/false);
    std::optional<ElementsAttr> bias =
        change(normalization.getB(), *affine, /*isShifted=*/true);
    if (!scale || !bias)
      return rewriter.notifyMatchFailure(op,
                                         "a parameter overflows or vanishes");

    Value newScale = makeConstant(rewriter, op, *scale, "scale"),
          newBias = makeConstant(rewriter, op, *bias, "bias");
    auto copy = cast<BatchNormalizationOp>(rewriter.clone(*normalization));
    copy->setLoc(fuseLocations(normalization, op));
    copy.getScaleMutable().set(newScale);
    copy.getBMutable().set(newBias);
    if (failed(replaceRoot(rewriter, op, copy.getY()))) {
      rewriter.eraseOp(copy);
      return failure();
    }
    return success();
  }

  static std::optional<ElementsAttr>
  change(Value parameter, const Affine &affine, bool isShifted) {
    std::optional<Elements> elements = Elements::get(getConstant(parameter));
    if (!elements)
      return std::nullopt;
    std::vector<double> numbers = elements->getNumbers();
    for (auto [channel, number] : llvm::enumerate(numbers)) {
      number *= affine.scaleOf(channel);
      if (isShifted)
        number += affine.shiftOf(channel);
    }
    std::optional<ElementsAttr> constant =
        makeElements(elements->getType(), numbers);
    std::optional<Elements> rounded =
        constant ? Elements::get(*constant) : std::nullopt;
    if (!rounded)
      return std::nullopt;
    for (auto [channel, number] : llvm::enumerate(numbers)) {
      double result = rounded->getNumber(channel);
      if (!std::isfinite(result) || (result == 0 && number != 0))
        return std::nullopt;
    }
    return constant;
  }
};

struct FuseAffineIntoBn : onnxc::impl::FuseAffineIntoBnBase<FuseAffineIntoBn> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<FoldIntoNormalization<MulOp>, FoldIntoNormalization<DivOp>,
                 FoldIntoNormalization<AddOp>, FoldIntoNormalization<SubOp>>(
        patterns.getContext(), options);
  }
};
} // namespace
