//===- Dims.cpp - Which dims are the same ---------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dims.h"

#include "Matching.h"
#include "Slices.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Pooling.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Random.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Chains are followed so far.
static constexpr int maxDepth = 64;

static DimSource follow(Value value, int64_t index, int depth);
static DimSource followElement(Value value, int64_t index, int depth);

static DimSource makeKnown(int64_t number) {
  return {number, Value(), 0, false};
}

bool optimize::areSameDims(const DimSource &a, const DimSource &b) {
  if (a.known || b.known)
    return a.known == b.known;
  return a.value && a.value == b.value && a.index == b.index &&
         a.isElement == b.isElement;
}

/// Of an input of the model whose dim has a name: the first input that has a
/// dim of this name.
static DimSource getNamed(BlockArgument argument, int64_t index) {
  DimSource own{std::nullopt, argument, index, false};
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !function->hasAttr(model::entry))
    return own;
  auto getName = [&](unsigned place, int64_t dim) -> StringRef {
    auto names = function.getArgAttrOfType<ArrayAttr>(place, model::dimParams);
    if (!names || dim < 0 || dim >= static_cast<int64_t>(names.size()))
      return {};
    auto name = dyn_cast<StringAttr>(names[dim]);
    return name ? name.getValue() : StringRef();
  };
  StringRef name = getName(argument.getArgNumber(), index);
  if (name.empty())
    return own;
  for (unsigned place = 0; place < argument.getArgNumber(); ++place) {
    auto type =
        dyn_cast<RankedTensorType>(function.getArguments()[place].getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && getName(place, dim) == name)
        return {std::nullopt, function.getArguments()[place], dim, false};
  }
  return own;
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

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

/// Of the broadcast of several dims.
static std::optional<DimSource> joinBroadcast(ArrayRef<DimSource> dims) {
  std::optional<DimSource> joined;
  for (const DimSource &dim : dims) {
    if (dim.is(1))
      continue;
    if (dim.known)
      return dim;
    if (joined && !areSameDims(*joined, dim))
      return std::nullopt;
    joined = dim;
  }
  return joined ? *joined : makeKnown(1);
}

static std::optional<DimSource> followBroadcast(Operation *op, int64_t rank,
                                                int64_t index, int depth) {
  SmallVector<std::pair<Value, int64_t>> unknown;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> own = getRank(operand);
    if (!own)
      return std::nullopt;
    int64_t at = index - (rank - *own);
    std::optional<int64_t> dim = at >= 0 ? getDim(operand, at) : 1;
    if (dim && *dim != 1)
      return makeKnown(*dim);
    if (!dim)
      unknown.push_back({operand, at});
  }
  // Each fork doubles the work.
  if (unknown.size() > 1)
    depth += maxDepth / 4;
  SmallVector<DimSource> dims;
  for (auto [operand, at] : unknown)
    dims.push_back(follow(operand, at, depth));
  return joinBroadcast(dims);
}

static std::optional<DimSource> followReshape(ReshapeOp op, int64_t index,
                                              int depth) {
  Value data = op.getData();
  std::optional<int64_t> rank = getRank(data);
  if (!rank)
    return std::nullopt;
  DimSource element = followElement(op.getShape(), index, depth);
  if (element.is(0) && !op.getAllowzero() && index < *rank)
    return follow(data, index, depth);
  if (!element.known) {
    // The numbers of dims are positive but for the 0 and the -1 that a Reshape
    // reads otherwise: a dim of a tensor is -1 never, and 0 only where the
    // result has no elements.
    bool isDim = element.value && !element.isElement;
    return isDim && op.getAllowzero() ? std::optional(element) : std::nullopt;
  }
  if (!element.is(-1))
    return std::nullopt;
  // Where all else is equal, the one computed is the one dim not known.
  auto result = cast<RankedTensorType>(op.getReshaped().getType());
  SaturatingInt product = 1;
  for (auto [i, dim] : llvm::enumerate(result.getShape())) {
    if (static_cast<int64_t>(i) == index)
      continue;
    if (ShapedType::isDynamic(dim) || dim == 0)
      return std::nullopt;
    product *= dim;
  }
  int64_t unknown = -1;
  std::optional<ArrayRef<int64_t>> shape = getShape(data);
  for (auto [i, dim] : llvm::enumerate(*shape)) {
    if (!ShapedType::isDynamic(dim)) {
      if (dim == 0 || product % dim != 0)
        return std::nullopt;
      product = product / dim;
      continue;
    }
    if (unknown >= 0)
      return std::nullopt;
    unknown = i;
  }
  if (unknown < 0 || product != 1)
    return std::nullopt;
  return follow(data, unknown, depth);
}

