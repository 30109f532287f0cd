//===- FusePadIntoPool.cpp - Pools pad themselves -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pads.h"
#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Pooling.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

#include <limits>

namespace onnxc {
#define GEN_PASS_DEF_FUSEPADINTOPOOL
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// How far back to look for why a value cannot be negative.
static constexpr int maxDepth = 8;

/// Whether no element is below zero (NaN is not).
static bool isNeverNegative(Value value, int depth = maxDepth) {
  auto integer = dyn_cast_or_null<IntegerType>(getElementType(value));
  if (integer)
    return integer.isUnsigned();
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (hasFact(op, OpFact::MovesElements))
    return isNeverNegative(op->getOperand(0), depth - 1);
  if (hasFact(op, OpFact::NeverNegative))
    return true;
  if (auto clip = dyn_cast<ClipOp>(op)) {
    std::optional<double> least = getNumber(clip.getMin());
    std::optional<double> most = getNumber(clip.getMax());
    // Where the bounds cross, the upper one holds.
    return least && *least >= 0 && (!clip.getMax() || (most && *most >= 0));
  }
  if (!hasFact(op, OpFact::KeepsNonNegative))
    return false;
  // Where several are asked, less far back, so that it does not double each
  // time.
  int further = op->getNumOperands() == 1 ? depth - 1 : depth / 3;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isNeverNegative(operand, further);
  });
}

/// Whether the Pad adds what nothing is less than.
static bool addsLeast(PadOp pad) {
  Type element = getElementType(pad.getData());
  Value value = pad.getConstantValue();
  if (isa_and_present<FloatType>(element))
    return value && isAll(value, -std::numeric_limits<double>::infinity());
  auto integer = dyn_cast_or_null<IntegerType>(element);
  if (!integer || integer.getWidth() > 32)
    return false;
  if (integer.isUnsigned())
    return !value || isAll(value, 0);
  return value && isAll(value, -static_cast<double>(
                                   uint64_t(1) << (integer.getWidth() - 1)));
}

static bool addsZeros(PadOp pad) {
  return !pad.getConstantValue() ||
         isAll(pad.getConstantValue(), 0, /*anyZero=*/true);
}

namespace {
/// What all pools share. The sums of windows or their greatest elements must
/// be the same with the padding that the pool does.
template <typename Op> struct PadInPool : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getX().template getDefiningOp<PadOp>();
    if (!pad || !pad->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "reads no Pad, or one with other uses");
    std::optional<SmallVector<int64_t>> added = getSpatialPads(pad);
    if (!added)
      return rewriter.notifyMatchFailure(
          op, "the Pad is not of constant sizes in spatial dims alone");
    size_t spatialRank = added->size() / 2;
    std::optional<SmallVector<int64_t>> own =
        getExplicitPads(op.getPads(), op.getAutoPad(), spatialRank);
    std::optional<SmallVector<int64_t>> pads =
        own ? addPads(*own, *added) : std::nullopt;
    if (!pads)
      return rewriter.notifyMatchFailure(op, "its own pads are not known");
    if (op.getCeilMode() != 0)
      return rewriter.notifyMatchFailure(
          op, "windows that begin in the padding of ceil_mode would go");
    if (!staysInWindows(op, *pads))
      return rewriter.notifyMatchFailure(op, "windows may lie in padding only");
    bool ownZero =
        llvm::all_of(*own, [](int64_t amount) { return amount == 0; });
    if (!padsAlike(op, pad, ownZero))
      return rewriter.notifyMatchFailure(op, "the pool pads with other values");
    rewriter.modifyOpInPlace(op, [&] {
      op.getXMutable().set(pad.getData());
      op.setPads(*pads);
      op.removeAutoPadAttr();
      countPadding(op);
    });
    eraseIfUnused(rewriter, pad, this->options);
    return success();
  }

  /// No window lies in padding only, and runtimes take such pads.
  static bool staysInWindows(Op op, ArrayRef<int64_t> pads) {
    ArrayRef<int64_t> kernel = op.getKernelShape();
    if (pads.size() != 2 * kernel.size())
      return false;
    for (auto [i, amount] : llvm::enumerate(pads))
      if (amount >= kernel[i % kernel.size()])
        return false;
    return true;
  }

  bool padsAlike(Op op, PadOp pad, bool ownZero) const;
  static void countPadding(Op) {}
};
} // namespace

/// The divisor counts what the Pad adds: so must the pool.
template <>
bool PadInPool<AveragePoolOp>::padsAlike(AveragePoolOp op, PadOp pad,
                                         bool ownZero) const {
  return addsZeros(pad) && (ownZero || op.getCountIncludePad()) &&
         isAvailable(/*since=*/7, op, options);
}
template <> void PadInPool<AveragePoolOp>::countPadding(AveragePoolOp op) {
  if (!op.getCountIncludePad())
    op.setCountIncludePad(1);
}

template <>
bool PadInPool<LpPoolOp>::padsAlike(LpPoolOp, PadOp pad, bool) const {
  return addsZeros(pad);
}

/// MaxPool pads with what nothing is less than. Where no element is negative
/// zeros cannot win either, provided that each window has an element.
template <>
bool PadInPool<MaxPoolOp>::padsAlike(MaxPoolOp op, PadOp pad, bool) const {
  if (op.getIndices() && !op.getIndices().use_empty())
    return false;
  if (addsLeast(pad))
    return true;
  if (!addsZeros(pad) || !isNeverNegative(pad.getData()))
    return false;
  bool isDilated =
      op.getDilations() &&
      llvm::any_of(*op.getDilations(), [](int64_t d) { return d != 1; });
  std::optional<ArrayRef<int64_t>> shape = getShape(pad.getData());
  return !isDilated && shape && shape->size() > 2 &&
         llvm::all_of(shape->drop_front(2),
                      [](int64_t dim) { return dim > 0; });
}

namespace {
struct FusePadIntoPool : onnxc::impl::FusePadIntoPoolBase<FusePadIntoPool> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<PadInPool<AveragePoolOp>, PadInPool<MaxPoolOp>>(
        patterns.getContext(), options);
    if (!options.upstreamCompatible)
      patterns.add<PadInPool<LpPoolOp>>(patterns.getContext(), options);
  }
};
} // namespace
