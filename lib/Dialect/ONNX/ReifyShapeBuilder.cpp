//===- ReifyShapeBuilder.cpp - Shape rules read as code -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ShapeBuilder.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

ReifyShapeBuilder::ReifyShapeBuilder(OpBuilder &builder, Location loc,
                                     ValueRange operands, unsigned numResults,
                                     std::optional<std::string> checkPrefix)
    : ShapeBuilder(builder.getContext(), operands, numResults),
      builder(builder), loc(loc), checkPrefix(std::move(checkPrefix)) {}

FailureOr<llvm::SmallVector<OpFoldResult>>
ReifyShapeBuilder::getResultDims(unsigned index, RankedTensorType declared) {
  if (invalid || index >= results.size() || !results[index].dims)
    return failure();
  const Dims &all = *results[index].dims;
  if (declared && declared.getRank() != static_cast<int64_t>(all.size()))
    return failure();
  llvm::SmallVector<OpFoldResult> dims;
  for (auto [i, dim] : llvm::enumerate(all)) {
    if (declared && !declared.isDynamicDim(i))
      dims.push_back(builder.getIndexAttr(declared.getDimSize(i)));
    else if (dim.isKnown() && !declared)
      dims.push_back(builder.getIndexAttr(*dim.getKnown()));
    else if (Value ssa = materialize(dim))
      dims.push_back(ssa);
    else
      return failure();
  }
  return dims;
}

Value ReifyShapeBuilder::materialize(const Dim &dim) {
  if (dim.isKnown())
    return arith::ConstantIndexOp::create(builder, loc, *dim.getKnown());
  return Value::getFromOpaquePointer(getAttached(dim));
}

Dim ReifyShapeBuilder::dynamicDim(Value value, int64_t index) {
  return makeDim(builder.createOrFold<tensor::DimOp>(loc, value, index));
}

Dim ReifyShapeBuilder::dynamicValue(Value value, int64_t index) {
  if (std::optional<Dim> followed = followShapeValue(*this, value, index))
    return *followed;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() > 1 || !type.getElementType().isSignlessInteger())
    return unknown();
  llvm::SmallVector<Value> indices;
  if (type.getRank() == 1)
    indices.push_back(arith::ConstantIndexOp::create(builder, loc, index));
  Value element = builder.createOrFold<tensor::ExtractOp>(loc, value, indices);
  return makeDim(builder.createOrFold<arith::IndexCastOp>(
      loc, builder.getIndexType(), element));
}

/// `index` as a value times a number.
static std::pair<Value, int64_t> splitFactor(Value index) {
  int64_t factor = 1, product;
  while (auto mul = index.getDefiningOp<arith::MulIOp>()) {
    std::optional<int64_t> known = getConstantIntValue(mul.getRhs());
    if (!known || llvm::MulOverflow(factor, *known, product))
      break;
    factor = product;
    index = mul.getLhs();
  }
  return {index, factor};
}

/// The quotient where the dividend is a multiple of the number that it is
/// divided by: what is flattened and set up again has its own sizes. Products
/// of sizes are taken to fit. Null elsewhere.
static Value divideFactor(OpBuilder &b, Location loc, Value dividend,
                          Value divisor) {
  std::optional<int64_t> by = getConstantIntValue(divisor);
  auto [value, factor] = splitFactor(dividend);
  if (!by || *by <= 0 || factor % *by != 0)
    return {};
  Value rest = arith::ConstantIndexOp::create(b, loc, factor / *by);
  return b.createOrFold<arith::MulIOp>(loc, value, rest);
}

