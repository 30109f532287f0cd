//===- EliminateNopSplit.cpp - Split into one part ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATENOPSPLIT
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// The one part is all there is: the parts sum up to the dimension.
struct ForwardOnlyPart : Rewriting<SplitOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SplitOp op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "has more than one part");
    std::optional<int64_t> part =
        op.getSplit() ? getInteger(op.getSplit()) : std::nullopt;
    std::optional<int64_t> dim = getDim(op.getInput(), op.getAxis());
    if (part && dim && *part != *dim)
      return rewriter.notifyMatchFailure(op, "the part is not all");
    return replaceRoot(rewriter, op, op.getInput());
  }
};
} // namespace

namespace {
struct EliminateNopSplit
    : PatternsPass<onnxc::impl::EliminateNopSplitBase<EliminateNopSplit>,
                   ForwardOnlyPart> {};
} // namespace
