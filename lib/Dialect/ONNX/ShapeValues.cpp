//===- ShapeValues.cpp - The integers inside shape-like operands ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/SymbolicShapes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/TypeSwitch.h"
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

static std::optional<int64_t> getElement(ElementsAttr elements, int64_t index) {
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
  return getElement(elements, index);
}

//===----------------------------------------------------------------------===//
// Following elements through ops
//===----------------------------------------------------------------------===//

namespace {

/// Follows one element; `depth` bounds the walk, since chains may be long and
/// fan out at every binary op.
class ShapeValueFollower {
public:
  ShapeValueFollower(ShapeBuilder &builder, SymbolicShapes *symbolic)
      : builder(builder), symbolic(symbolic) {}

  std::optional<Dim> follow(Value value, int64_t index) {
    if (std::optional<int64_t> known = getConstantInteger(value, index))
      return builder.constant(*known);
    Operation *op = value.getDefiningOp();
    if (!op || op->getName().getDialectNamespace() != "onnx" || ++steps > 256)
      return std::nullopt;
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() > 1 || !isa<IntegerType>(type.getElementType()))
      return std::nullopt;
    std::optional<Dim> found = followOp(op, index);
    // What does not fit has wrapped around.
    if (found && found->isKnown() &&
        !fits(*found->getKnown(), cast<IntegerType>(type.getElementType())))
      return std::nullopt;
    return found;
  }

private:
  std::optional<Dim> followOp(Operation *op, int64_t index) {
    // These move no element of a tensor of rank 0 or 1.
    if (hasFact(op, OpFact::Reshapes) || isa<IdentityOp>(op))
      return follow(op->getOperand(0), index);
    return llvm::TypeSwitch<Operation *, std::optional<Dim>>(op)
        .Case([&](ShapeOp shape) { return followShape(shape, index); })
        .Case([&](SizeOp size) { return followSize(size); })
        .Case([&](GatherOp gather) { return followGather(gather, index); })
        .Case([&](ConcatOp concat) { return followConcat(concat, index); })
        .Case([&](SliceOp slice) { return followSlice(slice, index); })
        .Case([&](CastOp cast) { return followCast(cast, index); })
        .Case<AddOp, SubOp, MulOp>(
            [&](auto arith) { return followArith(arith, index); })
        .Case<DivOp, MinOp, MaxOp>(
            [&](auto arith) { return followArith(arith, index); })
        .Case<EqualOp, LessOp, GreaterOp>([&](auto comparison) {
          return followComparison(comparison, index);
        })
        .Case([&](NotOp inverse) { return followNot(inverse, index); })
        .Case<AndOp, OrOp>(
            [&](auto logic) { return followLogic(logic, index); })
        .Case([&](WhereOp where) { return followWhere(where, index); })
        .Case([&](ConstantOfShapeOp filled) {
          return followConstantOfShape(filled);
        })
        .Case([&](ExpandOp expand) { return followOperand(expand, 0, index); })
        .Case([&](RangeOp range) { return followRange(range, index); })
        .Case([&](ReduceProdOp reduce) { return followProduct(reduce); })
        .Default(std::nullopt);
  }

  static bool fits(int64_t value, IntegerType type) {
    unsigned width = type.getWidth();
    if (type.isUnsigned() || width == 1)
      return value >= 0 && (width >= 64 || llvm::isUIntN(width, value));
    return width >= 64 || llvm::isIntN(width, value);
  }

  static int64_t getInteger(Operation *op, llvm::StringRef name,
                            int64_t otherwise) {
    auto attr = op->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : otherwise;
  }

  std::optional<Dim> followShape(Operation *op, int64_t index) {
    Value data = op->getOperand(0);
    if (!builder.ranked(data))
      return std::nullopt;
    int64_t rank = builder.rank(data);
    int64_t start = getInteger(op, "start", 0);
    if (start < 0)
      start = std::max<int64_t>(start + rank, 0);
    if (index < 0 || start > rank || index >= rank - start)
      return std::nullopt;
    return builder.dim(data, start + index);
  }

  std::optional<Dim> followSize(Operation *op) {
    if (!builder.ranked(op->getOperand(0)))
      return std::nullopt;
    return builder.size(op->getOperand(0));
  }

