//===- AdjustSliceAndMatmul.cpp - Products before slices ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Optimize/RewritePass.h"
#include "onnxc/Support/SaturatingInt.h"

namespace onnxc {
#define GEN_PASS_DEF_ADJUSTSLICEANDMATMUL
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// The axes that a slice is along, from the front.
static std::optional<SmallVector<int64_t>> getAxes(SliceOp op, int64_t rank) {
  if (!op.getAxes()) {
    std::optional<int64_t> count = getDim(op.getStarts(), 0);
    if (!count)
      return std::nullopt;
    return llvm::to_vector(llvm::seq<int64_t>(0, *count));
  }
  std::optional<SmallVector<int64_t>> axes = getIntegers(op.getAxes());
  return axes ? normalizeAxes(*axes, rank) : std::nullopt;
}

/// Slicing must not have saved more than this factor.
static constexpr int64_t mostWaste = 4;

namespace {
/// The product of constants folds, whatever the slice takes of it.
struct MultiplyFirst : Rewriting<MatMulOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = op.getA().getDefiningOp<SliceOp>();
    if (!slice || !slice->hasOneUse() || !isConstant(slice.getData()) ||
        !isConstant(op.getB()))
      return rewriter.notifyMatchFailure(op, "not a slice of a constant by a "
                                             "constant");
    Value data = slice.getData();
    std::optional<int64_t> rank = getRank(data);
    // A matrix on the right leaves every axis but the last what it is.
    if (!rank || *rank < 2 || getRank(op.getB()) != 2)
      return rewriter.notifyMatchFailure(op, "axes of the product differ");
    std::optional<SmallVector<int64_t>> axes = getAxes(slice, *rank);
    if (!axes || llvm::is_contained(*axes, *rank - 1))
      return rewriter.notifyMatchFailure(op, "slices what is summed up");
    RankedTensorType whole = getStaticType(data), part = getStaticType(slice);
    if (!part || whole.getNumElements() >
                     mostWaste * SaturatingInt(part.getNumElements()))
      return rewriter.notifyMatchFailure(op, "most of the product is not used");

    auto product = MatMulOp::create(rewriter, makeHelperLocation(op, "whole"),
                                    data, op.getB());
    // The product has the rank of the data: axes from the end are the same.
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), product,
                                         slice.getStarts(), slice.getEnds(),
                                         slice.getAxes(), slice.getSteps());
    return success();
  }
};
} // namespace

namespace {
struct AdjustSliceAndMatmul
    : PatternsPass<onnxc::impl::AdjustSliceAndMatmulBase<AdjustSliceAndMatmul>,
                   MultiplyFirst> {};
} // namespace
