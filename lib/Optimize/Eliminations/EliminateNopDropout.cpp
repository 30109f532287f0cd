//===- EliminateNopDropout.cpp - Dropout of nothing -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DropDropout.h"
#include "Rewriting/Matching.h"

#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATENOPDROPOUT
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// Its ratio is 0, by an attribute; from opset 12 on, upstream leaves it alone.
struct ForwardWithRatioZero : Rewriting<DropoutOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(DropoutOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getRatio() || getNumber(op.getRatio()) != 0.0)
      return rewriter.notifyMatchFailure(op, "the ratio is not 0");
    if (options.upstreamCompatible && getOpset(op) > lastOpsetWithAttribute)
      return rewriter.notifyMatchFailure(op, "the ratio is not an attribute");
    return dropDropout(rewriter, op, options);
  }

  static constexpr int64_t lastOpsetWithAttribute = 11;
};
} // namespace

namespace {
struct EliminateNopDropout
    : PatternsPass<onnxc::impl::EliminateNopDropoutBase<EliminateNopDropout>,
                   ForwardWithRatioZero> {};
} // namespace
