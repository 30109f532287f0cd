//===- TransposeToReshape.cpp - Transposes that move no element -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Reshaping.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_TRANSPOSETORESHAPE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct ReshapeInstead : Rewriting<TransposeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> perm = getPermutation(op);
    auto type = dyn_cast<RankedTensorType>(op.getData().getType());
    if (!perm || !type)
      return rewriter.notifyMatchFailure(op, "the rank is not known");
    int64_t last = -1;
    for (int64_t axis : *perm) {
      if (type.getDimSize(axis) == 1)
        continue;
      if (axis < last)
        return rewriter.notifyMatchFailure(op, "elements move");
      last = axis;
    }
    if (llvm::is_sorted(*perm))
      return replaceRoot(rewriter, op, op.getData());
    SymbolicShapes shapes;
    SmallVector<SymbolicDim> dims;
    for (int64_t axis : *perm)
      dims.push_back(shapes.getDim(op.getData(), axis));
    std::optional<ReshapePlan> plan =
        planReshape(shapes, op.getData(), dims, op, options);
    if (!plan)
      return rewriter.notifyMatchFailure(op, "the shape cannot be said");
    auto result = cast<RankedTensorType>(
        joinTypes(op.getType(), permuteType(type, *perm)));
    return replaceRoot(
        rewriter, op,
        makeReshape(rewriter, op, op.getLoc(), op.getData(), *plan, result));
  }
};

struct TransposeToReshape
    : onnxc::impl::TransposeToReshapeBase<TransposeToReshape> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<ReshapeInstead>(patterns.getContext(), options);
  }
};
} // namespace
