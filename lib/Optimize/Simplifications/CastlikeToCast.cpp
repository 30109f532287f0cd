//===- CastlikeToCast.cpp - CastLike names the type -----------------------===//
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
#define GEN_PASS_DEF_CASTLIKETOCAST
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct NameTheType : Rewriting<CastLikeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(CastLikeOp op,
                                PatternRewriter &rewriter) const override {
    Type type = optimize::getElementType(op.getTargetType());
    int to = type ? getDataType(type) : 0;
    if (to == 0 || !isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "the type is not known");
    rewriter.replaceOpWithNewOp<CastOp>(
        op, op.getType(), op.getInput(), rewriter.getI64IntegerAttr(to),
        op.getRoundModeAttr(), op.getSaturateAttr());
    return success();
  }
};
} // namespace

namespace {
struct CastlikeToCast
    : PatternsPass<onnxc::impl::CastlikeToCastBase<CastlikeToCast>,
                   NameTheType> {};
} // namespace
