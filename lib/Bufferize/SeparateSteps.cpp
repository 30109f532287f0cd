//===- SeparateSteps.cpp - Views with steps keep their dimensions ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Bufferize/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc {
#define GEN_PASS_DEF_SEPARATESTEPSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Whether SubViewOp::getDroppedDims would compare the strides of a result that
/// has steps with those of its source, which has none.
bool dropsBesideSteps(memref::SubViewOp op) {
  return op.getType().getRank() < op.getSourceType().getRank() &&
         !areAllConstantIntValue(op.getMixedStrides(), 1);
}

/// A view with the steps, and of that one without some of its dimensions.
void separate(RewriterBase &rewriter, memref::SubViewOp op) {
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> sizes = op.getMixedSizes(),
                            zeros(sizes.size(), rewriter.getIndexAttr(0)),
                            ones(sizes.size(), rewriter.getIndexAttr(1));
  Value stepped = memref::SubViewOp::create(
      rewriter, op.getLoc(), op.getSource(), op.getMixedOffsets(), sizes,
      op.getMixedStrides());
  rewriter.replaceOpWithNewOp<memref::SubViewOp>(op, op.getType(), stepped,
                                                 zeros, sizes, ones);
}

class SeparateSteps : public onnxc::impl::SeparateStepsPassBase<SeparateSteps> {
  void runOnOperation() override {
    SmallVector<memref::SubViewOp> views;
    getOperation().walk([&](memref::SubViewOp op) {
      if (dropsBesideSteps(op))
        views.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (memref::SubViewOp op : views)
      separate(rewriter, op);
  }
};

} // namespace
