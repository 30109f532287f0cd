//===- Composer.cpp - A node as a composition of operators ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composer.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Schema.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Support/Diagnostics.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void Composer::fail(const Twine &message) {
  if (std::exchange(failed, true))
    return;
  std::string text = message.str();
  InFlightDiagnostic error = node.emitError() << text;
  // So all words of what is right, but not done here.
  if (StringRef(text).contains("supported"))
    markUnsupported(*error.getUnderlyingDiagnostic(),
                    {node.op.getOpType().str(), node.op.getDomain().str(),
                     static_cast<int64_t>(node.op.getVersion()), 1, text});
}

void Composer::failInput(unsigned index, const Twine &message) {
  std::string name;
  if (index < inputNames.size())
    name = (" ('" + inputNames[index] + "')").str();
  fail("input " + Twine(index) + name + " " + message);
}

void Composer::failAttribute(StringRef name, const Twine &message) {
  fail("attribute '" + name + "' " + message);
}

void Composer::expectInt(StringRef name, int64_t value) {
  if (int64_t given = getInt(name, value); given != value)
    failAttribute(name, "is " + Twine(given) + "; only " + Twine(value) +
                            " is supported");
}

void Composer::expectNoInput(unsigned index) {
  if (input(index))
    failInput(index, "is not supported");
}

