//===- EliminateInferenceDropout.cpp - Dropout that does not train --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DropDropout.h"
#include "Rewriting/Matching.h"

#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATEINFERENCEDROPOUT
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// Before opset 12 it never trains.
struct ForwardInInference : Rewriting<DropoutOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(DropoutOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getTrainingMode() && getInteger(op.getTrainingMode()) != 0)
      return rewriter.notifyMatchFailure(op, "may train");
    return dropDropout(rewriter, op, options);
  }
};
} // namespace

namespace {
struct EliminateInferenceDropout
    : PatternsPass<
          onnxc::impl::EliminateInferenceDropoutBase<EliminateInferenceDropout>,
          ForwardInInference> {};
} // namespace
