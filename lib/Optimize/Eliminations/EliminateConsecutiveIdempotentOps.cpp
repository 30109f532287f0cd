//===- EliminateConsecutiveIdempotentOps.cpp - What has been done is done -===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATECONSECUTIVEIDEMPOTENTOPS
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// What gives back the input when done twice. Of integers, too: -min is min.
static bool isInvolution(Operation *op) {
  return isa<BitwiseNotOp, NegOp, NotOp>(op);
}

/// Whether two of one operator have the same attributes, and the same operands
/// beside the first.
static bool doTheSame(Operation *op, Operation *inner) {
  return op->getNumOperands() == inner->getNumOperands() &&
         op->getName().compareOpProperties(op->getPropertiesStorage(),
                                           inner->getPropertiesStorage()) &&
         llvm::all_of(llvm::zip_equal(op->getOperands().drop_front(),
                                      inner->getOperands().drop_front()),
                      [](auto pair) {
                        auto [a, b] = pair;
                        return a == b || areSameConstant(a, b);
                      });
}

namespace {
struct DoOnce : RewritePattern {
  DoOnce(MLIRContext *context, const RewriteOptions &options)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    Operation *inner =
        op->getNumOperands() > 0 ? op->getOperand(0).getDefiningOp() : nullptr;
    if (!inner || inner->getName() != op->getName())
      return rewriter.notifyMatchFailure(op, "not the same operator twice");
    if (options.upstreamCompatible && !inner->hasOneUse())
      return rewriter.notifyMatchFailure(op, "the first is used elsewhere");
    if (isInvolution(op))
      return replaceRoot(rewriter, op, inner->getOperand(0));
    if (!hasFact(op, OpFact::Idempotent))
      return rewriter.notifyMatchFailure(op, "not idempotent");
    if (!doTheSame(op, inner))
      return rewriter.notifyMatchFailure(op, "attributes or operands differ");
    if (!inner->hasOneUse())
      return replaceRoot(rewriter, op, inner->getResult(0));
    rewriter.modifyOpInPlace(op,
                             [&] { op->setOperand(0, inner->getOperand(0)); });
    return success();
  }

  RewriteOptions options;
};

struct ReshapeOnce : Rewriting<ReshapeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().getDefiningOp<ReshapeOp>();
    if (!inner || (!options.upstreamCompatible && !hasSureNumbers(inner)))
      return rewriter.notifyMatchFailure(op, "not of a Reshape that must fit");
    if (options.upstreamCompatible && !inner->hasOneUse())
      return rewriter.notifyMatchFailure(op, "the first is used elsewhere");
    std::optional<SmallVector<int64_t>> target = getIntegers(op.getShape());
    bool isNew = false;
    if (op.getAllowzero() == 0) {
      if (!target)
        return rewriter.notifyMatchFailure(op, "the shape may have a 0");
      // A 0 copies a dim of what the first Reshape gives.
      for (auto [i, to] : llvm::enumerate(*target)) {
        if (to != 0)
          continue;
        std::optional<int64_t> copied = getDim(inner.getReshaped(), i);
        if (!copied)
          return rewriter.notifyMatchFailure(op, "copies an unknown dim");
        if (copied == getDim(inner.getData(), i))
          continue;
        if (*copied == 0)
          return rewriter.notifyMatchFailure(op, "copies a dim of 0");
        to = *copied;
        isNew = true;
      }
    }
    if (isNew && !canHoldShape(op, options))
      return rewriter.notifyMatchFailure(op, "there are no such constants");
    Value shape = op.getShape();
    if (isNew)
      shape = makeConstant(rewriter, op, makeIntegers(op.getContext(), *target),
                           "shape");
    rewriter.modifyOpInPlace(op, [&] {
      op.getDataMutable().assign(inner.getData());
      op.getShapeMutable().assign(shape);
    });
    return success();
  }
};
} // namespace

namespace {
struct EliminateConsecutiveIdempotentOps
    : PatternsPass<onnxc::impl::EliminateConsecutiveIdempotentOpsBase<
                       EliminateConsecutiveIdempotentOps>,
                   DoOnce, ReshapeOnce> {};
} // namespace
