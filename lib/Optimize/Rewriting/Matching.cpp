//===- Matching.cpp - What patterns ask about values ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matching.h"

#include "Rewriting.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Random.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

ElementsAttr optimize::getConstant(Value value) {
  Attribute attribute;
  if (!value || !value.getDefiningOp<ConstantOp>() ||
      !matchPattern(value, m_Constant(&attribute)))
    return {};
  // A sparse one is not an ElementsAttr: what it is sparse in has to be said
  // somewhere.
  return dyn_cast_or_null<ElementsAttr>(attribute);
}

bool optimize::isConstant(Value value) {
  return static_cast<bool>(getConstant(value));
}

bool optimize::isInitializer(Operation *constant) {
  if (!isa<ConstantOp>(constant))
    return false;
  SourceAttr source = getSource(constant->getLoc());
  return constant->hasAttr(model::initializer) ||
         (source && source.getOp().getValue() == "Initializer");
}

std::optional<SmallVector<int64_t>> optimize::getIntegers(Value value,
                                                          int64_t limit) {
  std::optional<Elements> elements = Elements::get(getConstant(value));
  if (!elements || elements->size() > limit ||
      !isa<IntegerType>(elements->getElementType()))
    return std::nullopt;
  SmallVector<int64_t> integers;
  for (int64_t i = 0; i < elements->size(); ++i)
    integers.push_back(elements->getInteger(i));
  return integers;
}

std::optional<int64_t> optimize::getInteger(Value value) {
  std::optional<SmallVector<int64_t>> integers = getIntegers(value, 1);
  return integers && integers->size() == 1 ? std::optional(integers->front())
                                           : std::nullopt;
}

std::optional<double> optimize::getNumber(Value value) {
  std::optional<Elements> elements = Elements::get(getConstant(value));
  if (!elements || elements->size() != 1 ||
      !elements->getElementType().isIntOrFloat())
    return std::nullopt;
  return elements->getNumber(0);
}

bool optimize::isAll(Value value, double number, bool anyZero) {
  std::optional<Elements> elements = Elements::get(getConstant(value));
  if (!elements || !elements->getElementType().isIntOrFloat())
    return false;
  bool isFloat = isa<FloatType>(elements->getElementType());
  for (int64_t i = 0, e = elements->isSplat() ? 1 : elements->size(); i < e;
       ++i) {
    double element = elements->getNumber(i);
    if (element != number)
      return false;
    if (isFloat && number == 0 && !anyZero &&
        std::signbit(element) != std::signbit(number))
      return false;
  }
  return true;
}

bool optimize::areSameConstant(Value a, Value b) {
  ElementsAttr left = getConstant(a), right = getConstant(b);
  if (!left || !right || left.getType() != right.getType())
    return false;
  if (left == right)
    return true;
  std::optional<Elements> x = Elements::get(left), y = Elements::get(right);
  if (!x || !y)
    return false;
  if (!x->isSplat() && !y->isSplat())
    return x->getRaw() == y->getRaw();
  for (int64_t i = 0; i < x->size(); ++i)
    if (x->getBytes(i) != y->getBytes(i))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The type of a value, of a constant that of its data.
static RankedTensorType getRankedType(Value value) {
  if (!value)
    return {};
  if (ElementsAttr constant = getConstant(value))
    return dyn_cast<RankedTensorType>(constant.getType());
  return dyn_cast<RankedTensorType>(value.getType());
}

RankedTensorType optimize::getStaticType(Value value) {
  RankedTensorType type = getRankedType(value);
  return type && type.hasStaticShape() ? type : RankedTensorType();
}

std::optional<int64_t> optimize::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

std::optional<SmallVector<int64_t>> optimize::getShapeElements(Value value) {
  auto op = value ? value.getDefiningOp<ShapeOp>() : ShapeOp();
  std::optional<ArrayRef<int64_t>> dims =
      op ? getShape(op.getData()) : std::nullopt;
  if (!dims)
    return std::nullopt;
  int64_t rank = dims->size();
  auto clamp = [&](int64_t bound) {
    return std::clamp<int64_t>(bound < 0 ? bound + rank : bound, 0, rank);
  };
  int64_t start = clamp(op.getStart());
  int64_t end = clamp(op.getEnd().value_or(rank));
  if (end <= start)
    return SmallVector<int64_t>();
  return SmallVector<int64_t>(dims->slice(start, end - start));
}

std::optional<SmallVector<int64_t>>
optimize::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> normalized;
  for (int64_t axis : axes) {
    std::optional<int64_t> place = normalizeAxis(axis, rank);
    if (!place || llvm::is_contained(normalized, *place))
      return std::nullopt;
    normalized.push_back(*place);
  }
  return normalized;
}

