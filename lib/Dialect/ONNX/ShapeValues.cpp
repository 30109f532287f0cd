//===- ShapeValues.cpp - The integers inside shape-like operands ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/SymbolicShapes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// One little-endian integer of `bytes` bytes.
static int64_t loadInteger(const char *data, unsigned bytes, bool isUnsigned) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, bytes);
  if (isUnsigned || bytes == 8)
    return static_cast<int64_t>(bits);
  unsigned shift = 64 - 8 * bytes;
  return static_cast<int64_t>(bits << shift) >> shift;
}

std::optional<int64_t> onnxc::getInteger(ElementsAttr elements, int64_t index) {
  auto integer = dyn_cast<IntegerType>(elements.getElementType());
  if (!integer || index < 0 || index >= elements.getNumElements())
    return std::nullopt;
  if (auto dense = dyn_cast<DenseIntElementsAttr>(elements)) {
    llvm::APInt value = dense.isSplat()
                            ? dense.getSplatValue<llvm::APInt>()
                            : *(dense.value_begin<llvm::APInt>() + index);
    return integer.isUnsigned() || integer.getWidth() == 1
               ? static_cast<int64_t>(value.getZExtValue())
               : value.getSExtValue();
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  unsigned width = integer.getWidth();
  if (!resource || width % 8 != 0 || width > 64)
    return std::nullopt;
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  size_t bytes = width / 8;
  if (!blob || blob->getData().size() < (index + 1) * bytes)
    return std::nullopt;
  return loadInteger(blob->getData().data() + index * bytes, bytes,
                     integer.isUnsigned());
}

std::optional<int64_t> onnxc::getConstantInteger(Value value, int64_t index) {
  ElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  return getInteger(elements, index);
}

//===----------------------------------------------------------------------===//
// Following elements through ops
//===----------------------------------------------------------------------===//

/// Whether an integer of the type can be the number.
static bool fits(int64_t value, IntegerType type) {
  unsigned width = type.getWidth();
  if (type.isUnsigned() || width == 1)
    return value >= 0 && (width >= 64 || llvm::isUIntN(width, value));
  return width >= 64 || llvm::isIntN(width, value);
}

std::optional<Dim> ShapeElements::follow(Value value, int64_t index) {
  if (std::optional<int64_t> known = getConstantInteger(value, index))
    return builder.constant(*known);
  Operation *op = value.getDefiningOp();
  if (!op || ++steps > 256)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() > 1 || !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  // These move no element of a tensor of rank 0 or 1.
  if (hasFact(op, OpFact::Reshapes) || isa<IdentityOp>(op))
    return follow(op->getOperand(0), index);
  auto known = dyn_cast<ShapeElementsOpInterface>(op);
  std::optional<Dim> found =
      known ? known.followElement(*this, index) : std::nullopt;
  // What does not fit has wrapped around.
  if (found && found->isKnown() &&
      !fits(*found->getKnown(), cast<IntegerType>(type.getElementType())))
    return std::nullopt;
  return found;
}

std::optional<Dim> ShapeElements::followBroadcast(Value operand,
                                                  int64_t index) {
  std::optional<int64_t> length = builder.length(operand);
  if (!length)
    return std::nullopt;
  return follow(operand, *length == 1 ? 0 : index);
}

std::optional<Dim> ShapeElements::followArithmetic(Operation *op, int64_t index,
                                                   Combine combine) {
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<Dim> a = followBroadcast(op->getOperand(0), index);
  std::optional<Dim> b = a ? followBroadcast(op->getOperand(1), index) : a;
  if (!a || !b)
    return std::nullopt;
  // A narrower sum may wrap around, and then is not what a wider one is.
  auto type = cast<ShapedType>(op->getResult(0).getType());
  if (symbolic && !(a->isKnown() && b->isKnown()) &&
      type.getElementTypeBitWidth() < 64)
    return std::nullopt;
  return combine(*a, *b);
}

/// How the operands of a comparison are ordered there.
ShapeElements::Order ShapeElements::getOrder(Operation *op, int64_t index) {
  std::pair<Value, int64_t> elements[2];
  // Of numbers without a sign a difference may have wrapped around.
  bool isOrdered = true;
  for (auto [operand, element] : llvm::zip_equal(op->getOperands(), elements)) {
    std::optional<int64_t> length = builder.length(operand);
    auto type = dyn_cast<TensorType>(operand.getType());
    // A float may be NaN, which does not equal itself.
    if (!length || !isa<IntegerType>(type.getElementType()))
      return Order::Unknown;
    element = {operand, *length == 1 ? 0 : index};
    isOrdered &= !type.getElementType().isUnsignedInteger();
  }
  auto compare = [&](SymbolicShapes &shapes) {
    SymbolicDim a = shapes.getElement(elements[0].first, elements[0].second),
                b = shapes.getElement(elements[1].first, elements[1].second);
    if (shapes.isSame(a, b))
      return Order::Same;
    return !isOrdered            ? Order::Unknown
           : shapes.isLess(a, b) ? Order::Less
           : shapes.isLess(b, a) ? Order::Greater
                                 : Order::Unknown;
  };
  if (symbolic)
    return compare(*symbolic);
  SymbolicShapes shapes;
  return compare(shapes);
}

std::optional<Dim> ShapeElements::followComparison(Operation *op, int64_t index,
                                                   bool whenSame,
                                                   Compare compare) {
  // A size is not negative, which exporters ask of each.
  switch (getOrder(op, index)) {
  case Order::Same:
    return builder.constant(whenSame);
  case Order::Less:
    return builder.constant(compare(0, 1));
  case Order::Greater:
    return builder.constant(compare(1, 0));
  case Order::Unknown:
    break;
  }
  std::optional<Dim> a = followBroadcast(op->getOperand(0), index);
  std::optional<Dim> b = a ? followBroadcast(op->getOperand(1), index) : a;
  if (!a || !b || !a->isKnown() || !b->isKnown())
    return std::nullopt;
  return builder.constant(compare(*a->getKnown(), *b->getKnown()));
}

std::optional<Dim> ShapeElements::followLogic(Operation *op, int64_t index,
                                              bool deciding) {
  bool isKnown = true;
  for (Value value : op->getOperands()) {
    std::optional<Dim> operand = followBroadcast(value, index);
    if (operand && operand->is(deciding))
      return operand;
    isKnown &= operand && operand->isKnown();
  }
  if (!isKnown)
    return std::nullopt;
  return builder.constant(!deciding);
}

std::optional<Dim> onnxc::followShapeValue(ShapeBuilder &builder, Value value,
                                           int64_t index,
                                           SymbolicShapes *symbolic) {
  return ShapeElements(builder, symbolic).follow(value, index);
}

DenseElementsAttr onnxc::getKnownElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getRank() > 1)
    return {};
  auto elementType = dyn_cast<IntegerType>(type.getElementType());
  if (!elementType)
    return {};
  InferShapeBuilder builder(value.getContext(), {}, 0, nullptr);
  std::optional<llvm::SmallVector<int64_t>> integers = builder.constants(value);
  if (!integers)
    return {};
  unsigned width = elementType.getWidth();
  bool isUnsigned = elementType.isUnsigned() || width == 1;
  llvm::SmallVector<llvm::APInt> elements;
  for (int64_t integer : *integers) {
    if (width < 64 && (isUnsigned ? !llvm::isUIntN(width, integer)
                                  : !llvm::isIntN(width, integer)))
      return {};
    if (width == 64 && isUnsigned && integer < 0)
      return {};
    elements.emplace_back(width, static_cast<uint64_t>(integer), !isUnsigned);
  }
  return DenseElementsAttr::get(type, elements);
}
