//===- Weights.cpp - The elements of weights ------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Quantize/Weights.h"

#include "onnxc/Dialect/ONNX/Core.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::quantize;

/// From this size on a constant is a resource: uniquing it would hash it.
static constexpr size_t minResourceBytes = 1024;

/// The bytes of all elements, or of one if they are all the same (`isSplat`).
static ArrayRef<char> getRawData(ElementsAttr elements, bool &isSplat) {
  isSplat = false;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? blob->getData() : ArrayRef<char>();
  }
  auto dense = cast<DenseElementsAttr>(elements);
  isSplat = dense.isSplat();
  return dense.getRawData();
}

ElementsAttr quantize::getWeights(Value value) {
  auto constant = value ? value.getDefiningOp<ConstantOp>() : nullptr;
  auto elements =
      constant ? dyn_cast_if_present<ElementsAttr>(constant.getValueAttr())
               : ElementsAttr();
  if (!elements ||
      !isa<DenseResourceElementsAttr, DenseElementsAttr>(elements) ||
      isa<DenseStringElementsAttr>(elements))
    return {};
  auto type = dyn_cast<RankedTensorType>(elements.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() == 0)
    return {};
  Type element = type.getElementType();
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return {};
  bool isSplat;
  size_t bytes = getRawData(elements, isSplat).size();
  size_t each = element.getIntOrFloatBitWidth() / 8;
  // no overflow: the constant is in memory
  return isSplat || bytes == static_cast<size_t>(type.getNumElements()) * each
             ? elements
             : ElementsAttr();
}

/// The float of 16 bits.
static float widen(const llvm::fltSemantics &semantics, uint16_t bits) {
  if (&semantics == &llvm::APFloat::BFloat()) {
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
  llvm::APFloat value(semantics, llvm::APInt(16, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToFloat();
}

bool quantize::readFloats(Type elementType, const void *data, size_t count,
                          std::vector<float> &values) {
  values.resize(count);
  if (elementType.isF32()) {
    if (count)
      std::memcpy(values.data(), data, count * sizeof(float));
    return true;
  }
  if (!elementType.isF16() && !elementType.isBF16())
    return false;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(elementType).getFloatSemantics();
  const char *bytes = static_cast<const char *>(data);
  for (size_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, bytes + 2 * i, sizeof(bits));
    values[i] = widen(semantics, bits);
  }
  return true;
}

std::vector<float> quantize::readFloats(ElementsAttr elements) {
  bool isSplat;
  ArrayRef<char> raw = getRawData(elements, isSplat);
  auto count = static_cast<size_t>(elements.getNumElements());
  std::vector<float> values;
  (void)readFloats(elements.getElementType(), raw.data(), isSplat ? 1 : count,
                   values);
  if (isSplat)
    values.assign(count, values.front());
  return values;
}

bool quantize::areFinite(ElementsAttr elements) {
  return llvm::all_of(readFloats(elements),
                      [](float value) { return std::isfinite(value); });
}

ElementsAttr quantize::makeElements(RankedTensorType type,
                                    ArrayRef<char> bytes) {
  if (bytes.size() >= minResourceBytes)
    return DenseResourceElementsAttr::get(
        type, "quantized",
        HeapAsmResourceBlob::allocateAndCopyInferAlign(bytes));
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

float quantize::roundTo(FloatType type, float value) {
  if (type.isF32())
    return value;
  llvm::APFloat rounded(value);
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                  &losesInfo);
  rounded.convert(llvm::APFloat::IEEEsingle(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToFloat();
}

ElementsAttr quantize::makeFloats(RankedTensorType type,
                                  ArrayRef<float> values) {
  auto real = cast<FloatType>(type.getElementType());
  if (real.isF32())
    return makeElements(type, values);
  std::vector<uint16_t> bits;
  for (float value : values) {
    llvm::APFloat rounded(value);
    bool losesInfo;
    rounded.convert(real.getFloatSemantics(),
                    llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    bits.push_back(
        static_cast<uint16_t>(rounded.bitcastToAPInt().getZExtValue()));
  }
  return makeElements(type, ArrayRef<uint16_t>(bits));
}

int64_t quantize::countBytes(ShapedType type) {
  return llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(),
                          8);
}