static std::optional<DimSource> followSqueeze(Operation *op, int64_t index,
                                              int depth) {
  Value data = op->getOperand(0);
  std::optional<int64_t> rank = getRank(data),
                         after = getRank(op->getResult(0));
  if (!rank || !after || op->getNumOperands() < 2)
    return std::nullopt;
  bool inserts = isa<UnsqueezeOp>(op);
  std::optional<SmallVector<int64_t>> given = getIntegers(op->getOperand(1));
  std::optional<SmallVector<int64_t>> axes =
      given ? normalizeAxes(*given, inserts ? *after : *rank) : std::nullopt;
  if (!axes)
    return std::nullopt;
  if (inserts) {
    if (llvm::is_contained(*axes, index))
      return makeKnown(1);
    int64_t before =
        llvm::count_if(*axes, [&](int64_t axis) { return axis < index; });
    return follow(data, index - before, depth);
  }
  for (int64_t at = 0, seen = 0; at < *rank; ++at)
    if (!llvm::is_contained(*axes, at) && seen++ == index)
      return follow(data, at, depth);
  return std::nullopt;
}

static std::optional<DimSource> followOp(Operation *op, Value value,
                                         int64_t index, int depth) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  Value first = op->getNumOperands() ? op->getOperand(0) : Value();
  std::optional<int64_t> firstRank = first ? getRank(first) : std::nullopt;
  // The mask of a Dropout has its input's shape too.
  if (hasFact(op, OpFact::KeepsShape) &&
      (value == op->getResult(0) || isa<DropoutOp>(op)))
    return firstRank == rank ? std::optional(follow(first, index, depth))
                             : std::nullopt;
  if (isa<ScalarOpInterface>(op))
    return followBroadcast(op, rank, index, depth);
  if (std::optional<SmallVector<int64_t>> perm = getPermutation(op))
    return firstRank ? std::optional(follow(first, (*perm)[index], depth))
                     : std::nullopt;
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return followReshape(reshape, index, depth);
  if (isa<SqueezeOp, UnsqueezeOp>(op))
    return followSqueeze(op, index, depth);
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    std::optional<int64_t> axis = normalizeAxis(concat.getAxis(), rank);
    if (axis && *axis != index && firstRank == rank)
      return follow(first, index, depth);
    return std::nullopt;
  }
  if (auto split = dyn_cast<SplitOp>(op)) {
    std::optional<int64_t> axis = normalizeAxis(split.getAxis(), rank);
    if (axis && *axis != index && firstRank == rank)
      return follow(first, index, depth);
    return std::nullopt;
  }
  if (auto flatten = dyn_cast<FlattenOp>(op)) {
    int64_t axis = flatten.getAxis();
    axis = firstRank && axis < 0 ? axis + *firstRank : axis;
    if (firstRank && index == 0 && axis == 1)
      return follow(first, 0, depth);
    if (firstRank && index == 1 && axis == *firstRank - 1)
      return follow(first, axis, depth);
    return std::nullopt;
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    std::optional<SmallVector<int64_t>> axes = getSliceAxes(slice);
    return axes && !llvm::is_contained(*axes, index)
               ? std::optional(follow(first, index, depth))
               : std::nullopt;
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    std::optional<int64_t> inserted = getRank(gather.getIndices());
    std::optional<int64_t> axis =
        firstRank ? normalizeAxis(gather.getAxis(), *firstRank) : std::nullopt;
    if (!inserted || !axis)
      return std::nullopt;
    if (index >= *axis && index < *axis + *inserted)
      return follow(gather.getIndices(), index - *axis, depth);
    return follow(first, index < *axis ? index : index - *inserted + 1, depth);
  }
  if (auto expand = dyn_cast<ExpandOp>(op)) {
    std::optional<ArrayRef<int64_t>> shape = getShape(expand.getShape());
    if (!firstRank || !shape || shape->size() != 1 ||
        ShapedType::isDynamic(shape->front()))
      return std::nullopt;
    SmallVector<DimSource> dims;
    if (int64_t at = index - (rank - *firstRank); at >= 0)
      dims.push_back(follow(first, at, depth));
    if (int64_t at = index - (rank - shape->front()); at >= 0)
      dims.push_back(followElement(expand.getShape(), at, depth));
    return joinBroadcast(dims);
  }
  if ((hasFact(op, OpFact::SlidesWindow) ||
       isa<GlobalAveragePoolOp, GlobalMaxPoolOp>(op)) &&
      index == 0 && firstRank)
    return follow(first, 0, depth);
  if (isa<MatMulOp>(op)) {
    Value second = op->getOperand(1);
    std::optional<int64_t> secondRank = getRank(second);
    if (!firstRank || !secondRank || *firstRank < 2 || *secondRank < 2)
      return std::nullopt;
    if (index == rank - 2)
      return follow(first, *firstRank - 2, depth);
    if (index == rank - 1)
      return follow(second, *secondRank - 1, depth);
    return followBroadcast(op, rank, index, depth);
  }
  if (auto gemm = dyn_cast<GemmOp>(op)) {
    if (index == 0)
      return firstRank == 2
                 ? std::optional(follow(first, gemm.getTransA() ? 1 : 0, depth))
                 : std::nullopt;
    return getRank(gemm.getB()) == 2
               ? std::optional(
                     follow(gemm.getB(), gemm.getTransB() ? 0 : 1, depth))
               : std::nullopt;
  }
  return std::nullopt;
}

