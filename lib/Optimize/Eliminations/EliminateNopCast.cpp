//===- EliminateNopCast.cpp - Casts to the type that is there -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATENOPCAST
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// A type that is not known equals none.
static LogicalResult forward(PatternRewriter &rewriter, Operation *op,
                             Value input, Type to) {
  Type from = optimize::getElementType(input);
  if (!from || from != to)
    return rewriter.notifyMatchFailure(op, "the types differ or are not known");
  return replaceRoot(rewriter, op, input);
}

namespace {
struct ForwardCast : Rewriting<CastOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    return forward(rewriter, op, op.getInput(),
                   onnxc::getElementType(op.getContext(), op.getTo()));
  }
};

struct ForwardCastLike : Rewriting<CastLikeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(CastLikeOp op,
                                PatternRewriter &rewriter) const override {
    return forward(rewriter, op, op.getInput(),
                   optimize::getElementType(op.getTargetType()));
  }
};
} // namespace

namespace {
struct EliminateNopCast
    : PatternsPass<onnxc::impl::EliminateNopCastBase<EliminateNopCast>,
                   ForwardCast, ForwardCastLike> {};
} // namespace
