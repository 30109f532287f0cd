//===- FuseConsecutiveSqueezes.cpp - Two Squeezes are one -----------------===//
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
#define GEN_PASS_DEF_FUSECONSECUTIVESQUEEZES
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// The axes that a Squeeze removes, as they count in its input; those of all
/// dims of 1 where it names none. Nullopt if that takes a rank or dims that
/// are not known.
static std::optional<SmallVector<int64_t>>
getSqueezedAxes(SqueezeOp op, std::optional<int64_t> rank) {
  if (op.getAxes()) {
    std::optional<SmallVector<int64_t>> axes = getIntegers(op.getAxes());
    return axes ? resolveAxes(*axes, rank) : std::nullopt;
  }
  RankedTensorType type = getStaticType(op.getData());
  if (!type)
    return std::nullopt;
  SmallVector<int64_t> axes;
  for (auto [axis, dim] : llvm::enumerate(type.getShape()))
    if (dim == 1)
      axes.push_back(axis);
  return axes;
}

namespace {
struct JoinSqueezes : Rewriting<SqueezeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SqueezeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().getDefiningOp<SqueezeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "reads no Squeeze");
    if (options.upstreamCompatible &&
        (!hasPlainAxes(inner) || !hasPlainAxes(op)))
      return rewriter.notifyMatchFailure(op, "an axis is absent or negative");
    std::optional<int64_t> rank = getRank(inner.getData()), middleRank;
    std::optional<SmallVector<int64_t>> first = getSqueezedAxes(inner, rank);
    if (!first)
      return rewriter.notifyMatchFailure(op, "the inner axes are not known");
    if (rank)
      middleRank = *rank - static_cast<int64_t>(first->size());
    std::optional<SmallVector<int64_t>> second =
        getSqueezedAxes(op, middleRank);
    if (!second)
      return rewriter.notifyMatchFailure(op, "the outer axes are not known");

    // Axis j of what is left is the j-th of those that are not removed.
    llvm::sort(*first);
    SmallVector<int64_t> axes = *first;
    for (int64_t axis : *second) {
      for (int64_t removed : *first)
        axis += removed <= axis;
      axes.push_back(axis);
    }
    llvm::sort(axes);
    Value operand =
        makeConstant(rewriter, op, makeIntegers(getContext(), axes), "axes");
    rewriter.modifyOpInPlace(op, [&] {
      op.getDataMutable().set(inner.getData());
      op.getAxesMutable().assign(operand);
    });
    eraseIfUnused(rewriter, inner, options);
    return success();
  }

  static bool hasPlainAxes(SqueezeOp op) {
    std::optional<SmallVector<int64_t>> axes = getIntegers(op.getAxes());
    return axes && llvm::all_of(*axes, [](int64_t axis) { return axis >= 0; });
  }
};

struct FuseConsecutiveSqueezes
    : onnxc::impl::FuseConsecutiveSqueezesBase<FuseConsecutiveSqueezes> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<JoinSqueezes>(patterns.getContext(), options);
  }
};
} // namespace
