//===- EliminateNopPad.cpp - Pad by nothing -------------------------------===//
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
#define GEN_PASS_DEF_ELIMINATENOPPAD
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct ForwardUnpadded : Rewriting<PadOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(PadOp op,
                                PatternRewriter &rewriter) const override {
    if (!isAll(op.getPads(), 0))
      return rewriter.notifyMatchFailure(op, "may add or remove elements");
    return replaceRoot(rewriter, op, op.getData());
  }
};
} // namespace

namespace {
struct EliminateNopPad
    : PatternsPass<onnxc::impl::EliminateNopPadBase<EliminateNopPad>,
                   ForwardUnpadded> {};
} // namespace
