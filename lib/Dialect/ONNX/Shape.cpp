//===- Shape.cpp - The ops of Shape.td ------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Shape.h"

#include "onnxc/Dialect/ONNX/Folding.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Shape.cpp.inc"

void ONNXDialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Shape.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

LogicalResult ShapeOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = IntegerType::get(s.getContext(), 64);
  if (!s.ranked(op.getData()))
    return s.result(0, elementType, s.unknown());
  int64_t rank = s.rank(op.getData());
  auto clamp = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = clamp(op.getStart());
  int64_t end = op.getEnd() ? clamp(*op.getEnd()) : rank;
  return s.result(0, elementType,
                  s.constant(std::max<int64_t>(end - start, 0)));
}

LogicalResult SizeOp::shape(ShapeBuilder &s, Adaptor op) {
  return s.result(0, IntegerType::get(s.getContext(), 64), {});
}

/// How many leading dimensions of `input` a number that the run brings is the
/// product of, an open one and others; 0 if none. Where the open one is 0, so
/// is the number, and a copy of the first dimension.
static size_t countJoined(ShapeBuilder &s, llvm::ArrayRef<Dim> input,
                          const Dim &number) {
  if (input.empty() || input.front().isKnown())
    return 0;
  Dim product = input.front();
  for (size_t i = 1; i < input.size(); ++i) {
    if (!input[i].isKnown() || *input[i].getKnown() <= 0)
      return 0;
    product = product * input[i];
    if (s.isSame(product, number))
      return i + 1;
  }
  return 0;
}

/// Whether a shape of numbers that the run brings has as many elements as
/// `input`, whatever the sizes are: each is a product of sizes, and none is -1.
static bool keepsCount(ShapeBuilder &s, llvm::ArrayRef<Dim> input,
                       llvm::ArrayRef<Dim> shape) {
  bool isOpen = false;
  for (const Dim &number : shape) {
    isOpen |= !number.isKnown();
    if (number.isKnown() && *number.getKnown() <= 0)
      return false;
  }
  Dim before = s.product(input), after = s.product(shape);
  return isOpen && s.isSame(before, after);
}

/// What a number that the run brings says of a dimension: a 0 copies `dim`.
static Dim copyWhereZero(ShapeBuilder &s, const Dim &number, const Dim &dim) {
  if (s.areZeroTogether(number, dim))
    return number;
  return s.selectEqual(number, s.constant(0), dim, number);
}

/// Whether a number is seen to be a size: then it is never -1.
static bool isSize(ShapeBuilder &s, const Dim &number) {
  return s.isSame(s.selectEqual(number, s.constant(-1), s.constant(0), number),
                  number);
}

static std::string sayCopiesNothing(size_t i) {
  return ("reshape_shape: element " + llvm::Twine(i) +
          " copies a dimension that the input does not have")
      .str();
}

/// Requires that number `i`, which lies behind the input's dimensions, is not
/// 0. A size that is 0 is taken as it is: results of upgraded and of fused
/// operators get the shape of other tensors.
static void requireNotZero(ShapeBuilder &s, size_t i, const Dim &number) {
  if (number.isKnown() || isSize(s, number))
    return;
  Dim zero = s.constant(0);
  s.requireLess(zero, s.selectEqual(number, zero, zero, s.constant(1)),
                sayCopiesNothing(i));
}

/// Requires that none of these numbers copies another dimension of `input` by
/// being 0: the number of elements would be another one.
static void requireNoCopies(ShapeBuilder &s, llvm::ArrayRef<Dim> input,
                            llvm::ArrayRef<Dim> shape) {
  for (size_t i = input.size(); i < shape.size(); ++i)
    requireNotZero(s, i, shape[i]);
  for (auto [dim, number] : llvm::zip(input, shape))
    if (!number.isKnown())
      s.same(copyWhereZero(s, number, dim), number,
             "reshape_size: number of elements before and after");
}