std::optional<SmallVector<int64_t>>
optimize::resolveAxes(ArrayRef<int64_t> axes, std::optional<int64_t> rank) {
  if (rank)
    return normalizeAxes(axes, *rank);
  if (llvm::any_of(axes, [](int64_t axis) { return axis < 0; }))
    return std::nullopt;
  return normalizeAxes(axes, std::numeric_limits<int64_t>::max());
}

bool optimize::isPermutation(ArrayRef<int64_t> perm) {
  return llvm::all_of(perm, [](int64_t axis) { return axis >= 0; }) &&
         normalizeAxes(perm, perm.size()).has_value();
}

bool optimize::isIdentityPermutation(ArrayRef<int64_t> perm) {
  return llvm::all_of(llvm::enumerate(perm), [](auto place) {
    return place.value() == static_cast<int64_t>(place.index());
  });
}

std::optional<SmallVector<int64_t>>
optimize::getReducedAxes(Operation *reduction) {
  std::optional<int64_t> rank = getRank(reduction->getOperand(0));
  if (!rank)
    return std::nullopt;
  auto getAttribute = [&](StringRef name) {
    auto attribute = reduction->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  std::optional<SmallVector<int64_t>> axes = SmallVector<int64_t>();
  if (isa<ArgMaxOp, ArgMinOp>(reduction))
    axes->push_back(getAttribute("axis"));
  else if (reduction->getNumOperands() > 1)
    axes = getIntegers(reduction->getOperand(1));
  if (!axes)
    return std::nullopt;
  if (axes->empty() && getAttribute("noop_with_empty_axes") == 0)
    return llvm::to_vector(llvm::seq<int64_t>(0, *rank));
  axes = normalizeAxes(*axes, *rank);
  if (axes)
    llvm::sort(*axes);
  return axes;
}

bool optimize::broadcastsInto(ArrayRef<int64_t> shape, Type type) {
  if (shape.empty())
    return isa<TensorType>(type);
  auto into = dyn_cast<RankedTensorType>(type);
  if (!into || static_cast<int64_t>(shape.size()) > into.getRank())
    return false;
  return llvm::all_of(
      llvm::zip(llvm::reverse(shape), llvm::reverse(into.getShape())),
      [](auto dims) {
        auto [mine, other] = dims;
        return mine == 1 || (!ShapedType::isDynamic(mine) && mine == other);
      });
}

bool optimize::haveSameShape(Value a, Value b) {
  if (a == b)
    return true;
  RankedTensorType left = getStaticType(a), right = getStaticType(b);
  return left && right && left.getShape() == right.getShape();
}

bool optimize::isShapeOf(Value shape, Value value) {
  auto op = shape.getDefiningOp<ShapeOp>();
  return op && op.getStart() == 0 && !op.getEnd() &&
         haveSameShape(op.getData(), value);
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

func::FuncOp optimize::getEntry(ModuleOp module) {
  for (auto func : module.getOps<func::FuncOp>())
    if (func->hasAttr(model::entry) && !func.isExternal())
      return func;
  return nullptr;
}

static std::string getArgumentName(BlockArgument argument) {
  auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (func)
    if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      model::name))
      return name.str();
  auto name = dyn_cast<NameLoc>(argument.getLoc());
  return name ? name.getName().str() : "";
}

