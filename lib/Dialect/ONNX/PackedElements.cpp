//===- PackedElements.cpp - Elements of less than a byte ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/PackedElements.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

unsigned onnxc::getPackedBits(Type elementType) {
  if (!elementType.isIntOrFloat() || elementType.isInteger(1))
    return 0;
  unsigned bits = elementType.getIntOrFloatBitWidth();
  return bits < 8 ? bits : 0;
}

std::vector<char> onnxc::unpackElements(ArrayRef<char> packed, unsigned bits,
                                        size_t count) {
  std::vector<char> elements(count);
  const unsigned mask = (1u << bits) - 1;
  auto byteAt = [&](size_t i) -> unsigned {
    return i < packed.size() ? static_cast<unsigned char>(packed[i]) : 0;
  };
  if (8 % bits == 0) {
    // Whole bytes at a time, which compilers turn into vectors.
    const size_t perByte = 8 / bits;
    const size_t whole = std::min(count / perByte, packed.size());
    for (size_t i = 0; i < whole; ++i)
      for (size_t j = 0; j < perByte; ++j)
        elements[i * perByte + j] = static_cast<char>(
            static_cast<unsigned char>(packed[i]) >> (j * bits) & mask);
    for (size_t i = whole * perByte; i < count; ++i)
      elements[i] =
          static_cast<char>(byteAt(i / perByte) >> (i % perByte * bits) & mask);
    return elements;
  }
  for (size_t i = 0; i < count; ++i) {
    size_t bit = i * bits;
    unsigned word = byteAt(bit / 8) | byteAt(bit / 8 + 1) << 8;
    elements[i] = static_cast<char>(word >> (bit % 8) & mask);
  }
  return elements;
}

std::optional<ArrayRef<char>>
onnxc::getPackedData(DenseResourceElementsAttr resource) {
  unsigned bits = getPackedBits(resource.getType().getElementType());
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!bits || !blob)
    return std::nullopt;
  auto count = static_cast<uint64_t>(resource.getType().getNumElements());
  size_t packed = llvm::divideCeil(count * bits, 8);
  if (packed == count || blob->getData().size() != packed)
    return std::nullopt;
  return blob->getData();
}

DenseResourceElementsAttr
onnxc::unpackResource(DenseResourceElementsAttr resource) {
  std::optional<ArrayRef<char>> packed = getPackedData(resource);
  if (!packed)
    return resource;
  std::vector<char> elements = unpackElements(
      *packed, getPackedBits(resource.getType().getElementType()),
      static_cast<size_t>(resource.getType().getNumElements()));
  return DenseResourceElementsAttr::get(
      resource.getType(), resource.getRawHandle().getKey(),
      HeapAsmResourceBlob::allocateAndCopyInferAlign(ArrayRef<char>(elements)));
}
