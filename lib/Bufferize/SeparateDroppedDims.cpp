//===- SeparateDroppedDims.cpp - Views keep the dimensions they drop ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which dimensions of size 1 a memref.subview drops is not in the operation.
// LLVM 22 finds them by the strides of the result, so that it takes another one
// where there are steps, or where two dimensions have strides that are not
// known. What lies between the two would then have the stride of its neighbor.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Bufferize/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc {
#define GEN_PASS_DEF_SEPARATEDROPPEDDIMSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

using Dims = llvm::SmallDenseSet<unsigned>;

/// A view of the same elements that drops nothing.
MemRefType typeWithAllDims(memref::SubViewOp op) {
  return memref::SubViewOp::inferResultType(
      op.getSourceType(), op.getMixedOffsets(), op.getMixedSizes(),
      op.getMixedStrides());
}

/// Whether `kept` could be taken for the dimension `dropped`, and others for
/// their neighbors: both have size 1, as far as is known, and the same stride.
/// Sizes and strides that are open may become known later.
bool isMistakable(MemRefType type, ArrayRef<int64_t> strides, int64_t dropped,
                  int64_t kept) {
  int64_t size = type.getDimSize(kept);
  if ((size != 1 && ShapedType::isStatic(size)) ||
      strides[dropped] != strides[kept])
    return false;
  auto [low, high] = std::minmax(dropped, kept);
  return llvm::any_of(type.getShape().slice(low + 1, high - low - 1),
                      [](int64_t between) { return between != 1; });
}

bool isAmbiguous(memref::SubViewOp op, MemRefType type, const Dims &dropped) {
  if (!areAllConstantIntValue(op.getMixedStrides(), 1))
    return true;
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  for (int64_t drop : dropped)
    for (int64_t keep : llvm::seq(type.getRank()))
      if (!dropped.contains(keep) && isMistakable(type, strides, drop, keep))
        return true;
  return false;
}

/// Each dimension that is dropped joins the one before it, whose stride is that
/// of the group then; the first ones join what follows.
SmallVector<ReassociationIndices> groupDims(int64_t rank, const Dims &dropped) {
  SmallVector<ReassociationIndices> groups(1);
  bool hasKept = false;
  for (int64_t dim : llvm::seq(rank)) {
    bool isKept = !dropped.contains(dim);
    if (isKept && hasKept)
      groups.emplace_back();
    hasKept |= isKept;
    groups.back().push_back(dim);
  }
  return groups;
}

/// A view with all dimensions, and of that one without some of them.
void separate(RewriterBase &rewriter, memref::SubViewOp op, MemRefType type,
              const Dims &dropped) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value all = memref::SubViewOp::create(
      rewriter, loc, type, op.getSource(), op.getMixedOffsets(),
      op.getMixedSizes(), op.getMixedStrides());
  Value view = memref::CollapseShapeOp::create(
      rewriter, loc, all, groupDims(type.getRank(), dropped));
  // Strides of groups count as open where their sizes are.
  if (view.getType() != op.getType())
    view = memref::CastOp::create(rewriter, loc, op.getType(), view);
  rewriter.replaceOp(op, view);
}

class SeparateDroppedDims
    : public onnxc::impl::SeparateDroppedDimsPassBase<SeparateDroppedDims> {
  void runOnOperation() override {
    SmallVector<memref::SubViewOp> views;
    getOperation().walk([&](memref::SubViewOp op) {
      // If nothing is left, nothing can be mistaken.
      if (op.getType().getRank() < op.getSourceType().getRank() &&
          op.getType().getRank() > 0)
        views.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (memref::SubViewOp op : views) {
      MemRefType type = typeWithAllDims(op);
      // As bufferization found the type: by the sizes.
      std::optional<Dims> dropped =
          computeRankReductionMask(type.getShape(), op.getType().getShape());
      if (dropped && isAmbiguous(op, type, *dropped))
        separate(rewriter, op, type, *dropped);
    }
  }
};

} // namespace
