//===- DivideOnce.cpp - Quotients by one divisor --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With r = 1 / d rounded, q = x * r is off by an ulp at most, and
// q + (x - q * d) * r, computed by fused multiply-adds, is x / d as it is
// rounded (P. Markstein, "Computation of elementary functions on the IBM RISC
// System/6000 processor"), unless something over- or underflows on the way.
// Numbers that are rounded to integers of few bits leave both cases to the
// first estimate: it is far beyond their range, or it is rounded to 0.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace onnxc {
#define GEN_PASS_DEF_DIVIDEONCEPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Whether all elements are divided by the same `divisor`.
bool isShared(arith::DivFOp op) {
  Value divisor = op.getRhs();
  auto isOne = [](AffineMap map) {
    return llvm::all_of(map.getResults(), [](AffineExpr expr) {
      return isa<AffineConstantExpr>(expr);
    });
  };
  auto argument = dyn_cast<BlockArgument>(divisor);
  if (!argument)
    return false;
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto generic = dyn_cast<linalg::GenericOp>(parent))
    return argument.getArgNumber() < unsigned(generic.getNumDpsInputs()) &&
           isOne(generic.getIndexingMapsArray()[argument.getArgNumber()]);
  return false;
}

/// Rounds a normal constant's reciprocal; nothing if that is none.
std::optional<APFloat> reciprocalOf(Value divisor) {
  APFloat value(0.0f);
  if (!matchPattern(divisor, m_ConstantFloat(&value)) ||
      &value.getSemantics() != &APFloat::IEEEsingle() || !value.isNormal())
    return std::nullopt;
  APFloat reciprocal(1.0f);
  reciprocal.divide(value, APFloat::rmNearestTiesToEven);
  return reciprocal.isNormal() ? std::optional<APFloat>(reciprocal)
                               : std::nullopt;
}

class DivideByShared : public OpRewritePattern<arith::DivFOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !op->hasOneUse() ||
        !isa<math::RoundEvenOp>(*op->user_begin()))
      return rewriter.notifyMatchFailure(op, "is not rounded to an integer");
    Location loc = op.getLoc();
    Value x = op.getLhs(), divisor = op.getRhs(), reciprocal;
    auto constant = [&](float value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getF32FloatAttr(value));
    };
    if (std::optional<APFloat> known = reciprocalOf(divisor))
      reciprocal = arith::ConstantOp::create(
          rewriter, loc, FloatAttr::get(op.getType(), *known));
    else if (isShared(op))
      reciprocal =
          arith::DivFOp::create(rewriter, loc, constant(1.0f), divisor);
    else
      return rewriter.notifyMatchFailure(op, "the divisors differ");
    Value estimate = arith::MulFOp::create(rewriter, loc, x, reciprocal);
    Value negated = arith::NegFOp::create(rewriter, loc, estimate);
    Value rest = math::FmaOp::create(rewriter, loc, negated, divisor, x);
    Value exact =
        math::FmaOp::create(rewriter, loc, rest, reciprocal, estimate);
    // Not for infinities and NaN, and what becomes one of them above.
    Value size = math::AbsFOp::create(rewriter, loc, estimate);
    Value isSmall = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OLT, size, constant(1 << 24));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isSmall, exact, estimate);
    return success();
  }
};

class DivideOnce : public onnxc::impl::DivideOncePassBase<DivideOnce> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DivideByShared>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
