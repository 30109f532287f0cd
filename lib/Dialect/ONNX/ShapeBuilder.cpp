//===- ShapeBuilder.cpp - What shape rules are written against ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ShapeBuilder.h"

#include "onnxc/Dialect/ONNX/Limits.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Dim
//===----------------------------------------------------------------------===//

Dim Dim::operator+(const Dim &other) const {
  return builder->add(*this, other);
}
Dim Dim::operator-(const Dim &other) const {
  return builder->sub(*this, other);
}
Dim Dim::operator*(const Dim &other) const {
  return builder->mul(*this, other);
}
Dim Dim::operator+(int64_t other) const {
  return builder->add(*this, builder->constant(other));
}
Dim Dim::operator-(int64_t other) const {
  return builder->sub(*this, builder->constant(other));
}
Dim Dim::operator*(int64_t other) const {
  return builder->mul(*this, builder->constant(other));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

ShapeBuilder::ShapeBuilder(MLIRContext *context, ValueRange operands,
                           unsigned numResults)
    : context(context), operands(operands), numResults(numResults),
      results(numResults) {}

ShapeBuilder::~ShapeBuilder() = default;

bool ShapeBuilder::ranked(Value value) const {
  return value && isa<RankedTensorType>(value.getType());
}

bool ShapeBuilder::ranked(ValueRange values) const {
  return llvm::all_of(values, [&](Value value) { return ranked(value); });
}

int64_t ShapeBuilder::rank(Value value) const {
  return cast<RankedTensorType>(value.getType()).getRank();
}

Type ShapeBuilder::elementType(Value value) const {
  if (!value)
    return {};
  auto tensor = dyn_cast<TensorType>(value.getType());
  return tensor ? tensor.getElementType() : Type();
}

Type ShapeBuilder::type(Value value) const {
  if (!value || isa<UnknownType>(value.getType()))
    return {};
  return value.getType();
}

Dim ShapeBuilder::dim(Value value, int64_t index) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(index))
    return constant(type.getDimSize(index));
  return dynamicDim(value, index);
}

Dims ShapeBuilder::dims(Value value) {
  Dims all;
  for (int64_t i = 0, e = rank(value); i < e; ++i)
    all.push_back(dim(value, i));
  return all;
}

Dim ShapeBuilder::size(Value value) { return product(dims(value)); }

std::optional<int64_t> ShapeBuilder::length(Value value) const {
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : nullptr;
  if (!type || type.getRank() > 1 || !type.hasStaticShape())
    return std::nullopt;
  return type.getNumElements();
}

Dim ShapeBuilder::value(Value value, int64_t index) {
  if (std::optional<int64_t> known = getConstantInteger(value, index))
    return constant(*known);
  return dynamicValue(value, index);
}

std::optional<Dims> ShapeBuilder::values(Value value) {
  std::optional<int64_t> count = length(value);
  if (!count || *count > maxLength)
    return std::nullopt;
  Dims all;
  for (int64_t i = 0; i < *count; ++i)
    all.push_back(this->value(value, i));
  return all;
}

