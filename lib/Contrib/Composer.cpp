//===- Composer.cpp - A node as a composition of operators ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composer.h"

#include "onnxc/Dialect/ONNX/Schema.h"
#include "onnxc/Support/Diagnostics.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void Composer::fail(const Twine &message) {
  if (hasFailed())
    return;
  markFailed();
  std::string text = message.str();
  InFlightDiagnostic error = emitError(getLoc()) << text;
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
      picked.push_back(attribute(name, value));
  return picked;
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

int64_t Composer::getRank(Value x, StringRef what) {
  if (hasFailed())
    return 0;
  std::optional<int64_t> rank = onnxc::getRank(x);
  if (!rank)
    fail("a tensor has an unknown rank, which is needed " + what);
  return rank.value_or(0);
}

Value Composer::swapLastTwo(Value x) {
  int64_t rank = getRank(x, "to transpose it");
  if (rank < 2)
    return x;
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(perm[rank - 2], perm[rank - 1]);
  return transpose(x, perm);
}
