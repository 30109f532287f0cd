//===- EliminateNopMonotoneArgmax.cpp - ArgMax of a monotone function -----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATENOPMONOTONEARGMAX
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Functions that are strictly monotone over the real numbers, though floats of
/// different inputs may be equal. Softmax is along its axis.
static bool isMonotoneAlong(Operation *op, int64_t axis,
                            const RewriteOptions &options) {
  if (isa<ExpOp, LogOp, SqrtOp>(op))
    return true;
  if (isa<SigmoidOp, TanhOp>(op))
    return !options.upstreamCompatible;
  if (!isa<SoftmaxOp, LogSoftmaxOp>(op))
    return false;
  auto attribute = op->getAttrOfType<IntegerAttr>("axis");
  if (options.upstreamCompatible)
    return attribute && attribute.getInt() == axis;
  int64_t other = attribute ? attribute.getInt() : -1;
  std::optional<int64_t> rank = getRank(op->getOperand(0));
  return other == axis ||
         (rank && normalizeAxis(other, *rank) == normalizeAxis(axis, *rank));
}

namespace {
template <typename Op> struct SkipMonotone : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    const RewriteOptions &options = this->options;
    if (!options.assumeStrictlyMonotone && !options.upstreamCompatible)
      return rewriter.notifyMatchFailure(
          op, "equal results of different inputs may be there");
    Operation *inner = op.getData().getDefiningOp();
    if (!inner || !isMonotoneAlong(inner, op.getAxis(), options))
      return rewriter.notifyMatchFailure(op, "not of a monotone function");
    if (options.upstreamCompatible &&
        (!inner->hasOneUse() || !op.getAxisAttr()))
      return rewriter.notifyMatchFailure(op,
                                         "not the form that upstream takes");
    rewriter.modifyOpInPlace(
        op, [&] { op.getDataMutable().assign(inner->getOperand(0)); });
    eraseIfUnused(rewriter, inner, options);
    return success();
  }
};
} // namespace

namespace {
struct EliminateNopMonotoneArgmax
    : PatternsPass<onnxc::impl::EliminateNopMonotoneArgmaxBase<
                       EliminateNopMonotoneArgmax>,
                   SkipMonotone<ArgMaxOp>, SkipMonotone<ArgMinOp>> {};
} // namespace