std::optional<llvm::SmallVector<int64_t>> ShapeBuilder::constants(Value value) {
  std::optional<Dims> all = values(value);
  if (!all)
    return std::nullopt;
  llvm::SmallVector<int64_t> integers;
  for (const Dim &dim : *all) {
    if (!dim.isKnown())
      return std::nullopt;
    integers.push_back(*dim.getKnown());
  }
  return integers;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Dim ShapeBuilder::constant(int64_t value) {
  Dim dim;
  dim.builder = this;
  dim.known = value;
  return dim;
}

Dim ShapeBuilder::unknown() {
  Dim dim;
  dim.builder = this;
  return dim;
}

Dim ShapeBuilder::makeDim(const void *attached) {
  Dim dim;
  dim.builder = this;
  dim.attached = attached;
  return dim;
}

Dim ShapeBuilder::arith(Arith kind, const Dim &a, const Dim &b) {
  if (a.known && b.known) {
    int64_t x = *a.known, y = *b.known;
    // Checked: a file may say anything.
    int64_t result = 0;
    bool undefined = false;
    switch (kind) {
    case Arith::Add:
      undefined = llvm::AddOverflow(x, y, result);
      break;
    case Arith::Sub:
      undefined = llvm::SubOverflow(x, y, result);
      break;
    case Arith::Mul:
      undefined = llvm::MulOverflow(x, y, result);
      break;
    case Arith::FloorDiv:
      undefined = y <= 0;
      result = undefined ? 0 : llvm::divideFloorSigned(x, y);
      break;
    case Arith::CeilDiv:
      undefined = y <= 0;
      result = undefined ? 0 : llvm::divideCeilSigned(x, y);
      break;
    case Arith::Min:
      result = std::min(x, y);
      break;
    case Arith::Max:
      result = std::max(x, y);
      break;
    }
    if (!undefined)
      return constant(result);
    constexpr llvm::StringLiteral spelled[] = {" + ", " - ", " * ", " / ",
                                               " / ", "",    ""};
    require(false, "shape arithmetic " +
                       llvm::Twine(y == 0 ? "divides by zero: "
                                          : "overflows 64 bits: ") +
                       llvm::Twine(x) + spelled[static_cast<size_t>(kind)] +
                       llvm::Twine(y));
    return unknown();
  }
  bool neutralRight = kind == Arith::Add || kind == Arith::Sub
                          ? b.is(0)
                          : (kind == Arith::Mul || kind == Arith::FloorDiv ||
                             kind == Arith::CeilDiv) &&
                                b.is(1);
  if (neutralRight)
    return a;
  if ((kind == Arith::Add && a.is(0)) || (kind == Arith::Mul && a.is(1)))
    return b;
  if (kind == Arith::Mul && (a.is(0) || b.is(0)))
    return constant(0);
  return dynamicArith(kind, a, b);
}

Dim ShapeBuilder::add(Dim a, Dim b) { return arith(Arith::Add, a, b); }
Dim ShapeBuilder::sub(Dim a, Dim b) { return arith(Arith::Sub, a, b); }
Dim ShapeBuilder::mul(Dim a, Dim b) { return arith(Arith::Mul, a, b); }
Dim ShapeBuilder::floordiv(Dim a, Dim b) {
  return arith(Arith::FloorDiv, a, b);
}
Dim ShapeBuilder::ceildiv(Dim a, Dim b) { return arith(Arith::CeilDiv, a, b); }
Dim ShapeBuilder::min(Dim a, Dim b) { return arith(Arith::Min, a, b); }
Dim ShapeBuilder::max(Dim a, Dim b) { return arith(Arith::Max, a, b); }

Dim ShapeBuilder::selectLess(Dim a, Dim b, Dim yes, Dim no) {
  if (a.known && b.known)
    return *a.known < *b.known ? yes : no;
  return dynamicSelect(Relation::Less, a, b, yes, no);
}

Dim ShapeBuilder::selectEqual(Dim a, Dim b, Dim yes, Dim no) {
  if (a.known && b.known)
    return *a.known == *b.known ? yes : no;
  return dynamicSelect(Relation::Equal, a, b, yes, no);
}

bool ShapeBuilder::isSame(const Dim &a, const Dim &b) {
  if (a.known && b.known)
    return *a.known == *b.known;
  return !a.known && !b.known && dynamicIsSame(a, b);
}

bool ShapeBuilder::areZeroTogether(const Dim &a, const Dim &b) {
  return !a.known && !b.known && dynamicAreZeroTogether(a, b);
}

Dim ShapeBuilder::product(llvm::ArrayRef<Dim> dims) {
  Dim result = constant(1);
  for (const Dim &dim : dims)
    result = mul(result, dim);
  return result;
}

Dim ShapeBuilder::broadcast(Dim a, Dim b, const llvm::Twine &tag) {
  if (a.is(1))
    return b;
  if (b.is(1))
    return a;
  if (a.known && b.known) {
    require(*a.known == *b.known,
            tag + ": dimensions " + llvm::Twine(*a.known) + " and " +
                llvm::Twine(*b.known) + " cannot be broadcast to each other");
    return a;
  }
  if (a.attached && a.attached == b.attached)
    return a;
  // A known dim other than 1 is the result, whatever the other one is.
  if (a.known)
    std::swap(a, b);
  return dynamicBroadcast(
      a, b, tag + ": dimensions cannot be broadcast to each other");
}

Dims ShapeBuilder::broadcast(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b,
                             const llvm::Twine &tag) {
  if (a.size() < b.size())
    std::swap(a, b);
  Dims result(a);
  size_t lead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i)
    result[lead + i] = broadcast(a[lead + i], b[i], tag);
  return result;
}

