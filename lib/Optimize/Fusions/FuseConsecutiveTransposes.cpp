//===- FuseConsecutiveTransposes.cpp - Two permutations are one -----------===//
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
#define GEN_PASS_DEF_FUSECONSECUTIVETRANSPOSES
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct ComposeTransposes : Rewriting<TransposeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "reads no Transpose");
    std::optional<ArrayRef<int64_t>> first = inner.getPerm(),
                                     second = op.getPerm();
    // Two reversals, whatever the rank.
    if (!first && !second)
      return replaceRoot(rewriter, op, inner.getData());
    if (options.upstreamCompatible && (!first || !second))
      return rewriter.notifyMatchFailure(op, "one of them has no perm");
    int64_t rank = first ? first->size() : second->size();
    SmallVector<int64_t> reversed =
        llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
    ArrayRef<int64_t> p = first.value_or(reversed),
                      q = second.value_or(reversed);
    if (p.size() != q.size() || !isPermutation(p) || !isPermutation(q))
      return rewriter.notifyMatchFailure(op, "perms do not fit together");
    SmallVector<int64_t> composed;
    for (int64_t axis : q)
      composed.push_back(p[axis]);
    if (isIdentityPermutation(composed) && !options.upstreamCompatible)
      return replaceRoot(rewriter, op, inner.getData());
    rewriter.modifyOpInPlace(op, [&] {
      op.getDataMutable().set(inner.getData());
      op.setPerm(composed);
    });
    eraseIfUnused(rewriter, inner, options);
    return success();
  }
};

struct FuseConsecutiveTransposes
    : onnxc::impl::FuseConsecutiveTransposesBase<FuseConsecutiveTransposes> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<ComposeTransposes>(patterns.getContext(), options);
  }
};
} // namespace