  std::optional<Dim> followGather(Operation *op, int64_t index) {
    Value data = op->getOperand(0);
    std::optional<int64_t> length = builder.length(data);
    std::optional<int64_t> which = getConstantInteger(op->getOperand(1), index);
    if (!length || !which)
      return std::nullopt;
    int64_t at = *which < 0 ? *which + *length : *which;
    if (at < 0 || at >= *length)
      return std::nullopt;
    return follow(data, at);
  }

  std::optional<Dim> followConcat(Operation *op, int64_t index) {
    for (Value part : op->getOperands()) {
      std::optional<int64_t> length = builder.length(part);
      if (!length)
        return std::nullopt;
      if (index < *length)
        return follow(part, index);
      index -= *length;
    }
    return std::nullopt;
  }

  std::optional<Dim> followSlice(Operation *op, int64_t index) {
    Value data = op->getOperand(0);
    std::optional<int64_t> length = builder.length(data);
    // With axes or not: a tensor of rank 1 has one.
    auto start = getConstantInteger(op->getOperand(1), 0);
    int64_t step = 1;
    auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
    if (segments && segments.size() == 5 && segments[4] == 1) {
      std::optional<int64_t> given =
          getConstantInteger(op->getOperands().back(), 0);
      if (!given)
        return std::nullopt;
      step = *given;
    }
    if (!length || !start || step == 0 || step < -*length || step > *length)
      return std::nullopt;
    int64_t first = *start < 0 ? *start + *length : *start;
    first = std::clamp<int64_t>(first, 0, step < 0 ? *length - 1 : *length);
    int64_t at = first + index * step;
    if (index > *length || at < 0 || at >= *length)
      return std::nullopt;
    return follow(data, at);
  }

  std::optional<Dim> followCast(Operation *op, int64_t index) {
    auto to = cast<ShapedType>(op->getResult(0).getType()).getElementType();
    // Narrower integers would wrap.
    if (!to.isInteger(64) && !to.isInteger(32))
      return std::nullopt;
    return follow(op->getOperand(0), index);
  }

  /// Element `index` of an operand that broadcasts to a vector.
  std::optional<Dim> followOperand(Operation *op, unsigned i, int64_t index) {
    Value operand = op->getOperand(i);
    std::optional<int64_t> length = builder.length(operand);
    if (!length)
      return std::nullopt;
    return follow(operand, *length == 1 ? 0 : index);
  }

  std::optional<Dim> followArith(Operation *op, int64_t index) {
    if (op->getNumOperands() != 2)
      return std::nullopt;
    std::optional<Dim> left = followOperand(op, 0, index);
    std::optional<Dim> right = left ? followOperand(op, 1, index) : left;
    if (!left || !right)
      return std::nullopt;
    Dim a = *left, b = *right;
    // Integers that are not dims may wrap around, which is not an error.
    if (a.isKnown() && b.isKnown()) {
      int64_t x = *a.getKnown(), y = *b.getKnown(), ignored;
      if ((isa<AddOp>(op) && llvm::AddOverflow(x, y, ignored)) ||
          (isa<SubOp>(op) && llvm::SubOverflow(x, y, ignored)) ||
          (isa<MulOp>(op) && llvm::MulOverflow(x, y, ignored)))
        return std::nullopt;
    }
    // A narrower sum may wrap around, and then is not what a wider one is.
    auto type = cast<ShapedType>(op->getResult(0).getType());
    if (symbolic && !(a.isKnown() && b.isKnown()) &&
        type.getElementTypeBitWidth() < 64)
      return std::nullopt;
    if (isa<AddOp>(op))
      return a + b;
    if (isa<SubOp>(op))
      return a - b;
    if (isa<MulOp>(op))
      return a * b;
    if (isa<MinOp>(op))
      return builder.min(a, b);
    if (isa<MaxOp>(op))
      return builder.max(a, b);
    // Div rounds towards zero: the same as floordiv where nothing is negative,
    // which holds of dims but not of every integer.
    if (b.isKnown() && *b.getKnown() > 0 &&
        (!a.isKnown() || *a.getKnown() >= 0))
      return builder.floordiv(a, b);
    return std::nullopt;
  }

