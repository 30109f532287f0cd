//===- FuseConsecutiveSqueezeUnsqueeze.cpp - What is inserted and removed -===//
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
#define GEN_PASS_DEF_FUSECONSECUTIVESQUEEZEUNSQUEEZE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// The axes of `part` as they count once those of `gone` are removed.
static SmallVector<int64_t> countWithout(ArrayRef<int64_t> part,
                                         ArrayRef<int64_t> gone) {
  SmallVector<int64_t> axes;
  for (int64_t axis : part)
    if (!llvm::is_contained(gone, axis))
      axes.push_back(axis - llvm::count_if(gone, [&](int64_t removed) {
                       return removed < axis;
                     }));
  llvm::sort(axes);
  return axes;
}

static bool isSubset(ArrayRef<int64_t> part, ArrayRef<int64_t> whole) {
  return llvm::all_of(
      part, [&](int64_t axis) { return llvm::is_contained(whole, axis); });
}

namespace {
struct InsertRemoved : Rewriting<UnsqueezeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(UnsqueezeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().getDefiningOp<SqueezeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "reads no Squeeze");
    std::optional<SmallVector<int64_t>> removed = getIntegers(inner.getAxes()),
                                        inserted = getIntegers(op.getAxes());
    if (!removed || !inserted || removed->size() != inserted->size())
      return rewriter.notifyMatchFailure(op, "axes differ or are not known");
    // What goes in and what comes out have the same rank.
    std::optional<int64_t> rank = getRank(inner.getData());
    removed = resolveAxes(*removed, rank);
    inserted = resolveAxes(*inserted, rank);
    if (!removed || !inserted || !isSubset(*removed, *inserted))
      return rewriter.notifyMatchFailure(op, "axes differ or are not known");
    return replaceRoot(rewriter, op, inner.getData());
  }
};

struct RemoveInserted : Rewriting<SqueezeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SqueezeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().getDefiningOp<UnsqueezeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "reads no Unsqueeze");
    std::optional<SmallVector<int64_t>> inserted = getIntegers(inner.getAxes()),
                                        removed = getIntegers(op.getAxes());
    if (!inserted || !removed)
      return rewriter.notifyMatchFailure(op, "the axes are not constants");
    // Both count where the dims are that are inserted and removed.
    std::optional<int64_t> rank = getRank(inner.getData());
    if (rank)
      rank = *rank + inserted->size();
    inserted = resolveAxes(*inserted, rank);
    removed = resolveAxes(*removed, rank);
    if (!inserted || !removed)
      return rewriter.notifyMatchFailure(op, "axes are not known");
    bool removesInserted = isSubset(*removed, *inserted),
         removesAllInserted = isSubset(*inserted, *removed);
    if (removesInserted && removesAllInserted)
      return replaceRoot(rewriter, op, inner.getData());
    if (options.upstreamCompatible || (!removesInserted && !removesAllInserted))
      return rewriter.notifyMatchFailure(op, "axes differ");

    ArrayRef<int64_t> more = removesInserted ? *inserted : *removed,
                      less = removesInserted ? *removed : *inserted;
    Value axes = makeConstant(
        rewriter, op, makeIntegers(getContext(), countWithout(more, less)),
        "axes");
    if (removesAllInserted) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getDataMutable().set(inner.getData());
        op.getAxesMutable().assign(axes);
      });
      return success();
    }
    Value rest = UnsqueezeOp::create(rewriter, fuseLocations(inner, op),
                                     inner.getData(), axes);
    return replaceRoot(rewriter, op, rest);
  }
};

struct FuseConsecutiveSqueezeUnsqueeze
    : onnxc::impl::FuseConsecutiveSqueezeUnsqueezeBase<
          FuseConsecutiveSqueezeUnsqueeze> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<InsertRemoved, RemoveInserted>(patterns.getContext(), options);
  }
};
} // namespace
