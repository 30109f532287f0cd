//===- EliminateShapeOp.cpp - Shapes that are known -----------------------===//
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
#define GEN_PASS_DEF_ELIMINATESHAPEOP
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct FoldShape : Rewriting<ShapeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ShapeOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> dims = getShapeElements(op);
    if (!dims || llvm::any_of(*dims, [](int64_t dim) { return dim < 0; }))
      return rewriter.notifyMatchFailure(op, "a dimension is not known");
    return replaceByConstant(rewriter, op, makeIntegers(op.getContext(), *dims),
                             options);
  }
};

struct FoldSize : Rewriting<SizeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SizeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = getStaticType(op.getData());
    if (!type)
      return rewriter.notifyMatchFailure(op, "the size is not known");
    return replaceByConstant(rewriter, op,
                             makeIntegers(op.getContext(), ArrayRef<int64_t>(),
                                          type.getNumElements()),
                             options);
  }
};
} // namespace

namespace {
struct EliminateShapeOp
    : PatternsPass<onnxc::impl::EliminateShapeOpBase<EliminateShapeOp>,
                   FoldShape, FoldSize> {};
} // namespace
