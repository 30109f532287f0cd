//===- EliminateIfWithConstCond.cpp - The branch that is always taken -----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATEIFWITHCONSTCOND
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct InlineTakenBranch : Rewriting<IfOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(IfOp op,
                                PatternRewriter &rewriter) const override {
    Region *branch = op.getKnownBranch();
    if (std::optional<int64_t> condition = getInteger(op.getCond()))
      branch = *condition ? &op.getThenBranch() : &op.getElseBranch();
    if (!branch || !branch->hasOneBlock())
      return rewriter.notifyMatchFailure(op, "the condition is not known");
    auto yield = dyn_cast<YieldOp>(branch->front().getTerminator());
    if (!yield || yield->getNumOperands() != op->getNumResults())
      return rewriter.notifyMatchFailure(op, "the branch gives no results");
    SmallVector<Value> results(yield.getValues());
    if (failed(canReplaceRoot(rewriter, op, results)))
      return failure();
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&branch->front(), op);
    return replaceRoot(rewriter, op, results);
  }
};
} // namespace

namespace {
struct EliminateIfWithConstCond
    : PatternsPass<
          onnxc::impl::EliminateIfWithConstCondBase<EliminateIfWithConstCond>,
          InlineTakenBranch> {};
} // namespace
