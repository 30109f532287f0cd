//===- Combiner.cpp - Joining partial results of a reduction --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;

std::optional<Combiner> onnxc::matchCombiner(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op->getNumRegions() != 1)
    return std::nullopt;
  Block *body = op.getBlock();
  BlockArgument acc = body->getArguments().back();
  Operation *combine = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!combine || combine->getBlock() != body || !acc.hasOneUse() ||
      *acc.user_begin() != combine || combine->getNumOperands() != 2)
    return std::nullopt;
  if (!arith::getNeutralElement(combine) || !linalg::getCombinerOpKind(combine))
    return std::nullopt;
  Combiner result;
  result.op = combine;
  result.term = combine->getOperand(combine->getOperand(0) == acc ? 1 : 0);
  return result;
}

Value onnxc::joinLanes(OpBuilder &b, Location loc, Operation *combiner,
                       Value partial) {
  using arith::FastMathFlags;
  using vector::CombiningKind;
  CombiningKind kind = *linalg::getCombinerOpKind(combiner);
  // The accumulators of these two are never NaN.
  if (kind == CombiningKind::MAXNUMF || kind == CombiningKind::MINNUMF)
    return vector::ReductionOp::create(
        b, loc, kind, partial, FastMathFlags::nnan | FastMathFlags::nsz);
  bool isMax = kind == CombiningKind::MAXIMUMF;
  if (!isMax && kind != CombiningKind::MINIMUMF)
    return vector::ReductionOp::create(b, loc, kind, partial,
                                       FastMathFlags::reassoc);
  // To look for NaN once is cheaper than in every step.
  Value best = vector::ReductionOp::create(
      b, loc, isMax ? CombiningKind::MAXNUMF : CombiningKind::MINNUMF, partial,
      FastMathFlags::nnan | FastMathFlags::nsz);
  Value unordered = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                          partial, partial);
  Value isNaN =
      vector::ReductionOp::create(b, loc, CombiningKind::OR, unordered);
  auto type = cast<FloatType>(best.getType());
  Value nan = arith::ConstantOp::create(
      b, loc,
      b.getFloatAttr(type, llvm::APFloat::getNaN(type.getFloatSemantics())));
  return arith::SelectOp::create(b, loc, isNaN, nan, best);
}

Value onnxc::neutralOf(OpBuilder &b, Location loc, Operation *combiner) {
  // x + -0.0 is x for every x, also for -0.0; upstream agrees.
  std::optional<TypedAttr> value = arith::getNeutralElement(combiner);
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner)) {
    auto type =
        cast<FloatType>(getElementTypeOrSelf(combiner->getResult(0).getType()));
    value =
        b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(),
                                             isa<arith::MaxNumFOp>(combiner)));
  }
  return arith::ConstantOp::create(b, loc, *value);
}

Value onnxc::combine(OpBuilder &b, Location loc, Operation *combiner,
                     Value term, Value accumulator) {
  using arith::CmpFPredicate;
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner)) {
    // One instruction, as only the term may be NaN.
    bool isMax = isa<arith::MaxNumFOp>(combiner);
    Value wins = arith::CmpFOp::create(
        b, loc, isMax ? CmpFPredicate::OGT : CmpFPredicate::OLT, term,
        accumulator);
    return arith::SelectOp::create(b, loc, wins, term, accumulator);
  }
  OperationState state(loc, combiner->getName());
  state.addOperands({accumulator, term});
  state.addTypes(term.getType());
  state.addAttributes(combiner->getAttrs());
  ignoreZeroSigns(state);
  return b.create(state)->getResult(0);
}

void onnxc::ignoreZeroSigns(OperationState &state) {
  if (state.name.getStringRef() == arith::MaximumFOp::getOperationName() ||
      state.name.getStringRef() == arith::MinimumFOp::getOperationName())
    state.attributes.set(
        "fastmath", arith::FastMathFlagsAttr::get(state.getContext(),
                                                  arith::FastMathFlags::nsz));
}