Dim ShapeBuilder::same(Dim a, Dim b, const llvm::Twine &tag) {
  if (isSame(a, b))
    return a;
  requireRelation(Relation::Equal, a, b,
                  a.known && b.known
                      ? tag + ": dimensions " + llvm::Twine(*a.known) +
                            " and " + llvm::Twine(*b.known) + " must be equal"
                      : tag + ": dimensions must be equal");
  return a.known ? a : b.known ? b : a;
}

void ShapeBuilder::broadcastTo(llvm::ArrayRef<Dim> from, llvm::ArrayRef<Dim> to,
                               const llvm::Twine &tag) {
  if (!require(from.size() <= to.size(),
               tag + ": rank " + llvm::Twine(from.size()) +
                   " cannot be broadcast to rank " + llvm::Twine(to.size())))
    return;
  Dim one = constant(1);
  for (auto [f, t] : llvm::zip_equal(from, to.take_back(from.size())))
    same(selectEqual(f, one, t, f), t, tag);
}

//===----------------------------------------------------------------------===//
// Requirements
//===----------------------------------------------------------------------===//

bool ShapeBuilder::require(bool condition, const llvm::Twine &message) {
  if (condition)
    return true;
  if (!invalid)
    reportError(message);
  invalid = true;
  return false;
}

bool ShapeBuilder::requireRelation(Relation relation, const Dim &a,
                                   const Dim &b, const llvm::Twine &message) {
  if (a.known && b.known) {
    bool holds = relation == Relation::Equal  ? *a.known == *b.known
                 : relation == Relation::Less ? *a.known < *b.known
                                              : *a.known <= *b.known;
    return require(holds, message);
  }
  if (!(a.attached && a.attached == b.attached && relation != Relation::Less))
    check(relation, a, b, message);
  return true;
}

bool ShapeBuilder::requireLessEqual(Dim a, Dim b, const llvm::Twine &message) {
  return requireRelation(Relation::LessEqual, a, b, message);
}

bool ShapeBuilder::requireLess(Dim a, Dim b, const llvm::Twine &message) {
  return requireRelation(Relation::Less, a, b, message);
}

int64_t ShapeBuilder::axis(int64_t axis, int64_t rank, const llvm::Twine &tag) {
  if (!require(-rank <= axis && axis < rank,
               tag + ": axis " + llvm::Twine(axis) +
                   " is out of range for rank " + llvm::Twine(rank)))
    return 0;
  return axis < 0 ? axis + rank : axis;
}