static DimSource follow(Value value, int64_t index, int depth) {
  DimSource own{std::nullopt, value, index, false};
  std::optional<ArrayRef<int64_t>> shape = getShape(value);
  if (!shape || index < 0 || index >= static_cast<int64_t>(shape->size()))
    return own;
  if (!ShapedType::isDynamic((*shape)[index]))
    return makeKnown((*shape)[index]);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getNamed(argument, index);
  if (depth >= maxDepth)
    return own;
  std::optional<DimSource> found =
      followOp(value.getDefiningOp(), value, index, depth + 1);
  return found && (found->known || found->value) ? *found : own;
}

//===----------------------------------------------------------------------===//
// Elements of shapes
//===----------------------------------------------------------------------===//

static DimSource followElement(Value value, int64_t index, int depth) {
  DimSource own{std::nullopt, value, index, true};
  if (std::optional<SmallVector<int64_t>> integers = getIntegers(value))
    return index >= 0 && index < static_cast<int64_t>(integers->size())
               ? makeKnown((*integers)[index])
               : own;
  Operation *op = value.getDefiningOp();
  std::optional<int64_t> rank = getRank(value);
  if (!op || !rank || *rank > 1 || depth >= maxDepth)
    return own;
  if (auto shape = dyn_cast<ShapeOp>(op)) {
    std::optional<int64_t> dims = getRank(shape.getData());
    if (!dims)
      return own;
    int64_t start = shape.getStart();
    start = std::clamp<int64_t>(start < 0 ? start + *dims : start, 0, *dims);
    return start + index < *dims ? follow(shape.getData(), start + index, depth)
                                 : own;
  }
  // These keep the elements and their order.
  bool keeps = isa<IdentityOp>(op) || isReshape(op);
  if (auto cast = dyn_cast<CastOp>(op)) {
    Type from = getElementType(cast.getInput()), to = getElementType(value);
    keeps = from && to && (from.isInteger(32) || from.isInteger(64)) &&
            (to.isInteger(32) || to.isInteger(64));
  }
  if (keeps) {
    std::optional<int64_t> inner = getRank(op->getOperand(0));
    return inner && *inner <= 1
               ? followElement(op->getOperand(0), index, depth + 1)
               : own;
  }
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    for (Value part : concat.getInputs()) {
      std::optional<int64_t> length = getDim(part, 0);
      if (!length)
        return own;
      if (index < *length)
        return followElement(part, index, depth + 1);
      index -= *length;
    }
    return own;
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    std::optional<int64_t> length = getDim(gather.getData(), 0);
    std::optional<SmallVector<int64_t>> indices =
        getIntegers(gather.getIndices());
    if (!length || getRank(gather.getData()) != 1 || !indices || index < 0 ||
        index >= static_cast<int64_t>(indices->size()))
      return own;
    std::optional<int64_t> at = normalizeAxis((*indices)[index], *length);
    return at ? followElement(gather.getData(), *at, depth + 1) : own;
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    std::optional<int64_t> length = getDim(slice.getData(), 0),
                           start = getInteger(slice.getStarts());
    std::optional<int64_t> step =
        slice.getSteps() ? getInteger(slice.getSteps()) : 1;
    if (!length || !start || step != 1)
      return own;
    int64_t first =
        std::clamp<int64_t>(*start < 0 ? *start + *length : *start, 0, *length);
    return first + index < *length
               ? followElement(slice.getData(), first + index, depth + 1)
               : own;
  }
  return own;
}

//===----------------------------------------------------------------------===//
// What patterns ask
//===----------------------------------------------------------------------===//

DimSource optimize::getDimSource(Value value, int64_t index) {
  return follow(value, index, 0);
}

DimSource optimize::getElementSource(Value value, int64_t index) {
  return followElement(value, index, 0);
}

std::optional<SmallVector<DimSource>> optimize::getDimSources(Value value) {
  std::optional<int64_t> rank = getRank(value);
  if (!rank)
    return std::nullopt;
  SmallVector<DimSource> dims;
  for (int64_t i = 0; i < *rank; ++i)
    dims.push_back(follow(value, i, 0));
  return dims;
}

bool optimize::areSameShapes(Value a, Value b) {
  std::optional<SmallVector<DimSource>> left = getDimSources(a),
                                        right = getDimSources(b);
  return left && right && left->size() == right->size() &&
         llvm::all_of(llvm::zip(*left, *right), [](auto dims) {
           return areSameDims(std::get<0>(dims), std::get<1>(dims));
         });
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