namespace {
/// Reshape's rule. Where the shape copies dims of the input, they cancel on
/// both sides of "the number of elements stays": that tells what -1 is more
/// often, and right where a copied dim is 0.
class ReshapeRule {
public:
  /// `input`: the dims of the data, unless their rank is not known.
  ReshapeRule(ShapeBuilder &s, std::optional<Dims> input, const Dims &numbers,
              bool zeroIsZero)
      : s(s), isRanked(input.has_value()), input(input.value_or(Dims())),
        numbers(numbers), zeroIsZero(zeroIsZero),
        cancelled(this->input.size(), false), explicitSize(s.constant(1)) {}

  /// The dims of the result; nothing after an error.
  std::optional<Dims> read();

private:
  bool takeJoined();
  void takeKnown(size_t i, int64_t given);
  void takeOpen(size_t i);
  Dim countRemaining();
  void settleKnown(Dim remaining);
  bool settleOne(Dim remaining);
  void settleAny();
  void requireSame(Dim after, Dim before) {
    s.same(after, before, "reshape_size: number of elements before and after");
  }
  /// Whether number `i`, if it is 0, copies a dim.
  bool mayCopy(size_t i) const {
    return !zeroIsZero && isRanked && i < input.size();
  }

  ShapeBuilder &s;
  bool isRanked;
  Dims input, numbers;
  bool zeroIsZero;
  /// Which dims of the input stand on both sides.
  llvm::SmallVector<bool> cancelled;
  Dims output;
  std::optional<size_t> inferredAt;
  /// The product of the numbers that are known and on one side.
  Dim explicitSize;
  bool anyZero = false, copiesZero = false;
  /// The numbers that only the run tells: each may be a copy or -1.
  llvm::SmallVector<size_t> open;
};
} // namespace

/// The first number may join dimensions, which then cancel, too.
bool ReshapeRule::takeJoined() {
  if (!isRanked || numbers.empty() || numbers.front().isKnown())
    return false;
  size_t joined = countJoined(s, input, numbers.front());
  if (joined == 0)
    return false;
  std::fill_n(cancelled.begin(), joined, true);
  output.push_back(numbers.front());
  return true;
}

void ReshapeRule::takeKnown(size_t i, int64_t given) {
  s.require(given >= -1, "reshape_shape: element " + llvm::Twine(i) + " is " +
                             llvm::Twine(given) + ", must be -1 or more");
  if (given == -1) {
    s.require(!inferredAt, "reshape_shape: at most one element may be -1");
    inferredAt = i;
    output.push_back(s.unknown());
    return;
  }
  if (given != 0 || zeroIsZero) {
    anyZero |= given == 0;
    output.push_back(numbers[i]);
    explicitSize = explicitSize * numbers[i];
    return;
  }
  s.require(!isRanked || i < input.size(), sayCopiesNothing(i));
  if (!mayCopy(i)) {
    output.push_back(s.unknown());
    explicitSize = s.unknown();
    return;
  }
  output.push_back(input[i]);
  cancelled[i] = true;
  copiesZero |= input[i].is(0);
}

void ReshapeRule::takeOpen(size_t i) {
  s.requireLessEqual(s.constant(-1), numbers[i],
                     "reshape_shape: elements must be -1 or more");
  if (!zeroIsZero && isRanked && i >= input.size())
    requireNotZero(s, i, numbers[i]);
  open.push_back(i);
  output.push_back(mayCopy(i) ? copyWhereZero(s, numbers[i], input[i])
                              : numbers[i]);
}

/// The product of the input's dims that do not cancel.
Dim ReshapeRule::countRemaining() {
  if (!isRanked)
    return s.unknown();
  Dim remaining = s.constant(1);
  for (auto [dim, skip] : llvm::zip_equal(input, cancelled))
    if (!skip)
      remaining = remaining * dim;
  return remaining;
}

/// All numbers are known.
void ReshapeRule::settleKnown(Dim remaining) {
  if (inferredAt) {
    Dim &inferred = output[*inferredAt];
    inferred = explicitSize.is(0) ? s.constant(0)
                                  : s.floordiv(remaining, explicitSize);
    requireSame(inferred * explicitSize, remaining);
    return;
  }
  // There are no elements, whatever the others are.
  if (copiesZero)
    return;
  Dim copied = s.constant(1);
  for (auto [dim, skip] : llvm::zip_equal(input, cancelled))
    if (skip)
      copied = copied * dim;
  // A copied dim that is not known may be 0.
  bool mayBeEmpty = !copied.isKnown() && explicitSize.isKnown() &&
                    !s.isSame(explicitSize, remaining);
  requireSame(
      mayBeEmpty ? s.selectEqual(copied, s.constant(0), remaining, explicitSize)
                 : explicitSize,
      remaining);
}

