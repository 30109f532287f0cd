//===- FuseAddIntoGemm.cpp - What is added to a Gemm is its C -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightFolding.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEADDINTOGEMM
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Whether Gemm takes it for C of a result of [rows, columns], which may be
/// unknown.
static bool isGemmBias(Value bias, Value result) {
  std::optional<ArrayRef<int64_t>> shape = getShape(bias);
  if (!shape || shape->size() > 2)
    return false;
  for (auto [fromEnd, dim] : llvm::enumerate(llvm::reverse(*shape)))
    if (dim != 1 &&
        (dim < 0 || getDim(result, -1 - static_cast<int64_t>(fromEnd)) != dim))
      return false;
  return true;
}

namespace {
/// Gemm without C takes what is added to it.
struct TakeBias : Rewriting<AddOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    if (succeeded(fuse(op, op.getA(), op.getB(), rewriter)))
      return success();
    return fuse(op, op.getB(), op.getA(), rewriter);
  }

  LogicalResult fuse(AddOp op, Value product, Value bias,
                     PatternRewriter &rewriter) const {
    auto gemm = product.getDefiningOp<GemmOp>();
    if (!gemm || gemm.getC() || !gemm->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "adds to no Gemm without C and other uses");
    if (!isGemmBias(bias, gemm.getY()) ||
        getElementType(bias) != getElementType(gemm.getY()))
      return rewriter.notifyMatchFailure(op, "no bias that Gemm takes");
    auto biased = cast<GemmOp>(rewriter.clone(*gemm));
    biased->setLoc(fuseLocations(gemm, op));
    biased.getCMutable().assign(bias);
    biased.removeBetaAttr();
    if (failed(replaceRoot(rewriter, op, biased.getY()))) {
      rewriter.eraseOp(biased);
      return failure();
    }
    return success();
  }
};

struct FuseAddIntoGemm : onnxc::impl::FuseAddIntoGemmBase<FuseAddIntoGemm> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<TakeBias, FoldShift<AddOp, GemmOp>, FoldShift<SubOp, GemmOp>>(
        patterns.getContext(), options);
  }
};
} // namespace
