//===- FusePadIntoConv.cpp - Convolutions pad with zeros themselves -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pads.h"
#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"
#include <cmath>

#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEPADINTOCONV
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Beside a zero that is there, an infinite weight makes NaN; beside one that
/// is not, nothing.
static bool hasOnlyFinite(Value weights) {
  std::optional<Elements> elements = Elements::get(getConstant(weights));
  if (!elements || !isa<FloatType>(elements->getElementType()))
    return true;
  for (int64_t i = 0, e = elements->isSplat() ? 1 : elements->size(); i < e;
       ++i)
    if (!std::isfinite(elements->getNumber(i)))
      return false;
  return true;
}

// What a convolution reads, with what weights, and what it takes for padding:
// zeros, or the zero point (null: 0) of the integers it reads.
static OpOperand &getInput(ConvOp op) { return op.getXMutable(); }
static Value getWeights(ConvOp op) { return op.getW(); }
static Value getZeroPoint(ConvOp) { return {}; }
static OpOperand &getInput(ConvIntegerOp op) { return op.getXMutable(); }
static Value getWeights(ConvIntegerOp op) { return op.getW(); }
static Value getZeroPoint(ConvIntegerOp op) { return op.getXZeroPoint(); }
static OpOperand &getInput(QLinearConvOp op) { return op.getXMutable(); }
static Value getWeights(QLinearConvOp op) { return op.getW(); }
static Value getZeroPoint(QLinearConvOp op) { return op.getXZeroPoint(); }

/// What SAME_* adds to an input of these sizes; nullopt if one is not known.
template <typename Op>
static std::optional<SmallVector<int64_t>> getSamePads(Op op, Value input,
                                                       int64_t spatialRank) {
  bool extraAtEnd = op.getAutoPad() == "SAME_UPPER";
  if (!extraAtEnd && op.getAutoPad() != "SAME_LOWER")
    return std::nullopt;
  SmallVector<int64_t> pads(2 * spatialRank, 0);
  for (int64_t i = 0; i < spatialRank; ++i) {
    std::optional<int64_t> size = getDim(input, i + 2),
                           kernel = getDim(getWeights(op), i + 2);
    auto entry = [&](std::optional<ArrayRef<int64_t>> list) {
      return list && i < static_cast<int64_t>(list->size()) ? (*list)[i] : 1;
    };
    int64_t stride = entry(op.getStrides()),
            dilation = entry(op.getDilations());
    if (!size || !kernel || *size < 1 || *kernel < 1 || stride < 1)
      return std::nullopt;
    int64_t windows = (*size - 1) / stride + 1;
    int64_t total = std::max<int64_t>(
        (windows - 1) * stride + (*kernel - 1) * dilation + 1 - *size, 0);
    pads[i] = extraAtEnd ? total / 2 : total - total / 2;
    pads[i + spatialRank] = total - pads[i];
  }
  return pads;
}

namespace {
template <typename Op> struct PadInConv : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto pad = getInput(op).get().template getDefiningOp<PadOp>();
    if (!pad || !pad->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "reads no Pad, or one with other uses");
    std::optional<SmallVector<int64_t>> added = getSpatialPads(pad);
    if (!added)
      return rewriter.notifyMatchFailure(
          op, "the Pad is not of constant sizes in spatial dims alone");
    if (!padsWithZeroPoint(pad, getZeroPoint(op)))
      return rewriter.notifyMatchFailure(op, "the Pad does not add zeros");
    int64_t spatialRank = added->size() / 2;
    std::optional<SmallVector<int64_t>> own =
        getExplicitPads(op.getPads(), op.getAutoPad(), spatialRank);
    if (!own)
      own = getSamePads(op, pad.getOutput(), spatialRank);
    std::optional<SmallVector<int64_t>> pads =
        own ? addPads(*own, *added) : std::nullopt;
    if (!pads)
      return rewriter.notifyMatchFailure(op, "its own pads are not known");
    if (!hasOnlyFinite(getWeights(op)))
      return rewriter.notifyMatchFailure(op, "not all weights are finite");
    rewriter.modifyOpInPlace(op, [&] {
      getInput(op).set(pad.getData());
      op.setPads(*pads);
      op.removeAutoPadAttr();
    });
    eraseIfUnused(rewriter, pad, this->options);
    return success();
  }

  static bool padsWithZeroPoint(PadOp pad, Value zeroPoint) {
    Value value = pad.getConstantValue();
    if (!zeroPoint)
      return !value || isAll(value, 0, /*anyZero=*/true);
    std::optional<int64_t> padding =
        value ? getInteger(value) : std::optional<int64_t>(0);
    return padding && padding == getInteger(zeroPoint);
  }
};

struct FusePadIntoConv : onnxc::impl::FusePadIntoConvBase<FusePadIntoConv> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<PadInConv<ConvOp>>(patterns.getContext(), options);
    if (!options.upstreamCompatible)
      patterns.add<PadInConv<ConvIntegerOp>, PadInConv<QLinearConvOp>>(
          patterns.getContext(), options);
  }
};
} // namespace