/// One element that only the run tells, all else static: the number of elements
/// tells it now. Returns whether it is so.
bool ReshapeRule::settleOne(Dim remaining) {
  if (open.size() != 1 || inferredAt || !remaining.isKnown() ||
      !explicitSize.isKnown() || *explicitSize.getKnown() <= 0)
    return false;
  Dim &dim = output[open.front()];
  Dim inferred = s.floordiv(remaining, explicitSize);
  requireSame(inferred * explicitSize, remaining);
  requireSame(s.selectEqual(dim, s.constant(-1), inferred, dim), inferred);
  dim = inferred;
  return true;
}

/// In general: what is copied, as the run shows, cancels here as well.
void ReshapeRule::settleAny() {
  Dim zero = s.constant(0), one = s.constant(1), minusOne = s.constant(-1);
  Dim others = explicitSize, remaining = isRanked ? one : s.unknown();
  Dim copied = one;
  for (size_t i : open) {
    Dim factor = numbers[i];
    if (mayCopy(i))
      factor = s.selectEqual(factor, zero, one, factor);
    factor = s.selectEqual(numbers[i], minusOne, one, factor);
    // A product of larger ones may wrap.
    s.requireLessEqual(factor,
                       s.floordiv(s.constant(maxSize), s.max(others, one)),
                       "reshape_shape: too large");
    others = others * factor;
  }
  for (auto [i, dim] : llvm::enumerate(input)) {
    if (cancelled[i])
      continue;
    bool mayBeCopied = !zeroIsZero && llvm::is_contained(open, i);
    remaining = remaining *
                (mayBeCopied ? s.selectEqual(numbers[i], zero, one, dim) : dim);
    if (mayBeCopied)
      copied = copied * s.selectEqual(numbers[i], zero, dim, one);
  }
  // Empty tensors: 0 is what is left for -1.
  Dim inferred = s.floordiv(remaining, s.max(others, one));
  Dim outputSize = others;
  if (inferredAt) {
    output[*inferredAt] = inferred;
    outputSize = outputSize * inferred;
  }
  for (size_t i : open) {
    output[i] = s.selectEqual(numbers[i], minusOne, inferred, output[i]);
    outputSize =
        outputSize * s.selectEqual(numbers[i], minusOne, inferred, one);
    if (zeroIsZero)
      s.requireLess(zero, s.selectEqual(numbers[i], minusOne, others, one),
                    "reshape_allowzero: 0 and -1 together leave the shape "
                    "open");
  }
  if (zeroIsZero && inferredAt)
    s.requireLess(zero, others,
                  "reshape_allowzero: 0 and -1 together leave the shape open");
  if (!copiesZero)
    requireSame(s.selectEqual(copied, zero, remaining, outputSize), remaining);
}

std::optional<Dims> ReshapeRule::read() {
  if (isRanked && keepsCount(s, input, numbers)) {
    if (!zeroIsZero)
      requireNoCopies(s, input, numbers);
    return numbers;
  }
  for (size_t i = takeJoined() ? 1 : 0; i < numbers.size(); ++i) {
    if (std::optional<int64_t> given = numbers[i].getKnown())
      takeKnown(i, *given);
    else
      takeOpen(i);
  }
  s.require(!(zeroIsZero && anyZero && inferredAt),
            "reshape_allowzero: 0 and -1 together leave the shape open");
  if (s.hasFailed())
    return std::nullopt;
  Dim remaining = countRemaining();
  if (open.empty())
    settleKnown(remaining);
  else if (!settleOne(remaining))
    settleAny();
  return output;
}

