//===- FuseGlobalPool.cpp - Pooling of all of a channel -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognition.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Pooling.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEGLOBALPOOL
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Whether the only window of a pool is all of the spatial dims.
template <typename Pool> static bool hasOneWindow(Pool pool) {
  std::optional<ArrayRef<int64_t>> dims = getShape(pool.getX());
  auto all = [](std::optional<ArrayRef<int64_t>> numbers, int64_t number) {
    return !numbers || llvm::all_of(*numbers, [&](int64_t other) {
      return other == number;
    });
  };
  bool isPlain = pool.getAutoPad() == "NOTSET" || pool.getAutoPad() == "VALID";
  return dims && dims->size() >= 3 && isPlain &&
         pool.getKernelShape() == dims->drop_front(2) &&
         all(pool.getPads(), 0) && all(pool.getDilations(), 1);
}

namespace {
struct AverageOfAll : Rewriting<AveragePoolOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(AveragePoolOp op,
                                PatternRewriter &rewriter) const override {
    Type type = getResultType(op, op.getY());
    if (!type || !hasOneWindow(op))
      return rewriter.notifyMatchFailure(op, "more than one window, or pads");
    auto pool =
        GlobalAveragePoolOp::create(rewriter, op.getLoc(), type, op.getX());
    return replaceRoot(rewriter, op, pool->getResults());
  }
};

struct GreatestOfAll : Rewriting<MaxPoolOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(MaxPoolOp op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "the indices are used");
    Type type = getResultType(op, op.getY());
    if (!type || !hasOneWindow(op))
      return rewriter.notifyMatchFailure(
          op, "more than one window, or pads, or no floats");
    auto pool = GlobalMaxPoolOp::create(rewriter, op.getLoc(), type, op.getX());
    return replaceRoot(rewriter, op, pool->getResults());
  }
};

/// Whether the mean is one of those that a normalization consists of: that one
/// is to be found, here or by who reads the model.
static bool belongsToNorm(ReduceMeanOp op) {
  Parts parts(op);
  return readSquare(parts, op.getData()) ||
         llvm::any_of(op->getUsers(), [&](Operation *user) {
           return isa<SubOp>(user) && user->getOperand(0) == op.getData();
         });
}

/// A mean over all of an image but batch and channels. Of three dims, the last
/// ones are as often the channels of tokens.
struct MeanOfChannel : Rewriting<ReduceMeanOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ReduceMeanOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> rank = getRank(op.getData());
    auto axes = getReducedAxes(op);
    Type type = getResultType(op, op.getReduced());
    if (!rank || *rank < 4 || !axes || !type || !op.getKeepdims() ||
        !takesElements(getElementType(op.getReduced()), 22, op, options) ||
        !llvm::equal(*axes, llvm::seq<int64_t>(2, *rank)))
      return rewriter.notifyMatchFailure(op, "not the mean of each channel");
    // The mean of nothing is NaN, the pool of nothing an error.
    if (llvm::any_of(getShape(op.getData())->drop_front(2),
                     [](int64_t dim) { return dim <= 0; }))
      return rewriter.notifyMatchFailure(op, "there may be no elements");
    if (belongsToNorm(op))
      return rewriter.notifyMatchFailure(op, "part of a normalization");
    auto pool =
        GlobalAveragePoolOp::create(rewriter, op.getLoc(), type, op.getData());
    return replaceRoot(rewriter, op, pool->getResults());
  }
};

struct FuseGlobalPool : onnxc::impl::FuseGlobalPoolBase<FuseGlobalPool> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<AverageOfAll, GreatestOfAll, MeanOfChannel>(
        patterns.getContext(), options);
  }
};
} // namespace
