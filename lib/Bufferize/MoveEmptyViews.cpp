//===- MoveEmptyViews.cpp - Views that start where their buffer ends ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Bufferize/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc {
#define GEN_PASS_DEF_MOVEEMPTYVIEWSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Whether an offset is the size of its dimension, so that nothing is viewed.
bool startsAtEnd(memref::SubViewOp op) {
  for (auto [offset, size] :
       llvm::zip(op.getStaticOffsets(), op.getSourceType().getShape()))
    if (!ShapedType::isDynamic(offset) && !ShapedType::isDynamic(size) &&
        offset >= size)
      return true;
  return false;
}

/// The same view of the memory below, if its type says where it lies.
LogicalResult reinterpret(RewriterBase &rewriter, memref::SubViewOp op) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(op.getType().getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return rewriter.notifyMatchFailure(op, "the layout is not static");
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> sizes, steps;
  for (auto [d, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(d))
      sizes.push_back(size);
  for (int64_t stride : strides)
    steps.push_back(rewriter.getIndexAttr(stride));
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, op.getType(), op.getSource(),
      OpFoldResult(rewriter.getIndexAttr(offset)), sizes, steps);
  return success();
}

class MoveEmptyViews
    : public onnxc::impl::MoveEmptyViewsPassBase<MoveEmptyViews> {
  void runOnOperation() override {
    SmallVector<memref::SubViewOp> views;
    getOperation().walk([&](memref::SubViewOp op) {
      if (startsAtEnd(op))
        views.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    // What is left is VerifyBuffers' to report.
    for (memref::SubViewOp op : views)
      (void)reinterpret(rewriter, op);
  }
};

} // namespace