LogicalResult ReshapeOp::shape(ShapeBuilder &s, Adaptor op) {
  Value data = op.getData();
  Type elementType = s.elementType(data);
  if (s.ranked(op.getShape()))
    s.require(s.rank(op.getShape()) == 1, "reshape_shape: must have rank 1");
  std::optional<Dims> numbers = s.values(op.getShape()), input;
  if (!numbers)
    return s.unranked(0, elementType);
  if (s.ranked(data))
    input = s.dims(data);
  std::optional<Dims> output =
      ReshapeRule(s, input, *numbers, op.getAllowzero() != 0).read();
  if (!output)
    return failure();
  return s.result(0, elementType, *output);
}

LogicalResult FlattenOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getInput());
  if (!s.ranked(op.getInput()))
    return s.result(0, elementType, {s.unknown(), s.unknown()});
  int64_t rank = s.rank(op.getInput()), axis = op.getAxis();
  // Unlike elsewhere, the rank itself is an axis: before it lies everything.
  if (!s.require(-rank <= axis && axis <= rank,
                 "flatten_axis: axis " + llvm::Twine(axis) +
                     " is out of range for rank " + llvm::Twine(rank)))
    return failure();
  if (axis < 0)
    axis += rank;
  Dims dims = s.dims(op.getInput());
  return s.result(0, elementType,
                  {s.product(llvm::ArrayRef(dims).take_front(axis)),
                   s.product(llvm::ArrayRef(dims).drop_front(axis))});
}

LogicalResult UnsqueezeOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getData());
  std::optional<Dims> axes = s.values(op.getAxes());
  if (!s.ranked(op.getData()) || !axes)
    return s.unranked(0, elementType);
  AxisSet set(s, *axes, s.rank(op.getData()) + axes->size(), "unsqueeze_axes");
  return s.result(0, elementType,
                  set.insert(s.constant(1), s.dims(op.getData())));
}

LogicalResult SqueezeOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getData());
  if (!s.ranked(op.getData()))
    return s.unranked(0, elementType);
  Dims dims = s.dims(op.getData());
  if (!op.getAxes()) {
    // Every dim of 1 goes, which fixes the rank only where all are known.
    Dims output;
    for (const Dim &dim : dims) {
      if (!dim.isKnown())
        return s.unranked(0, elementType);
      if (!dim.is(1))
        output.push_back(dim);
    }
    return s.result(0, elementType, output);
  }
  std::optional<Dims> axes = s.values(op.getAxes());
  if (!axes)
    return s.unranked(0, elementType);
  AxisSet set(s, *axes, dims.size(), "squeeze_axes");
  if (s.hasFailed())
    return failure();
  Dim one = s.constant(1);
  for (auto [i, dim] : llvm::enumerate(dims))
    s.same(set.select(i, dim, one), one,
           "squeeze_axes: squeezed dimensions must be 1");
  return s.result(0, elementType, set.drop(dims));
}

LogicalResult ConstantOfShapeOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = Float32Type::get(s.getContext());
  if (std::optional<ElementsAttr> value = op.getValue())
    elementType = value->getElementType();
  std::optional<Dims> dims = s.values(op.getInput());
  if (!dims)
    return s.unranked(0, elementType);
  for (const Dim &dim : *dims)
    s.requireLessEqual(s.constant(0), dim,
                       "constantofshape_input: must not be negative");
  return s.result(0, elementType, *dims);
}

/// A constant floating-point scalar.
static std::optional<double> getConstantFloat(Value value) {
  DenseFPElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() != 1)
    return std::nullopt;
  return (*elements.value_begin<llvm::APFloat>()).convertToDouble();
}