std::string optimize::getValueName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getArgumentName(argument);
  auto result = cast<OpResult>(value);
  SourceAttr source = getSource(result.getOwner()->getLoc());
  ArrayAttr outputs = source ? source.getOutputs() : nullptr;
  if (!outputs)
    return "";
  // Omitted outputs are not results but of a generic node.
  unsigned number = result.getResultNumber();
  bool countsOmitted = isa<NodeOp>(result.getOwner());
  for (auto output : outputs.getAsRange<StringAttr>())
    if ((countsOmitted || !output.getValue().empty()) && number-- == 0)
      return output.str();
  return "";
}

//===----------------------------------------------------------------------===//
// Determinism
//===----------------------------------------------------------------------===//

/// Whether an `onnx.node` is of an operator that draws, or may.
static bool isRandom(NodeOp node) {
  const OpFacts *facts = getFacts(node.getDomain(), node.getOpType());
  return facts && facts->family == Family::Random;
}

/// Before opset 12, "this output is not filled" in inference: each runtime has
/// its own mask.
static bool hasMaskOfAnyKind(DropoutOp op) {
  static constexpr int64_t firstOpsetWithMask = 12;
  return op.getMask() && !op.getMask().use_empty() &&
         getOpset(op) < firstOpsetWithMask;
}

bool optimize::isDeterministic(Operation *op) {
  if (auto dropout = dyn_cast<DropoutOp>(op))
    if (hasMaskOfAnyKind(dropout))
      return false;
  if (auto node = dyn_cast<NodeOp>(op)) {
    bool isOnnx = node.getDomain().empty() || node.getDomain() == "ai.onnx.ml";
    if (!isOnnx || isRandom(node))
      return false;
  } else if (!isa_and_present<ONNXDialect>(op->getDialect())) {
    return false;
  } else if (op->getNumRegions() == 0 && !isMemoryEffectFree(op)) {
    return false;
  }
  return llvm::all_of(op->getRegions(), [](Region &region) {
    return llvm::all_of(region.getOps(), [](Operation &inner) {
      return isDeterministic(&inner);
    });
  });
}

bool optimize::isReshape(Operation *op) {
  return hasFact(op, OpFact::Reshapes);
}

std::optional<SmallVector<int64_t>> optimize::getPermutation(Operation *op) {
  auto transpose = dyn_cast_or_null<TransposeOp>(op);
  if (!transpose)
    return std::nullopt;
  std::optional<int64_t> rank = getRank(transpose.getData());
  if (transpose.getPerm()) {
    SmallVector<int64_t> perm(*transpose.getPerm());
    SmallVector<bool> seen(perm.size(), false);
    for (int64_t axis : perm) {
      if (axis < 0 || axis >= static_cast<int64_t>(perm.size()) || seen[axis])
        return std::nullopt;
      seen[axis] = true;
    }
    if (rank && *rank != static_cast<int64_t>(perm.size()))
      return std::nullopt;
    return perm;
  }
  if (!rank)
    return std::nullopt;
  SmallVector<int64_t> perm;
  for (int64_t axis = *rank - 1; axis >= 0; --axis)
    perm.push_back(axis);
  return perm;
}

bool optimize::hasSureNumbers(Operation *op) {
  static constexpr size_t maxVisited = 256;
  llvm::SetVector<Value> visited;
  visited.insert_range(op->getOperands().drop_front());
  for (size_t i = 0; i < visited.size(); ++i) {
    Operation *from = visited[i].getDefiningOp();
    if (isConstant(visited[i]) || isa_and_present<ShapeOp, SizeOp>(from))
      continue;
    if (!isa_and_present<SchemaOpInterface>(from) ||
        from->getNumRegions() != 0 || visited.size() > maxVisited)
      return false;
    visited.insert_range(from->getOperands());
  }
  return true;
}