void Composer::expectNoOutput(unsigned index, StringRef name) {
  if (hasOutput(index))
    fail("output " + Twine(index) + " ('" + name + "') is not supported");
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {
/// The attribute as one of class `AttrTy`; null if it is absent, which it is,
/// too, after an error.
template <typename AttrTy>
AttrTy getAs(Composer &c, StringRef name, StringRef kind) {
  Attribute value = c.getNode().attributes.get(name);
  auto typed = dyn_cast_or_null<AttrTy>(value);
  if (value && !typed)
    c.failAttribute(name, "is of type " + getAttributeKind(value) +
                              "; expected " + kind);
  return typed;
}
} // namespace

int64_t Composer::getInt(StringRef name, int64_t otherwise) {
  auto value = getAs<IntegerAttr>(*this, name, "INT");
  return value ? value.getInt() : otherwise;
}

int64_t Composer::getCount(StringRef name) {
  if (!node.attributes.get(name))
    failAttribute(name, "is missing");
  int64_t count = getInt(name, 1);
  // No tensor has more of anything, and products of two do not overflow.
  constexpr int64_t limit = std::numeric_limits<int32_t>::max();
  if (count < 1 || count > limit)
    failAttribute(name,
                  "is " + Twine(count) + "; expected 1 to " + Twine(limit));
  return std::clamp<int64_t>(count, 1, limit);
}

float Composer::getFloat(StringRef name, float otherwise) {
  auto value = getAs<FloatAttr>(*this, name, "FLOAT");
  return value ? static_cast<float>(value.getValueAsDouble()) : otherwise;
}

StringRef Composer::getString(StringRef name, StringRef otherwise) {
  auto value = getAs<StringAttr>(*this, name, "STRING");
  return value ? value.getValue() : otherwise;
}

std::optional<ArrayRef<int64_t>> Composer::getInts(StringRef name) {
  auto value = getAs<DenseI64ArrayAttr>(*this, name, "INTS");
  if (!value)
    return std::nullopt;
  return value.asArrayRef();
}

std::optional<ArrayRef<float>> Composer::getFloats(StringRef name) {
  auto value = getAs<DenseF32ArrayAttr>(*this, name, "FLOATS");
  if (!value)
    return std::nullopt;
  return value.asArrayRef();
}

SmallVector<NamedAttribute> Composer::pick(ArrayRef<StringRef> names) {
  SmallVector<NamedAttribute> picked;
  for (StringRef name : names)
    if (Attribute value = node.attributes.get(name))
      picked.push_back(node.builder.getNamedAttr(name, value));
  return picked;
}

NamedAttribute Composer::attribute(StringRef name, int64_t value) {
  return node.attribute(name, value);
}

NamedAttribute Composer::attribute(StringRef name, StringRef value) {
  return node.attribute(name, value);
}

NamedAttribute Composer::attribute(StringRef name, double value) {
  return node.builder.getNamedAttr(
      name, node.builder.getF32FloatAttr(static_cast<float>(value)));
}

NamedAttribute Composer::attribute(StringRef name, ArrayRef<int64_t> value) {
  return node.builder.getNamedAttr(name,
                                   node.builder.getDenseI64ArrayAttr(value));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Value Composer::add(Value a, Value b) { return make<AddOp>({a, b}); }
Value Composer::sub(Value a, Value b) { return make<SubOp>({a, b}); }
Value Composer::mul(Value a, Value b) { return make<MulOp>({a, b}); }

Value Composer::ints(ArrayRef<int64_t> values) {
  return failed ? Value() : node.createInts(values);
}

Value Composer::integer(int64_t value) {
  return failed ? Value() : node.createInt(value);
}

Value Composer::floats(ArrayRef<float> values) {
  return failed ? Value() : node.createFloats(values);
}

Value Composer::number(Value like, double value) {
  return failed || !like ? Value() : node.createScalarLike(like, value);
}

Value Composer::cast(Value x, Type element) {
  if (!failed && getElementType(x) == element)
    return x;
  return make<CastOp>(x, attribute("to", getDataType(element)));
}

Value Composer::castLike(Value x, Value like) {
  if (Type element = getElementType(like))
    return cast(x, element);
  return make<CastLikeOp>({x, like});
}

Value Composer::castToInt64(Value x) {
  return cast(x, node.builder.getI64Type());
}

Value Composer::dim(Value x, int64_t axis) {
  if (std::optional<int64_t> known = getKnownDim(x, axis))
    return ints(*known);
  SmallVector<NamedAttribute> attributes{attribute("start", axis)};
  // The end from the back that is none is not written.
  if (axis != -1)
    attributes.push_back(attribute("end", axis + 1));
  return make<ShapeOp>(x, attributes);
}

Value Composer::reshape(Value x, ArrayRef<int64_t> shape) {
  return make<ReshapeOp>({x, ints(shape)});
}

Value Composer::transpose(Value x, ArrayRef<int64_t> perm) {
  return make<TransposeOp>(x, attribute("perm", perm));
}

Value Composer::swapLastTwo(Value x) {
  int64_t rank = getRank(x, "to transpose it");
  if (rank < 2)
    return x;
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(perm[rank - 2], perm[rank - 1]);
  return transpose(x, perm);
}

Value Composer::unsqueeze(Value x, ArrayRef<int64_t> axes) {
  return make<UnsqueezeOp>({x, ints(axes)});
}

Value Composer::concat(ArrayRef<Value> parts, int64_t axis) {
  return make<ConcatOp>(parts, attribute("axis", axis));
}

Value Composer::slice(Value x, int64_t axis, Value start, Value end) {
  return make<SliceOp>({x, start, end, ints(axis)});
}

Value Composer::slice(Value x, int64_t axis, int64_t start, int64_t end) {
  Value starts = ints(start);
  return slice(x, axis, starts, ints(end));
}

SmallVector<Value> Composer::split(Value x, int64_t axis,
                                   ArrayRef<int64_t> sizes) {
  return makeAll<SplitOp>({x, ints(sizes)}, attribute("axis", axis),
                          sizes.size());
}

Value Composer::take(Value x, int64_t axis, int64_t index) {
  return gather(x, integer(index), axis);
}

Value Composer::gather(Value x, Value indices, int64_t axis) {
  return make<GatherOp>({x, indices}, attribute("axis", axis));
}

Value Composer::range(Value count) {
  return make<RangeOp>({integer(0), count, integer(1)});
}

SmallVector<Value> Composer::loop(Value count, ArrayRef<Value> initial,
                                  unsigned numCollected, LoopBody body) {
  unsigned numResults = initial.size() + numCollected;
  SmallVector<Value> none(numResults);
  if (failed)
    return none;
  OpBuilder &builder = node.builder;
  auto region = std::make_unique<Region>();
  {
    OpBuilder::InsertionGuard guard(builder);
    Location loc = node.getLoc();
    Block *block = builder.createBlock(region.get());
    auto addScalar = [&](Type element) {
      return block->addArgument(RankedTensorType::get({}, element), loc);
    };
    Value step = addScalar(builder.getI64Type());
    Value goesOn = addScalar(builder.getI1Type());
    for (Value state : initial)
      block->addArgument(state.getType(), loc);
    SmallVector<Value> next = body(step, block->getArguments().drop_front(2));
    if (failed)
      return none;
    next.insert(next.begin(), goesOn);
    YieldOp::create(builder, loc, next);
  }
  SmallVector<Value> results =
      node.createLoop(count, initial, std::move(region), numResults);
  failed = results.empty();
  return failed ? none : results;
}

int64_t Composer::getRank(Value x, StringRef what) {
  if (failed)
    return 0;
  std::optional<int64_t> rank = onnxc::getRank(x);
  if (!rank)
    fail("a tensor has an unknown rank, which is needed " + what);
  return rank.value_or(0);
}

std::optional<int64_t> onnxc::getKnownDim(Value x, int64_t axis) {
  std::optional<ArrayRef<int64_t>> shape = getShape(x);
  if (!shape)
    return std::nullopt;
  int64_t rank = shape->size(), index = axis < 0 ? axis + rank : axis;
  if (index < 0 || index >= rank || ShapedType::isDynamic((*shape)[index]))
    return std::nullopt;
  return (*shape)[index];
}
