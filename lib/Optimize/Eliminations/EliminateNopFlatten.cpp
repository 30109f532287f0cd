//===- EliminateNopFlatten.cpp - Flatten of what is flat ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATENOPFLATTEN
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// Of a matrix, cut where it is cut anyway, or beside a dimension of 1.
struct ForwardMatrix : Rewriting<FlattenOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(FlattenOp op,
                                PatternRewriter &rewriter) const override {
    if (getRank(op.getInput()) != 2)
      return rewriter.notifyMatchFailure(op, "not known to be of a matrix");
    int64_t axis = op.getAxis(), cut = axis < 0 ? axis + 2 : axis;
    bool keepsShape = cut == 1 || (cut == 0 && getDim(op.getInput(), 0) == 1) ||
                      (cut == 2 && getDim(op.getInput(), 1) == 1);
    if (!keepsShape)
      return rewriter.notifyMatchFailure(op, "may change the shape");
    return replaceRoot(rewriter, op, op.getInput());
  }
};
} // namespace

namespace {
struct EliminateNopFlatten
    : PatternsPass<onnxc::impl::EliminateNopFlattenBase<EliminateNopFlatten>,
                   ForwardMatrix> {};
} // namespace