/// Whether an index is a size or computed of sizes: 0 or more. Sums and
/// products of sizes are taken to fit.
static bool isSize(Value index, unsigned depth = 8) {
  Operation *op = index.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (isa<tensor::DimOp>(op))
    return true;
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return *known >= 0;
  ValueRange operands = op->getOperands();
  if (isa<arith::SelectOp>(op))
    operands = operands.drop_front();
  else if (!isa<arith::AddIOp, arith::MulIOp, arith::FloorDivSIOp,
                arith::CeilDivSIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return false;
  return llvm::all_of(
      operands, [&](Value operand) { return isSize(operand, depth - 1); });
}

Dim ReifyShapeBuilder::dynamicArith(Arith kind, const Dim &a, const Dim &b) {
  Value x = materialize(a), y = materialize(b);
  if (!x || !y)
    return unknown();
  if (kind == Arith::FloorDiv || kind == Arith::CeilDiv)
    if (Value quotient = divideFactor(builder, loc, x, y))
      return makeDim(quotient);
  // A length is asked to be none below 0, which a size is not.
  if (kind == Arith::Max && b.isKnown() && *b.getKnown() <= 0 && isSize(x))
    return a;
  switch (kind) {
  case Arith::Add:
    return makeDim(builder.createOrFold<arith::AddIOp>(loc, x, y));
  case Arith::Sub:
    return makeDim(builder.createOrFold<arith::SubIOp>(loc, x, y));
  case Arith::Mul:
    return makeDim(builder.createOrFold<arith::MulIOp>(loc, x, y));
  case Arith::FloorDiv:
    return makeDim(builder.createOrFold<arith::FloorDivSIOp>(loc, x, y));
  case Arith::CeilDiv:
    return makeDim(builder.createOrFold<arith::CeilDivSIOp>(loc, x, y));
  case Arith::Min:
    return makeDim(builder.createOrFold<arith::MinSIOp>(loc, x, y));
  case Arith::Max:
    return makeDim(builder.createOrFold<arith::MaxSIOp>(loc, x, y));
  }
  return unknown();
}

Value ReifyShapeBuilder::compare(Relation relation, const Dim &a,
                                 const Dim &b) {
  Value x = materialize(a), y = materialize(b);
  if (!x || !y)
    return {};
  // A size that an operand tells is not one to be inferred, and sizes behind
  // it are then the same values.
  if (b.isKnown() && *b.getKnown() < 0 && isSize(x))
    return arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 0);
  arith::CmpIPredicate predicate =
      relation == Relation::Equal  ? arith::CmpIPredicate::eq
      : relation == Relation::Less ? arith::CmpIPredicate::slt
                                   : arith::CmpIPredicate::sle;
  return builder.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
}

/// Takes `index` apart into a number and what is multiplied with it.
static void takeFactors(Value index, int64_t &number,
                        llvm::SmallVectorImpl<void *> &others) {
  int64_t product;
  if (auto mul = index.getDefiningOp<arith::MulIOp>()) {
    takeFactors(mul.getLhs(), number, others);
    takeFactors(mul.getRhs(), number, others);
  } else if (std::optional<int64_t> known = getConstantIntValue(index);
             known && !llvm::MulOverflow(number, *known, product)) {
    number = product;
  } else {
    others.push_back(index.getAsOpaquePointer());
  }
}

bool ReifyShapeBuilder::dynamicIsSame(const Dim &a, const Dim &b) {
  Value x = materialize(a), y = materialize(b);
  if (!x || !y)
    return false;
  int64_t ofX = 1, ofY = 1;
  llvm::SmallVector<void *> othersOfX, othersOfY;
  takeFactors(x, ofX, othersOfX);
  takeFactors(y, ofY, othersOfY);
  llvm::sort(othersOfX);
  llvm::sort(othersOfY);
  return ofX == ofY && othersOfX == othersOfY;
}

bool ReifyShapeBuilder::dynamicAreZeroTogether(const Dim &a, const Dim &b) {
  Value x = materialize(a), y = materialize(b);
  if (!x || !y)
    return false;
  // Multiples of one value.
  auto [ofX, xFactor] = splitFactor(x);
  auto [ofY, yFactor] = splitFactor(y);
  return ofX == ofY && xFactor != 0 && yFactor != 0;
}

Dim ReifyShapeBuilder::dynamicSelect(Relation relation, const Dim &a,
                                     const Dim &b, const Dim &yes,
                                     const Dim &no) {
  Value condition = compare(relation, a, b);
  Value x = materialize(yes), y = materialize(no);
  if (!condition || !x || !y)
    return unknown();
  return makeDim(builder.createOrFold<arith::SelectOp>(loc, condition, x, y));
}

Dim ReifyShapeBuilder::dynamicBroadcast(const Dim &a, const Dim &b,
                                        const llvm::Twine &message) {
  Dim one = constant(1);
  Value aIsOne = compare(Relation::Equal, a, one);
  if (!aIsOne)
    return unknown();
  if (checkPrefix) {
    Value equal = compare(Relation::Equal, a, b);
    Value fits = arith::OrIOp::create(builder, loc, equal, aIsOne);
    if (!b.isKnown())
      fits = arith::OrIOp::create(builder, loc, fits,
                                  compare(Relation::Equal, b, one));
    cf::AssertOp::create(builder, loc, fits, (*checkPrefix + message).str());
  }
  if (b.isKnown()) // and not 1, see ShapeBuilder::broadcast
    return b;
  Value stretched = materialize(b);
  return makeDim(builder.createOrFold<arith::SelectOp>(loc, aIsOne, stretched,
                                                       materialize(a)));
}

void ReifyShapeBuilder::check(Relation relation, const Dim &a, const Dim &b,
                              const llvm::Twine &message) {
  if (!checkPrefix)
    return;
  if (Value holds = compare(relation, a, b))
    cf::AssertOp::create(builder, loc, holds, (*checkPrefix + message).str());
}
