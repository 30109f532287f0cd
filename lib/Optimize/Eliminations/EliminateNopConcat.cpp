//===- EliminateNopConcat.cpp - Concat of one tensor ----------------------===//
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
#define GEN_PASS_DEF_ELIMINATENOPCONCAT
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// Of one operand, or of one that is not empty along the axis.
struct ForwardOnlyPart : Rewriting<ConcatOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    Value part;
    for (Value input : op.getInputs()) {
      bool isEmpty = getDim(input, op.getAxis()) == 0;
      if (isEmpty && op.getInputs().size() > 1)
        continue;
      if (part)
        return rewriter.notifyMatchFailure(op, "joins more than one tensor");
      part = input;
    }
    // If all are empty, any will do.
    return replaceRoot(rewriter, op, part ? part : op.getInputs().front());
  }
};
} // namespace

namespace {
struct EliminateNopConcat
    : PatternsPass<onnxc::impl::EliminateNopConcatBase<EliminateNopConcat>,
                   ForwardOnlyPart> {};
} // namespace
