//===- EliminateZeroBias.cpp - A bias of zeros goes -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATEZEROBIAS
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// A sum of products is -0 only if all of them are, to which +0 makes +0.
template <typename Op> struct DropZeros : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumOperands() < 3)
      return rewriter.notifyMatchFailure(op, "has no bias");
    if (!isAll(op->getOperand(2), -0.0, this->options.noSignedZeros))
      return rewriter.notifyMatchFailure(op, "the bias is not zero");
    if (!canBeAbsent(op))
      return rewriter.notifyMatchFailure(op, "the bias has to be there");
    rewriter.modifyOpInPlace(op, [&] { op->eraseOperand(2); });
    return success();
  }

  /// Gemm's C may be absent from version 11 on; an infinite beta makes it NaN.
  bool canBeAbsent(Op op) const {
    if constexpr (std::is_same_v<Op, GemmOp>)
      return isAvailable(/*since=*/11, op, this->options) &&
             op.getBeta().isFinite();
    return true;
  }
};

struct EliminateZeroBias
    : onnxc::impl::EliminateZeroBiasBase<EliminateZeroBias> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns
        .add<DropZeros<ConvOp>, DropZeros<ConvTransposeOp>, DropZeros<GemmOp>>(
            patterns.getContext(), options);
  }
};
} // namespace
