//===- Ranges.cpp - Between which numbers values lie ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranges.h"

#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Chains are followed so far; each op with two operands doubles the work.
static constexpr unsigned maxDepth = 12;

static std::optional<ElementBounds> read(Value value, unsigned depth);

static ElementBounds unite(ElementBounds a, ElementBounds b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// The bounds of results that are computed in a type: nullopt if it might be
/// left.
static std::optional<ElementBounds> limit(ElementBounds range,
                                          Type elementType) {
  double greatest = 0, lowest = 0;
  if (auto type = dyn_cast<FloatType>(elementType)) {
    llvm::APFloat number = llvm::APFloat::getLargest(type.getFloatSemantics());
    greatest = number.convertToDouble();
    lowest = -greatest;
  } else if (auto type = dyn_cast<IntegerType>(elementType)) {
    bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
    greatest = std::ldexp(1.0, type.getWidth() - (isUnsigned ? 0 : 1)) - 1;
    lowest = isUnsigned ? 0 : -greatest - 1;
  } else {
    return std::nullopt;
  }
  if (!(range.low >= lowest && range.high <= greatest))
    return std::nullopt;
  return range;
}

static std::optional<ElementBounds> readConstant(ElementsAttr constant) {
  std::optional<Elements> elements = Elements::get(constant);
  if (!elements || elements->size() == 0 ||
      !elements->getElementType().isIntOrFloat())
    return std::nullopt;
  ElementBounds range{elements->getNumber(0), elements->getNumber(0)};
  for (int64_t i = 0, e = elements->isSplat() ? 1 : elements->size(); i < e;
       ++i) {
    double number = elements->getNumber(i);
    if (!std::isfinite(number))
      return std::nullopt;
    range = unite(range, {number, number});
  }
  return range;
}

/// Of operands from `first` on.
static std::optional<ElementBounds> readAll(Operation *op, unsigned first,
                                            unsigned depth) {
  std::optional<ElementBounds> all;
  for (Value operand : op->getOperands().drop_front(first)) {
    std::optional<ElementBounds> range = read(operand, depth);
    if (!range)
      return std::nullopt;
    all = all ? unite(*all, *range) : *range;
  }
  return all;
}

static std::optional<ElementBounds> readNegation(Operation *op,
                                                 unsigned depth) {
  std::optional<ElementBounds> a = read(op->getOperand(0), depth);
  return a ? std::optional(ElementBounds{-a->high, -a->low}) : std::nullopt;
}

static std::optional<ElementBounds> readArithmetic(Operation *op,
                                                   unsigned depth) {
  std::optional<ElementBounds> a = read(op->getOperand(0), depth);
  if (!a)
    return std::nullopt;
  std::optional<ElementBounds> b = read(op->getOperand(1), depth);
  if (!b)
    return std::nullopt;
  if (isa<AddOp>(op))
    return ElementBounds{a->low + b->low, a->high + b->high};
  if (isa<SubOp>(op))
    return ElementBounds{a->low - b->high, a->high - b->low};
  auto corners = {a->low * b->low, a->low * b->high, a->high * b->low,
                  a->high * b->high};
  return ElementBounds{std::min(corners), std::max(corners)};
}

/// Of the data and of what is written over it.
static std::optional<ElementBounds> readScatter(Operation *op, unsigned depth) {
  auto reduction = op->getAttrOfType<StringAttr>("reduction");
  if (reduction && reduction.getValue() != "none")
    return std::nullopt;
  std::optional<ElementBounds> data = read(op->getOperand(0), depth);
  std::optional<ElementBounds> updates =
      data ? read(op->getOperand(2), depth) : data;
  return updates ? std::optional(unite(*data, *updates)) : std::nullopt;
}

/// One number everywhere, 0 if it is not said.
static std::optional<ElementBounds> readFilled(ConstantOfShapeOp op) {
  if (!op.getValueAttr())
    return ElementBounds{0, 0};
  auto elements = dyn_cast<ElementsAttr>(op.getValueAttr());
  return elements ? readConstant(elements) : std::nullopt;
}

static std::optional<ElementBounds> read(Value value, unsigned depth) {
  Type element = getElementType(value);
  if (!element)
    return std::nullopt;
  if (ElementsAttr constant = getConstant(value))
    return readConstant(constant);
  if (element.isInteger(1))
    return ElementBounds{0, 1};
  Operation *op = value.getDefiningOp();
  // What has no bounds but its type's.
  auto any = [&]() -> std::optional<ElementBounds> {
    auto integer = dyn_cast<IntegerType>(element);
    if (!integer)
      return std::nullopt;
    double bound = std::ldexp(1.0, integer.getWidth());
    return ElementBounds{integer.isUnsigned() ? 0 : -bound / 2,
                         integer.isUnsigned() ? bound : bound / 2};
  };
  if (!op || depth == 0)
    return any();
  std::optional<ElementBounds> range;
  if (hasFact(op, OpFact::MovesElements))
    range = read(op->getOperand(0), depth - 1);
  else if (isa<ConcatOp>(op))
    range = readAll(op, 0, depth - 1);
  else if (isa<WhereOp>(op))
    range = readAll(op, 1, depth - 1);
  else if (isa<CastOp>(op))
    range = read(op->getOperand(0), depth - 1);
  else if (isa<ScatterNDOp, ScatterElementsOp>(op))
    range = readScatter(op, depth - 1);
  else if (auto filled = dyn_cast<ConstantOfShapeOp>(op))
    range = readFilled(filled);
  else if (isa<TriluOp>(op)) {
    if ((range = read(op->getOperand(0), depth - 1)))
      range = unite(*range, {0, 0});
  } else if (isa<NegOp>(op))
    range = readNegation(op, depth - 1);
  else if (isa<AddOp, SubOp, MulOp>(op))
    range = readArithmetic(op, depth - 1);
  if (range)
    range = limit(*range, element);
  return range ? range : any();
}

std::optional<ElementBounds> optimize::getRange(Value value) {
  return read(value, maxDepth);
}
