//===- AdjustAdd.cpp - Constants last -------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ADJUSTADD
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct SwapOperands : RewritePattern {
  SwapOperands(MLIRContext *context, const RewriteOptions &options)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    bool mayMove = options.upstreamCompatible
                       ? isa<AddOp>(op)
                       : hasFact(op, OpFact::Commutative);
    // More than two are added one after the other.
    if (!mayMove || op->getNumOperands() != 2)
      return rewriter.notifyMatchFailure(op, "not commutative");
    Value first = op->getOperand(0), second = op->getOperand(1);
    if (!isConstant(first) || isConstant(second))
      return rewriter.notifyMatchFailure(op, "no constant comes first");
    rewriter.modifyOpInPlace(op, [&] { op->setOperands({second, first}); });
    return success();
  }

  RewriteOptions options;
};
} // namespace

namespace {
struct AdjustAdd
    : PatternsPass<onnxc::impl::AdjustAddBase<AdjustAdd>, SwapOperands> {};
} // namespace
