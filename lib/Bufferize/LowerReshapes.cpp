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
#include "mlir/Dialect/Arith/Utils/Utils.h"
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

/// Where the source starts, and the stride of each of its dimensions.
std::pair<OpFoldResult, SmallVector<OpFoldResult>>
layoutOf(OpBuilder &b, TypedValue<MemRefType> source) {
  auto [strides, offset] = source.getType().getStridesAndOffset();
  if (llvm::none_of(strides, ShapedType::isDynamic) &&
      !ShapedType::isDynamic(offset))
    return {b.getIndexAttr(offset),
            getAsIndexOpFoldResult(b.getContext(), strides)};
  auto metadata =
      memref::ExtractStridedMetadataOp::create(b, source.getLoc(), source);
  return {metadata.getConstifiedMixedOffset(),
          metadata.getConstifiedMixedStrides()};
}

/// The reshape as another view of its source's memory: of the dimensions that
/// one becomes, the last has its stride.
void replaceByView(RewriterBase &rewriter, memref::ExpandShapeOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  auto [offset, sourceStrides] =
      layoutOf(rewriter, cast<TypedValue<MemRefType>>(op.getSrc()));
  auto [known, knownOffset] = op.getResultType().getStridesAndOffset();
  // Constant exactly where the type says so.
  auto agree = [&](OpFoldResult value, int64_t known) -> OpFoldResult {
    if (!ShapedType::isDynamic(known))
      return rewriter.getIndexAttr(known);
    return getValueOrCreateConstantIndexOp(rewriter, loc, value);
  };
  AffineExpr x, y;
  bindSymbols(rewriter.getContext(), x, y);
  SmallVector<OpFoldResult> strides(sizes.size());
  for (auto [group, stride] :
       llvm::zip_equal(op.getReassociationIndices(), sourceStrides)) {
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = agree(stride, known[dim]);
      stride = affine::makeComposedFoldedAffineApply(rewriter, loc, x * y,
                                                     {stride, sizes[dim]});
    }
  }
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, op.getResultType(), op.getSrc(), agree(offset, knownOffset), sizes,
      strides);
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
    for (memref::ExpandShapeOp op : reshapes)
      replaceByView(rewriter, op);
  }
};

} // namespace