LogicalResult RangeOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getStart());
  for (Value scalar : {op.getStart(), op.getLimit(), op.getDelta()})
    if (!requireScalar(s, scalar,
                       "range_c1: start, limit and delta must be scalars"))
      return failure();
  Dim count = s.unknown();
  if (isa_and_present<IntegerType>(elementType)) {
    Dim zero = s.constant(0), one = s.constant(1);
    Dim start = s.value(op.getStart(), 0), limit = s.value(op.getLimit(), 0);
    Dim delta = s.value(op.getDelta(), 0);
    // The differences below are representable then.
    for (const auto &[name, end] :
         {std::pair<llvm::StringRef, const Dim &>("start", start),
          {"limit", limit},
          {"delta", delta}}) {
      s.requireLessEqual(end, s.constant(4 * maxSize),
                         "range_c2: " + name + " is too large");
      s.requireLessEqual(s.constant(-4 * maxSize), end,
                         "range_c2: " + name + " is too small");
    }
    if (!s.require(!delta.is(0), "range_delta: must not be 0"))
      return failure();
    Dim up = zero, down = zero;
    if (!delta.isKnown() || *delta.getKnown() > 0)
      up = s.ceildiv(limit - start, s.max(delta, one));
    if (!delta.isKnown() || *delta.getKnown() < 0)
      down = s.ceildiv(start - limit, s.max(zero - delta, one));
    count = s.max(s.selectLess(delta, zero, down, up), zero);
  } else if (auto start = getConstantFloat(op.getStart()),
             limit = getConstantFloat(op.getLimit()),
             delta = getConstantFloat(op.getDelta());
             start && limit && delta) {
    double elements = std::ceil((*limit - *start) / *delta);
    if (!s.require(*delta != 0 && elements < 0x1p62,
                   "range_delta: must not be 0, and the length representable"))
      return failure();
    count = s.constant(elements > 0 ? static_cast<int64_t>(elements) : 0);
  }
  return s.result(0, elementType, count);
}

LogicalResult EyeLikeOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getInput());
  if (op.getDtype())
    elementType = getElementType(s.getContext(), *op.getDtype());
  s.require(!op.getDtype() || elementType,
            "eyelike_dtype: is not a tensor element type");
  if (!s.ranked(op.getInput()))
    return s.result(0, elementType, {s.unknown(), s.unknown()});
  s.require(s.rank(op.getInput()) == 2, "eyelike_input: must have rank 2");
  return s.result(0, elementType, s.dims(op.getInput()));
}

//===----------------------------------------------------------------------===//
// Elements of shapes
//===----------------------------------------------------------------------===//

std::optional<Dim> ShapeOp::followElement(ShapeElements &elements,
                                          int64_t index) {
  ShapeBuilder &s = elements.getBuilder();
  if (!s.ranked(getData()))
    return std::nullopt;
  int64_t rank = s.rank(getData()), start = getStart();
  if (start < 0)
    start = std::max<int64_t>(start + rank, 0);
  if (index < 0 || start > rank || index >= rank - start)
    return std::nullopt;
  return s.dim(getData(), start + index);
}

std::optional<Dim> SizeOp::followElement(ShapeElements &elements, int64_t) {
  ShapeBuilder &s = elements.getBuilder();
  if (!s.ranked(getData()))
    return std::nullopt;
  return s.size(getData());
}

std::optional<Dim> ConstantOfShapeOp::followElement(ShapeElements &elements,
                                                    int64_t) {
  std::optional<int64_t> element =
      getValue() ? getInteger(*getValue(), 0) : std::nullopt;
  if (!element)
    return std::nullopt;
  return elements.getBuilder().constant(*element);
}

std::optional<Dim> RangeOp::followElement(ShapeElements &elements,
                                          int64_t index) {
  std::optional<Dim> start = elements.follow(getStart(), 0);
  std::optional<Dim> delta = start ? elements.follow(getDelta(), 0) : start;
  if (!start || !delta || !start->isKnown() || !delta->isKnown())
    return std::nullopt;
  int64_t offset, element;
  if (llvm::MulOverflow(*delta->getKnown(), index, offset) ||
      llvm::AddOverflow(*start->getKnown(), offset, element))
    return std::nullopt;
  return elements.getBuilder().constant(element);
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

OpFoldResult ReshapeOp::fold(FoldAdaptor known) {
  // Numbers that a run brings may not fit, which it then has to say.
  return known.getShape() ? foldSameShape(getData(), getReshaped()) : Value();
}

OpFoldResult SqueezeOp::fold(FoldAdaptor) {
  return foldSameShape(getData(), getSqueezed());
}

OpFoldResult UnsqueezeOp::fold(FoldAdaptor) {
  return foldSameShape(getData(), getExpanded());
}

OpFoldResult FlattenOp::fold(FoldAdaptor) {
  return foldSameShape(getInput(), getOutput());
}
