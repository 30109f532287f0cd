//===- FuseTransposeIntoWeights.cpp - Transposed, flattened, multiplied ---===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Reshaping.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/Passes.h"
#include "onnxc/Support/SaturatingInt.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSETRANSPOSEINTOWEIGHTS
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// The rows of the weights, each for an element of what was flattened, are put
/// in the order that these have before the Transpose.
template <typename Op> struct ReorderRows : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    bool hasColumns = false;
    if (auto gemm = dyn_cast<GemmOp>(op.getOperation())) {
      if (gemm.getTransA())
        return rewriter.notifyMatchFailure(op, "the data are transposed");
      hasColumns = gemm.getTransB() != 0;
    }
    Operation *flatten = op.getA().getDefiningOp();
    Operation *transpose =
        isReshape(flatten) ? flatten->getOperand(0).getDefiningOp() : nullptr;
    std::optional<SmallVector<int64_t>> perm = getPermutation(transpose);
    if (!perm || perm->size() < 2 || perm->front() != 0 ||
        !flatten->hasOneUse() || !transpose->hasOneUse())
      return rewriter.notifyMatchFailure(op, "nothing transposed within rows");
    Value data = transpose->getOperand(0), weights = op.getB();
    ElementsAttr constant = getConstant(weights);
    auto type = dyn_cast<RankedTensorType>(data.getType()),
         rows = dyn_cast<RankedTensorType>(op.getA().getType());
    if (!constant || !Elements::get(constant) || !weights.hasOneUse() ||
        getRank(weights) != 2 || !type || !rows || rows.getRank() != 2)
      return rewriter.notifyMatchFailure(op, "no weights of their own");
    // The dims of a row as the Transpose leaves them, and how to get them back.
    SmallVector<int64_t> dims, back(perm->size() - 1);
    SaturatingInt length = 1;
    for (auto [i, axis] : llvm::enumerate(ArrayRef(*perm).drop_front())) {
      dims.push_back(type.getDimSize(axis));
      if (ShapedType::isDynamic(dims.back()))
        return rewriter.notifyMatchFailure(op, "a dim is not known");
      length *= dims.back();
      back[axis - 1] = i;
    }
    SymbolicShapes shapes;
    SymbolicDim count = shapes.getDim(data, 0);
    if (length == 0 || rows.getDimSize(1) != length ||
        getDim(weights, hasColumns ? 1 : 0) != length ||
        !shapes.isSame(count, shapes.getDim(op.getA(), 0)))
      return rewriter.notifyMatchFailure(op, "rows are joined or cut");
    std::optional<ReshapePlan> plan = planReshape(
        shapes, data, {count, SymbolicDim(length)}, op, this->options);
    if (!plan)
      return rewriter.notifyMatchFailure(op, "the shape cannot be said");
    int64_t others = *getDim(weights, hasColumns ? 0 : 1);
    SmallVector<int64_t> order(back);
    if (hasColumns) {
      for (int64_t &axis : order)
        ++axis;
      order.insert(order.begin(), 0);
      dims.insert(dims.begin(), others);
    } else {
      order.push_back(order.size());
      dims.push_back(others);
    }
    ElementsAttr moved =
        transposeElements(reshapeElements(constant, dims), order);
    moved =
        reshapeElements(moved, cast<ShapedType>(constant.getType()).getShape());
    Value flat =
        makeReshape(rewriter, op, flatten->getLoc(), data, *plan, rows);
    Value reordered = makeConstant(rewriter, op, moved, "weights");
    rewriter.modifyOpInPlace(op, [&] {
      op.getAMutable().assign(flat);
      op.getBMutable().assign(reordered);
    });
    return success();
  }
};

struct FuseTransposeIntoWeights
    : onnxc::impl::FuseTransposeIntoWeightsBase<FuseTransposeIntoWeights> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<ReorderRows<MatMulOp>, ReorderRows<GemmOp>>(
        patterns.getContext(), options);
  }
};
} // namespace