llvm::SmallVector<int64_t> ShapeBuilder::axes(llvm::ArrayRef<int64_t> axes,
                                              int64_t rank,
                                              const llvm::Twine &tag) {
  llvm::SmallVector<int64_t> normalized;
  for (int64_t each : axes) {
    int64_t positive = axis(each, rank, tag);
    require(invalid || !llvm::is_contained(normalized, positive),
            tag + ": axis " + llvm::Twine(each) + " is given twice");
    normalized.push_back(positive);
  }
  return normalized;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult ShapeBuilder::result(unsigned index, Type elementType,
                                   llvm::ArrayRef<Dim> dims) {
  if (!require(static_cast<int64_t>(dims.size()) <= maxTensorRank,
               "output has " + llvm::Twine(dims.size()) +
                   " dimensions, at most " + llvm::Twine(maxTensorRank) +
                   " are possible"))
    return failure();
  llvm::SmallVector<int64_t> shape;
  int64_t before = 1;
  for (const Dim &dim : dims) {
    if (dim.known && !require(*dim.known >= 0, "output dimension " +
                                                   llvm::Twine(*dim.known) +
                                                   " must not be negative"))
      return failure();
    if (dim.is(0) && !require(before < maxIdleIterations,
                              "output is empty, and too large in the "
                              "dimensions before the empty one"))
      return failure();
    before = std::min(before, maxIdleIterations) *
             std::min(dim.known.value_or(1), maxIdleIterations);
    shape.push_back(dim.known.value_or(ShapedType::kDynamic));
  }
  if (invalid)
    return failure();
  if (index >= results.size())
    results.resize(index + 1);
  results[index].dims = Dims(dims);
  if (elementType)
    results[index].type = RankedTensorType::get(shape, elementType);
  return success();
}

LogicalResult ShapeBuilder::unranked(unsigned index, Type elementType) {
  return resultType(index, elementType ? UnrankedTensorType::get(elementType)
                                       : Type());
}

LogicalResult ShapeBuilder::resultType(unsigned index, Type type) {
  if (invalid)
    return failure();
  if (index >= results.size())
    results.resize(index + 1);
  results[index].type = type;
  return success();
}

LogicalResult ShapeBuilder::sameAsOperand(unsigned index) {
  Value operand = operands[index];
  if (ranked(operand))
    return result(0, elementType(operand), dims(operand));
  return resultType(0, type(operand));
}

LogicalResult ShapeBuilder::broadcastOperands(unsigned typeOperand,
                                              Type elementType) {
  if (!elementType)
    elementType = this->elementType(operands[typeOperand]);
  if (!ranked(operands))
    return unranked(0, elementType);
  Dims shape = dims(operands[0]);
  for (Value operand : operands.drop_front())
    shape = broadcast(shape, dims(operand), "broadcast");
  return result(0, elementType, shape);
}

LogicalResult ShapeBuilder::asDeclared() {
  return invalid ? failure() : success();
}

//===----------------------------------------------------------------------===//
// What a reading may override
//===----------------------------------------------------------------------===//

Dim ShapeBuilder::dynamicDim(Value, int64_t) { return unknown(); }
Dim ShapeBuilder::dynamicValue(Value, int64_t) { return unknown(); }

Dim ShapeBuilder::dynamicArith(Arith, const Dim &, const Dim &) {
  return unknown();
}

Dim ShapeBuilder::dynamicSelect(Relation, const Dim &, const Dim &,
                                const Dim &yes, const Dim &no) {
  return yes.known && yes.known == no.known ? yes : unknown();
}

bool ShapeBuilder::dynamicIsSame(const Dim &, const Dim &) { return false; }

bool ShapeBuilder::dynamicAreZeroTogether(const Dim &, const Dim &) {
  return false;
}

Dim ShapeBuilder::dynamicBroadcast(const Dim &, const Dim &b,
                                   const llvm::Twine &) {
  return b.known && *b.known != 1 ? b : unknown();
}

void ShapeBuilder::check(Relation, const Dim &, const Dim &,
                         const llvm::Twine &) {}

void ShapeBuilder::reportError(const llvm::Twine &) {}

//===----------------------------------------------------------------------===//
// AxisSet
//===----------------------------------------------------------------------===//

AxisSet::AxisSet(ShapeBuilder &s, llvm::ArrayRef<Dim> given, int64_t rank,
                 const llvm::Twine &tag)
    : s(s), rank(rank) {
  s.require(static_cast<int64_t>(given.size()) <= rank,
            tag + ": " + llvm::Twine(given.size()) + " axes for rank " +
                llvm::Twine(rank));
  for (const Dim &axis : given) {
    if (axis.isKnown()) {
      axes.push_back(s.constant(s.axis(*axis.getKnown(), rank, tag)));
    } else {
      axes.push_back(s.selectLess(axis, s.constant(0), axis + rank, axis));
      s.requireLessEqual(s.constant(0), axes.back(), tag + ": is out of range");
      s.requireLess(axes.back(), s.constant(rank), tag + ": is out of range");
    }
  }
  Dim zero = s.constant(0), one = s.constant(1);
  for (size_t i = 0; i < axes.size() && !s.hasFailed(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (axes[i].isKnown() && axes[j].isKnown())
        s.require(axes[i].getKnown() != axes[j].getKnown(),
                  tag + ": axis " + llvm::Twine(*axes[i].getKnown()) +
                      " is given twice");
      else
        s.requireLess(s.selectEqual(axes[i], axes[j], one, zero), one,
                      tag + ": an axis is given twice");
}

Dim AxisSet::select(int64_t dim, Dim inside, Dim outside) {
  Dim result = outside;
  for (const Dim &axis : axes)
    result = s.selectEqual(axis, s.constant(dim), inside, result);
  return result;
}

Dims AxisSet::select(Dim inside, llvm::ArrayRef<Dim> outside) {
  Dims result;
  for (int64_t i = 0; i < rank; ++i)
    result.push_back(select(i, inside, outside[i]));
  return result;
}

Dim AxisSet::selectAxis(int64_t index, int64_t dim, Dim inside, Dim outside) {
  return s.selectEqual(axes[index], s.constant(dim), inside, outside);
}

bool AxisSet::mayBe(int64_t index, int64_t dim) const {
  return !axes[index].isKnown() || axes[index].is(dim);
}

Dims AxisSet::positions() {
  Dims result;
  Dim next = s.constant(0);
  for (int64_t i = 0; i < rank; ++i) {
    result.push_back(next);
    next = next + select(i, s.constant(0), s.constant(1));
  }
  return result;
}

Dims AxisSet::drop(llvm::ArrayRef<Dim> dims) {
  if (s.hasFailed())
    return {};
  // Where a dim of the set stands, -1 says that it goes nowhere.
  Dims targets;
  for (auto [i, position] : llvm::enumerate(positions()))
    targets.push_back(select(i, s.constant(-1), position));
  Dims result;
  for (int64_t to = 0, e = rank - axes.size(); to < e; ++to) {
    Dim dim = s.unknown();
    bool isFirst = true;
    for (auto [target, from] : llvm::zip_equal(targets, dims)) {
      if (target.isKnown() && !target.is(to))
        continue;
      dim = isFirst ? from : s.selectEqual(target, s.constant(to), from, dim);
      isFirst = false;
    }
    result.push_back(dim);
  }
  return result;
}

Dims AxisSet::insert(Dim inserted, llvm::ArrayRef<Dim> dims) {
  if (s.hasFailed())
    return Dims(rank, s.unknown());
  Dims result;
  for (auto [to, position] : llvm::enumerate(positions())) {
    // Past the end only where `to` itself is in the set.
    Dim dim = inserted;
    for (auto [from, value] : llvm::enumerate(dims))
      dim = s.selectEqual(position, s.constant(from), value, dim);
    result.push_back(select(to, inserted, dim));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Infer
//===----------------------------------------------------------------------===//

InferShapeBuilder::InferShapeBuilder(
    MLIRContext *context, ValueRange operands, unsigned numResults,
    llvm::function_ref<void(const llvm::Twine &)> emitError)
    : ShapeBuilder(context, operands, numResults), emitError(emitError) {}

Type InferShapeBuilder::getResultType(unsigned index) const {
  return index < results.size() ? results[index].type : Type();
}

Dim InferShapeBuilder::dynamicValue(Value value, int64_t index) {
  return followShapeValue(*this, value, index).value_or(unknown());
}

void InferShapeBuilder::reportError(const llvm::Twine &message) {
  if (emitError)
    emitError(message);
}
