//===- LowerReshapes.cpp - Reshapes of buffers with several unknown sizes -===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Bufferize/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc {
#define GEN_PASS_DEF_LOWERRESHAPESPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Whether one source dimension becomes several of unknown size: upstream's
/// expand-strided-metadata, which would lower it, crashes on those.
bool hasUnknownSplit(memref::ExpandShapeOp op) {
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  return llvm::any_of(op.getReassociationIndices(), [&](const auto &group) {
    return llvm::count_if(group, [&](int64_t dim) {
             return ShapedType::isDynamic(shape[dim]);
           }) > 1;
  });
}

/// Row-major strides for `sizes`.
SmallVector<OpFoldResult> makeStrides(OpBuilder &b, Location loc,
                                      ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  AffineExpr x, y;
  bindSymbols(b.getContext(), x, y);
  for (int64_t i = static_cast<int64_t>(sizes.size()) - 2; i >= 0; --i)
    strides[i] = affine::makeComposedFoldedAffineApply(
        b, loc, x * y, {strides[i + 1], sizes[i + 1]});
  return strides;
}

class LowerReshapes : public onnxc::impl::LowerReshapesPassBase<LowerReshapes> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, memref::MemRefDialect>();
  }

  void runOnOperation() override {
    SmallVector<memref::ExpandShapeOp> reshapes;
    getOperation().walk([&](memref::ExpandShapeOp op) {
      if (hasUnknownSplit(op))
        reshapes.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (memref::ExpandShapeOp op : reshapes) {
      if (!op.getSrcType().getLayout().isIdentity()) {
        op.emitError("a strided buffer cannot be split into several dimensions "
                     "of unknown size");
        return signalPassFailure();
      }
      rewriter.setInsertionPoint(op);
      SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
      rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
          op, op.getResultType(), op.getSrc(), rewriter.getIndexAttr(0), sizes,
          makeStrides(rewriter, op.getLoc(), sizes));
    }
  }
};

} // namespace
