//===- FuseConsecutiveConcats.cpp - A Concat in a Concat is spliced -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Optimize/RewritePass.h"

#include "llvm/ADT/SetVector.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSECONSECUTIVECONCATS
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// A Concat with other uses is spliced into all of them only if it is as small
/// as this: else a chain of them, each used twice, would grow without end.
static constexpr size_t maxSharedOperands = 8;

namespace {
struct SpliceConcats : Rewriting<ConcatOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    // Of a chain the last takes all at once: one by one, it would grow at each.
    if (op->hasOneUse())
      if (auto outer = dyn_cast<ConcatOp>(*op->user_begin());
          outer && canSplice(outer, op))
        return rewriter.notifyMatchFailure(op, "the next Concat takes it in");
    SmallVector<Value> operands;
    llvm::SmallSetVector<Operation *, 4> spliced;
    SmallVector<std::pair<ConcatOp, Value>> open;
    auto addOperands = [&](ConcatOp of) {
      for (Value operand : llvm::reverse(of.getInputs()))
        open.emplace_back(of, operand);
    };
    addOperands(op);
    while (!open.empty()) {
      auto [outer, operand] = open.pop_back_val();
      auto inner = operand.getDefiningOp<ConcatOp>();
      if (!inner || inner.getInputs().empty() || !canSplice(outer, inner)) {
        operands.push_back(operand);
        continue;
      }
      addOperands(inner);
      spliced.insert(inner);
    }
    if (spliced.empty())
      return rewriter.notifyMatchFailure(
          op, "no operand is a Concat along the axis that nothing else uses");
    rewriter.modifyOpInPlace(op,
                             [&] { op.getInputsMutable().assign(operands); });
    for (Operation *inner : spliced)
      eraseIfUnused(rewriter, inner, options);
    return success();
  }

  bool canSplice(ConcatOp op, ConcatOp inner) const {
    if (!haveSameAxis(op, inner))
      return false;
    if (inner->hasOneUse())
      return true;
    if (options.upstreamCompatible ||
        inner.getInputs().size() > maxSharedOperands)
      return false;
    return llvm::all_of(inner->getUsers(), [&](Operation *user) {
      auto concat = dyn_cast<ConcatOp>(user);
      return concat && haveSameAxis(concat, inner);
    });
  }

  bool haveSameAxis(ConcatOp op, ConcatOp inner) const {
    int64_t a = op.getAxis(), b = inner.getAxis();
    if (a == b)
      return true;
    std::optional<int64_t> rank = getRank(inner.getConcatResult());
    return !options.upstreamCompatible && rank &&
           normalizeAxis(a, *rank) == normalizeAxis(b, *rank) &&
           normalizeAxis(a, *rank);
  }
};

struct FuseConsecutiveConcats
    : onnxc::impl::FuseConsecutiveConcatsBase<FuseConsecutiveConcats> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<SpliceConcats>(patterns.getContext(), options);
  }
};
} // namespace