  /// Whether both operands of a comparison are the same integer there.
  bool isSame(Operation *op, int64_t index) {
    std::pair<Value, int64_t> elements[2];
    for (auto [operand, element] :
         llvm::zip_equal(op->getOperands(), elements)) {
      std::optional<int64_t> length = builder.length(operand);
      auto type = dyn_cast<TensorType>(operand.getType());
      // A float may be NaN, which does not equal itself.
      if (!length || !isa<IntegerType>(type.getElementType()))
        return false;
      element = {operand, *length == 1 ? 0 : index};
    }
    auto [a, b] = elements;
    if (symbolic)
      return symbolic->isSame(symbolic->getElement(a.first, a.second),
                              symbolic->getElement(b.first, b.second));
    SymbolicShapes shapes;
    return shapes.isSame(shapes.getElement(a.first, a.second),
                         shapes.getElement(b.first, b.second));
  }

  std::optional<Dim> followNot(Operation *op, int64_t index) {
    std::optional<Dim> operand = followOperand(op, 0, index);
    if (!operand || !operand->isKnown())
      return std::nullopt;
    return builder.constant(operand->is(0));
  }

  /// One operand is enough where it decides.
  std::optional<Dim> followLogic(Operation *op, int64_t index) {
    const int64_t deciding = isa<OrOp>(op);
    bool isKnown = true;
    for (unsigned i : {0, 1}) {
      std::optional<Dim> operand = followOperand(op, i, index);
      if (operand && operand->is(deciding))
        return operand;
      isKnown &= operand && operand->isKnown();
    }
    if (!isKnown)
      return std::nullopt;
    return builder.constant(1 - deciding);
  }

  std::optional<Dim> followComparison(Operation *op, int64_t index) {
    if (isSame(op, index))
      return builder.constant(isa<EqualOp>(op));
    std::optional<Dim> a = followOperand(op, 0, index);
    std::optional<Dim> b = a ? followOperand(op, 1, index) : a;
    if (!a || !b || !a->isKnown() || !b->isKnown())
      return std::nullopt;
    int64_t x = *a->getKnown(), y = *b->getKnown();
    return builder.constant(isa<EqualOp>(op)  ? x == y
                            : isa<LessOp>(op) ? x < y
                                              : x > y);
  }

  std::optional<Dim> followWhere(Operation *op, int64_t index) {
    std::optional<Dim> condition = followOperand(op, 0, index);
    if (!condition || !condition->isKnown())
      return std::nullopt;
    return followOperand(op, condition->is(0) ? 2 : 1, index);
  }

  std::optional<Dim> followConstantOfShape(Operation *op) {
    auto value = op->getAttrOfType<ElementsAttr>("value");
    std::optional<int64_t> element =
        value ? getElement(value, 0) : std::nullopt;
    if (!element)
      return std::nullopt;
    return builder.constant(*element);
  }

  std::optional<Dim> followRange(Operation *op, int64_t index) {
    std::optional<Dim> start = follow(op->getOperand(0), 0);
    std::optional<Dim> delta = start ? follow(op->getOperand(2), 0) : start;
    if (!start || !delta || !start->isKnown() || !delta->isKnown())
      return std::nullopt;
    int64_t offset, element;
    if (llvm::MulOverflow(*delta->getKnown(), index, offset) ||
        llvm::AddOverflow(*start->getKnown(), offset, element))
      return std::nullopt;
    return builder.constant(element);
  }

  /// Of a whole vector: the only reduction that has one element.
  std::optional<Dim> followProduct(Operation *op) {
    std::optional<int64_t> length = builder.length(op->getOperand(0));
    auto type = cast<ShapedType>(op->getResult(0).getType());
    auto input = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    if (!length || *length > 16 || !type.hasStaticShape() ||
        type.getNumElements() != 1 || !input || input.getRank() != 1)
      return std::nullopt;
    Dim product = builder.constant(1);
    for (int64_t i = 0; i < *length; ++i) {
      std::optional<Dim> factor = follow(op->getOperand(0), i);
      int64_t ignored;
      if (!factor || (factor->isKnown() && product.isKnown() &&
                      llvm::MulOverflow(*factor->getKnown(),
                                        *product.getKnown(), ignored)))
        return std::nullopt;
      product = product * *factor;
    }
    return product;
  }

  ShapeBuilder &builder;
  SymbolicShapes *symbolic;
  unsigned steps = 0;
};

} // namespace

std::optional<Dim> onnxc::followShapeValue(ShapeBuilder &builder, Value value,
                                           int64_t index,
                                           SymbolicShapes *symbolic) {
  return ShapeValueFollower(builder, symbolic).follow(value, index);
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
