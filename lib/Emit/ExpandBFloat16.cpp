//===- ExpandBFloat16.cpp - Rounding to bfloat16 by integers --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Emit/Passes.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace onnxc {
#define GEN_PASS_DEF_EXPANDBFLOAT16
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// bfloat16 to double by way of float, which loses nothing: MLIR's patterns
/// know the step to float only.
struct WidenTwice : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(op.getIn()).isBF16() ||
        !getElementTypeOrSelf(type).isF64())
      return rewriter.notifyMatchFailure(op, "not bfloat16 to double");
    Type element = rewriter.getF32Type();
    auto vector = dyn_cast<VectorType>(type);
    Value single = arith::ExtFOp::create(
        rewriter, op.getLoc(), vector ? vector.clone(element) : element,
        op.getIn());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, type, single);
    return success();
  }
};

class ExpandBFloat16 final
    : public onnxc::impl::ExpandBFloat16Base<ExpandBFloat16> {
public:
  using ExpandBFloat16Base::ExpandBFloat16Base;

  void runOnOperation() override {
    if (onnxc::supports(onnxc::TargetAttr::of(getOperation()),
                        onnxc::Capability::RoundBFloat16))
      return;
    // Most models have no bfloat16: to look costs less than to convert nothing.
    auto isBFloat16 = [](Type type) {
      return getElementTypeOrSelf(type).isBF16();
    };
    if (!getOperation()
             ->walk([&](Operation *op) {
               return llvm::any_of(op->getOperandTypes(), isBFloat16) ||
                              llvm::any_of(op->getResultTypes(), isBFloat16)
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted())
      return;
    MLIRContext *ctx = &getContext();
    // Arithmetic on bfloat16 is that on float32, rounded.
    TypeConverter converter;
    arith::populateEmulateUnsupportedFloatsConversions(
        converter, {BFloat16Type::get(ctx)}, Float32Type::get(ctx));
    RewritePatternSet wider(ctx);
    arith::populateEmulateUnsupportedFloatsPatterns(wider, converter);
    ConversionTarget target(*ctx);
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    if (failed(
            applyPartialConversion(getOperation(), target, std::move(wider))))
      return signalPassFailure();

    RewritePatternSet patterns(ctx);
    arith::populateExpandBFloat16Patterns(patterns);
    patterns.add<WidenTwice>(ctx);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
