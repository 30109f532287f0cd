//===- HoistSlices.cpp - Taking a part before computing the whole ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Slices.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/SymbolicShapes.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_HOISTSLICES
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// The only operand that the part is taken of instead, where others do not vary
/// along the axes; nullopt if there is none, or more than one.
static std::optional<unsigned> getTaken(Operation *op, ArrayRef<int64_t> axes) {
  std::optional<int64_t> rank = getRank(op->getResult(0));
  if (!rank || op->getNumResults() != 1)
    return std::nullopt;
  auto isBehind = [&](int64_t axis) {
    std::optional<int64_t> first = normalizeAxis(axis, *rank);
    return first &&
           llvm::all_of(axes, [&](int64_t sliced) { return sliced < *first; });
  };
  auto isOther = [&](int64_t axis) {
    std::optional<int64_t> place = normalizeAxis(axis, *rank);
    return place && !llvm::is_contained(axes, *place);
  };
  auto first = [](bool holds) {
    return holds ? std::optional(0u) : std::nullopt;
  };
  if (auto norm = dyn_cast<LayerNormalizationOp>(op))
    return first(isBehind(norm.getAxis()));
  if (auto norm = dyn_cast<RMSNormalizationOp>(op))
    return first(isBehind(norm.getAxis()));
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return first(isOther(softmax.getAxis()));
  if (auto softmax = dyn_cast<LogSoftmaxOp>(op))
    return first(isOther(softmax.getAxis()));
  // Rows of a product with a matrix.
  if (auto matmul = dyn_cast<MatMulOp>(op))
    return first(getRank(matmul.getA()) == *rank &&
                 getRank(matmul.getB()) == 2 && isBehind(-1));
  // Where a Cast stands is decided by the sizes of the types.
  if (!isa<ScalarOpInterface>(op) || isa<CastOp>(op))
    return std::nullopt;
  SymbolicShapes shapes;
  std::optional<unsigned> taken;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<int64_t> own = getRank(operand.get());
    if (!own)
      return std::nullopt;
    bool isAlong = false, isAll = true;
    for (int64_t axis : axes) {
      int64_t place = axis - (*rank - *own);
      bool varies = place >= 0 && getDim(operand.get(), place) != 1;
      isAlong |= varies;
      isAll &= varies && *own == *rank &&
               shapes.isSameDim(operand.get(), place, op->getResult(0), axis);
    }
    if (!isAlong)
      continue;
    if (!isAll || taken)
      return std::nullopt;
    taken = operand.getOperandNumber();
  }
  if (taken && *taken != 0 && isa<PReluOp, ClipOp, SwiGLUOp>(op))
    return std::nullopt;
  return taken;
}

/// Whether the value has one use, but for ops that nobody uses any more.
static bool hasOneLiveUse(Value value) {
  return llvm::count_if(value.getUses(), [](OpOperand &use) {
           Operation *user = use.getOwner();
           return user->getNumResults() == 0 || !user->use_empty();
         }) == 1;
}

namespace {
/// Of what the op takes a part of: the op of the part.
template <typename Op> struct TakeBefore : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Operation *whole = op.getData().getDefiningOp();
    std::optional<SmallVector<int64_t>> axes = getAxes(op);
    if (!whole || !axes || axes->empty() || !hasOneLiveUse(op.getData()))
      return rewriter.notifyMatchFailure(op, "no part of what is only for it");
    std::optional<unsigned> operand = getTaken(whole, *axes);
    if (!operand || isConstant(whole->getOperand(*operand)))
      return rewriter.notifyMatchFailure(op, "all of it is needed");
    Value data = whole->getOperand(*operand);
    auto from = dyn_cast<RankedTensorType>(data.getType()),
         to = dyn_cast<RankedTensorType>(op.getOutput().getType());
    if (!from || !to)
      return rewriter.notifyMatchFailure(op, "no rank");
    // Along the axes as many as are left, along the others what there is.
    SmallVector<int64_t> shape(from.getShape());
    if (static_cast<int64_t>(shape.size()) != to.getRank())
      return rewriter.notifyMatchFailure(op, "another rank");
    for (int64_t axis : *axes)
      shape[axis] = to.getDimSize(axis);
    rewriter.setInsertionPoint(op);
    Operation *part = rewriter.clone(*op);
    part->setOperand(0, data);
    part->getResult(0).setType(
        RankedTensorType::get(shape, from.getElementType()));
    Operation *copy = rewriter.clone(*whole);
    copy->setOperand(*operand, part->getResult(0));
    copy->getResult(0).setType(to);
    return replaceRoot(rewriter, op, copy->getResult(0));
  }

private:
  static std::optional<SmallVector<int64_t>> getAxes(SliceOp op) {
    return getSliceAxes(op);
  }

  /// Of a list of indices that are fewer than the dim.
  static std::optional<SmallVector<int64_t>> getAxes(GatherOp op) {
    std::optional<int64_t> rank = getRank(op.getData());
    std::optional<int64_t> axis =
        rank ? normalizeAxis(op.getAxis(), *rank) : std::nullopt;
    std::optional<int64_t> count = getDim(op.getIndices(), 0),
                           dim = axis ? getDim(op.getData(), *axis)
                                      : std::nullopt;
    if (!axis || getRank(op.getIndices()) != 1 || !count ||
        !(*count == 1 || (dim && *count < *dim)))
      return std::nullopt;
    return SmallVector<int64_t>{*axis};
  }
};

struct HoistSlices : onnxc::impl::HoistSlicesBase<HoistSlices> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<TakeBefore<SliceOp>, TakeBefore<GatherOp>>(
        patterns.getContext(), options);
  }
};
} // namespace
