//===- PadSimplify.cpp - Pads in a row ------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_PADSIMPLIFY
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// How much is added before and behind each axis; nullopt if that is not known,
/// or something is removed.
static std::optional<SmallVector<int64_t>> getAdded(PadOp op, int64_t rank) {
  std::optional<SmallVector<int64_t>> pads = getIntegers(op.getPads());
  if (!pads || llvm::any_of(*pads, [](int64_t pad) { return pad < 0; }))
    return std::nullopt;
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (op.getAxes()) {
    std::optional<SmallVector<int64_t>> given = getIntegers(op.getAxes());
    std::optional<SmallVector<int64_t>> places =
        given ? normalizeAxes(*given, rank) : std::nullopt;
    if (!places)
      return std::nullopt;
    axes = *places;
  }
  if (pads->size() != 2 * axes.size())
    return std::nullopt;
  SmallVector<int64_t> added(2 * rank);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    added[axis] = (*pads)[i];
    added[axis + rank] = (*pads)[i + axes.size()];
  }
  return added;
}

namespace {
struct MergePads : Rewriting<PadOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(PadOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().getDefiningOp<PadOp>();
    std::optional<int64_t> rank =
        inner ? getRank(inner.getData()) : std::nullopt;
    if (!rank || !inner->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of a Pad of its own");
    // What is reflected or repeated is not the same in two steps.
    StringRef mode = op.getMode();
    if (mode != inner.getMode() || (mode != "constant" && mode != "edge"))
      return rewriter.notifyMatchFailure(op, "the modes differ or reflect");
    Value value = op.getConstantValue(), first = inner.getConstantValue();
    bool isSame =
        value == first || (value && first && areSameConstant(value, first));
    if (mode == "constant" && !isSame)
      return rewriter.notifyMatchFailure(op, "the values differ");
    std::optional<SmallVector<int64_t>> added = getAdded(op, *rank),
                                        before = getAdded(inner, *rank);
    if (!added || !before)
      return rewriter.notifyMatchFailure(op, "not known to add only");
    for (auto [sum, more] : llvm::zip_equal(*added, *before))
      sum += more;
    Value pads = makeConstant(rewriter, op,
                              makeIntegers(op.getContext(), *added), "pads");
    rewriter.modifyOpInPlace(op, [&] {
      op.getDataMutable().assign(inner.getData());
      op.getPadsMutable().assign(pads);
      op.getAxesMutable().clear();
    });
    return success();
  }
};
} // namespace

namespace {
struct PadSimplify
    : PatternsPass<onnxc::impl::PadSimplifyBase<PadSimplify>, MergePads> {};
} // namespace
