//===- EliminateNopWithUnit.cpp - Arithmetic that changes no value --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATENOPWITHUNIT
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// What makes a constant operand of an op a unit.
struct Unit {
  double number;
  /// Whether the sign of a zero counts: `-0` is the unit of Add for floats,
  /// `+0` that of Sub.
  bool isZero = false;
};
} // namespace

static std::optional<Unit> getUnit(Operation *op) {
  if (isa<AddOp>(op))
    return Unit{-0.0, /*isZero=*/true};
  if (isa<SubOp>(op))
    return Unit{+0.0, /*isZero=*/true};
  if (isa<MulOp, DivOp, PowOp>(op))
    return Unit{1};
  if (isa<AndOp>(op))
    return Unit{1};
  if (isa<OrOp>(op))
    return Unit{0};
  return std::nullopt;
}

/// x^1.0 of integers is computed in floats, which do not hold all of them.
static bool roundsIntegers(Operation *op) {
  return isa<PowOp>(op) &&
         isa_and_present<IntegerType>(
             optimize::getElementType(op->getOperand(0))) &&
         isa_and_present<FloatType>(
             optimize::getElementType(op->getOperand(1)));
}

namespace {
struct ForwardBesideUnit : RewritePattern {
  ForwardBesideUnit(MLIRContext *context, const RewriteOptions &options)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    std::optional<Unit> unit = getUnit(op);
    if (!unit)
      return rewriter.notifyMatchFailure(op, "the operator has no unit");
    if (roundsIntegers(op))
      return rewriter.notifyMatchFailure(op, "rounds");
    auto isUnit = [&](Value u, Value x) {
      std::optional<ArrayRef<int64_t>> shape = getShape(u);
      return isAll(u, unit->number, unit->isZero && options.noSignedZeros) &&
             broadcastsInto(*shape, x.getType());
    };
    Value x = op->getOperand(0), y = op->getOperand(1);
    if (isUnit(y, x))
      return replaceRoot(rewriter, op, x);
    if (hasFact(op, OpFact::Commutative) && isUnit(x, y))
      return replaceRoot(rewriter, op, y);
    return rewriter.notifyMatchFailure(op, "no operand is the unit");
  }

  RewriteOptions options;
};

/// 0 - x is -x.
struct NegateSubtracted : Rewriting<SubOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SubOp op,
                                PatternRewriter &rewriter) const override {
    // -0 - x has the sign of zero that Neg gives.
    if (!isAll(op.getA(), -0.0, /*anyZero=*/options.noSignedZeros) ||
        !broadcastsInto(*getShape(op.getA()), op.getB().getType()))
      return rewriter.notifyMatchFailure(op, "not 0 minus a tensor");
    Type type = optimize::getElementType(op.getB());
    if (!type || type.isUnsignedInteger())
      return rewriter.notifyMatchFailure(op, "Neg is of signed numbers");
    rewriter.replaceOpWithNewOp<NegOp>(op, op.getType(), op.getB());
    return success();
  }
};

struct DropEmptyParts : Rewriting<ConcatOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (Value input : op.getInputs())
      if (getDim(input, op.getAxis()) != 0)
        parts.push_back(input);
    if (parts.empty())
      parts.push_back(op.getInputs().front());
    if (parts.size() == op.getInputs().size())
      return rewriter.notifyMatchFailure(op, "no part is empty");
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(parts); });
    return success();
  }
};
} // namespace

namespace {
struct EliminateNopWithUnit
    : PatternsPass<onnxc::impl::EliminateNopWithUnitBase<EliminateNopWithUnit>,
                   ForwardBesideUnit, NegateSubtracted, DropEmptyParts> {};
} // namespace
