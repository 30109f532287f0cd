//===- RewriteWhere.cpp - Where the condition does not hold ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_REWRITEWHERE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct SwapBranches : Rewriting<WhereOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(WhereOp op,
                                PatternRewriter &rewriter) const override {
    auto inverted = op.getCondition().getDefiningOp<NotOp>();
    if (!inverted)
      return rewriter.notifyMatchFailure(op, "the condition is not inverted");
    // A Not that stays for others costs no more than before.
    if (options.upstreamCompatible && !inverted->hasOneUse())
      return rewriter.notifyMatchFailure(op, "the Not is used elsewhere");
    Value yes = op.getX(), no = op.getY();
    rewriter.modifyOpInPlace(op, [&] {
      op.getConditionMutable().assign(inverted.getX());
      op.getXMutable().assign(no);
      op.getYMutable().assign(yes);
    });
    eraseIfUnused(rewriter, inverted, options);
    return success();
  }
};
} // namespace

namespace {
struct RewriteWhere
    : PatternsPass<onnxc::impl::RewriteWhereBase<RewriteWhere>, SwapBranches> {
};
} // namespace
