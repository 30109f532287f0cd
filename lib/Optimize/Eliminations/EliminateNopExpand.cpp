//===- EliminateNopExpand.cpp - Expand that changes no dimension ----------===//
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
#define GEN_PASS_DEF_ELIMINATENOPEXPAND
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct ForwardUnexpanded : Rewriting<ExpandOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ExpandOp op,
                                PatternRewriter &rewriter) const override {
    Value input = op.getInput();
    std::optional<SmallVector<int64_t>> shape = getIntegers(op.getShape());
    bool keepsShape = (shape && broadcastsInto(*shape, input.getType())) ||
                      isShapeOf(op.getShape(), input);
    if (!keepsShape)
      return rewriter.notifyMatchFailure(op, "may change the shape");
    return replaceRoot(rewriter, op, input);
  }
};
} // namespace

namespace {
struct EliminateNopExpand
    : PatternsPass<onnxc::impl::EliminateNopExpandBase<EliminateNopExpand>,
                   ForwardUnexpanded> {};
} // namespace
