//===- Elements.cpp - The elements of constants ---------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/PackedElements.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// From this size on a constant is a resource: uniquing it would hash it.
static constexpr size_t minResourceBytes = 1024;

/// Bytes of an element in memory; 0 for types that have none.
static unsigned getWidth(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * getWidth(complex.getElementType());
  if (!element.isIntOrFloat())
    return 0;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

std::optional<Elements> Elements::get(ElementsAttr attribute) {
  auto type = dyn_cast_or_null<RankedTensorType>(attribute ? attribute.getType()
                                                           : ShapedType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  Elements elements;
  elements.type = type;
  elements.count = type.getNumElements();
  elements.width = getWidth(type.getElementType());
  if (!elements.width)
    return std::nullopt;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    if (std::optional<ArrayRef<char>> packed = getPackedData(resource)) {
      elements.unpacked = std::make_shared<std::vector<char>>(
          unpackElements(*packed, getPackedBits(type.getElementType()),
                         static_cast<size_t>(elements.count)));
      elements.data = *elements.unpacked;
      return elements;
    }
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() !=
                     // no overflow: the constant is in memory
                     static_cast<size_t>(elements.count) * elements.width)
      return std::nullopt;
    elements.data = blob->getData();
    return elements;
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense || isa<DenseStringElementsAttr>(attribute))
    return std::nullopt;
  elements.splat = dense.isSplat() && elements.count > 0;
  if (type.getElementType().isInteger(1)) {
    elements.unpacked = std::make_shared<std::vector<char>>();
    if (elements.splat)
      elements.unpacked->push_back(dense.getSplatValue<bool>());
    else
      for (bool value : dense.getValues<bool>())
        elements.unpacked->push_back(value);
    elements.data = *elements.unpacked;
    return elements;
  }
  elements.data = elements.count ? dense.getRawData() : ArrayRef<char>();
  return elements;
}

Elements Elements::of(RankedTensorType type, ArrayRef<char> bytes) {
  Elements elements;
  elements.type = type;
  elements.count = type.getNumElements();
  elements.width = getWidth(type.getElementType());
  elements.data = bytes;
  elements.splat = elements.count > 1 && bytes.size() == elements.width;
  return elements;
}

bool Elements::allEqual() const {
  for (int64_t i = 1; !splat && i < count; ++i)
    if (std::memcmp(data.data(), data.data() + i * width, width) != 0)
      return false;
  return true;
}

static uint64_t load(ArrayRef<char> bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min<size_t>(bytes.size(), 8));
  return bits;
}

int64_t Elements::getInteger(int64_t index) const {
  auto integer = cast<IntegerType>(getElementType());
  uint64_t bits = load(getBytes(index));
  unsigned bitWidth = integer.getWidth();
  if (bitWidth == 64)
    return static_cast<int64_t>(bits);
  bits &= (uint64_t(1) << bitWidth) - 1;
  if (integer.isUnsigned() || bitWidth == 1)
    return static_cast<int64_t>(bits);
  return llvm::SignExtend64(bits, bitWidth);
}

double Elements::getNumber(int64_t index) const {
  if (auto integer = dyn_cast<IntegerType>(getElementType())) {
    int64_t value = getInteger(index);
    return integer.isUnsigned()
               ? static_cast<double>(static_cast<uint64_t>(value))
               : static_cast<double>(value);
  }
  auto real = dyn_cast<FloatType>(getElementType());
  if (!real)
    return std::numeric_limits<double>::quiet_NaN();
  uint64_t bits = load(getBytes(index));
  if (real.isF32()) {
    float value;
    uint32_t low = static_cast<uint32_t>(bits);
    std::memcpy(&value, &low, sizeof(value));
    return value;
  }
  if (real.isF64()) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  unsigned bitWidth = real.getWidth();
  bits &= (uint64_t(1) << bitWidth) - 1;
  llvm::APFloat value(real.getFloatSemantics(), llvm::APInt(bitWidth, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

std::vector<double> Elements::getNumbers() const {
  std::vector<double> numbers(count);
  for (int64_t i = 0; i < count; ++i)
    numbers[i] = getNumber(i);
  return numbers;
}

//===----------------------------------------------------------------------===//
// Making constants
//===----------------------------------------------------------------------===//

ElementsAttr optimize::makeElements(RankedTensorType type,
                                    ArrayRef<char> bytes) {
  if (bytes.size() >= minResourceBytes)
    return DenseResourceElementsAttr::get(
        type, "folded", HeapAsmResourceBlob::allocateAndCopyInferAlign(bytes));
  if (bytes.empty())
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (type.getElementType().isInteger(1))
    return DenseElementsAttr::get(
        type, llvm::map_to_vector(bytes,
                                  [](char byte) -> bool { return byte != 0; }));
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

ElementsAttr optimize::makeSplat(RankedTensorType type, ArrayRef<char> bytes) {
  if (type.getElementType().isInteger(1))
    return DenseElementsAttr::get(type, bytes[0] != 0);
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

/// The bits of the number in the type; nullopt if it cannot be said.
static std::optional<uint64_t> encode(Type type, double number) {
  if (auto real = dyn_cast<FloatType>(type)) {
    llvm::APFloat value(number);
    bool losesInfo;
    value.convert(real.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.bitcastToAPInt().getZExtValue();
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || std::trunc(number) != number)
    return std::nullopt;
  unsigned width = integer.getWidth();
  bool isUnsigned = integer.isUnsigned() || width == 1;
  double least = isUnsigned ? 0 : -std::ldexp(1.0, width - 1);
  double limit = std::ldexp(1.0, isUnsigned ? width : width - 1);
  if (!(number >= least && number < limit))
    return std::nullopt;
  return isUnsigned ? static_cast<uint64_t>(number)
                    : static_cast<uint64_t>(static_cast<int64_t>(number));
}

std::optional<ElementsAttr> optimize::makeElements(RankedTensorType type,
                                                   ArrayRef<double> numbers) {
  unsigned width = getWidth(type.getElementType());
  if (!width || width > 8)
    return std::nullopt;
  std::vector<char> bytes(numbers.size() * width);
  for (auto [i, number] : llvm::enumerate(numbers)) {
    std::optional<uint64_t> bits = encode(type.getElementType(), number);
    if (!bits)
      return std::nullopt;
    // no overflow: the constant is in memory
    std::memcpy(&bytes[i * width], &*bits, width);
  }
  return makeElements(type, bytes);
}

ElementsAttr optimize::makeIntegers(MLIRContext *context,
                                    ArrayRef<int64_t> shape,
                                    ArrayRef<int64_t> values) {
  return makeElements(
      RankedTensorType::get(shape, IntegerType::get(context, 64)),
      ArrayRef(reinterpret_cast<const char *>(values.data()),
               values.size() * sizeof(int64_t)));
}

ElementsAttr optimize::makeIntegers(MLIRContext *context,
                                    ArrayRef<int64_t> values) {
  return makeIntegers(context, static_cast<int64_t>(values.size()), values);
}

ElementsAttr optimize::reshapeElements(ElementsAttr elements,
                                       ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, elements.getElementType());
  if (!type.hasStaticShape() ||
      type.getNumElements() != elements.getNumElements())
    return {};
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.reshape(type);
  return {};
}
