//===- PackedConstants.cpp - Constants in the order of kernels ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedConstants.h"
#include "Select/Schedule.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstring>

using namespace mlir;
using namespace onnxc;

/// Bytes of one element in memory; 0 if elements do not have whole bytes.
static int64_t elementBytes(ElementsAttr constant) {
  Type element = constant.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return 0;
  return element.getIntOrFloatBitWidth() / 8;
}

/// The elements in memory order: one of them if all are the same.
static ArrayRef<char> bytesOf(ElementsAttr constant) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? blob->getData() : ArrayRef<char>();
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(constant))
    return dense.getRawData();
  return {};
}

ElementsAttr onnxc::getPackableConstant(Value value) {
  while (Operation *reshape = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(reshape))
      break;
    value = reshape->getOperand(0);
  }
  ElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) ||
      !isa<RankedTensorType>(constant.getType()))
    return {};
  int64_t width = elementBytes(constant), size = bytesOf(constant).size();
  int64_t whole = width * constant.getNumElements();
  bool isSplat = isa<DenseElementsAttr>(constant) && constant.isSplat();
  return width && (size == whole || (isSplat && size == width))
             ? constant
             : ElementsAttr();
}

ArrayRef<float> onnxc::getFloats(ElementsAttr constant) {
  ArrayRef<char> bytes = bytesOf(constant);
  if (!constant.getElementType().isF32() ||
      int64_t(bytes.size() / sizeof(float)) != constant.getNumElements())
    return {};
  return ArrayRef(reinterpret_cast<const float *>(bytes.data()),
                  constant.getNumElements());
}

namespace {
/// Copies elements; one loop for each dimension of the result.
struct Packer {
  int64_t width;
  const char *source;
  bool isSplat;
  ArrayRef<int64_t> sourceShape, shape;
  /// For each dimension of the source its index as a sum over the result's.
  SmallVector<SmallVector<int64_t>> steps;
  char *target;

  void run(unsigned d, SmallVectorImpl<int64_t> &at) {
    if (d + 1 == shape.size())
      return copyRow(at);
    for (int64_t i = 0; i < shape[d]; ++i) {
      run(d + 1, at);
      move(at, d, 1);
    }
    move(at, d, -shape[d]);
  }

private:
  void move(SmallVectorImpl<int64_t> &at, unsigned d, int64_t count) {
    for (auto [index, step] : llvm::zip_equal(at, steps))
      index += count * step[d];
  }

  /// The innermost dimension: which of its elements lie inside is a range.
  void copyRow(ArrayRef<int64_t> at) {
    unsigned d = shape.size() - 1;
    int64_t low = 0, high = shape[d], offset = 0, step = 0;
    for (auto [index, size, all] : llvm::zip_equal(at, sourceShape, steps)) {
      int64_t by = all[d];
      offset = offset * size + index;
      step = step * size + by;
      // 0 <= index + i * by < size
      int64_t first = by < 0 ? index - size + 1 : -index,
              last = by < 0 ? index : size - 1 - index;
      if (by == 0) {
        high = first <= 0 && last >= 0 ? high : 0;
        continue;
      }
      low = std::max(low, llvm::divideCeilSigned(first, std::abs(by)));
      high = std::min(high, llvm::divideFloorSigned(last, std::abs(by)) + 1);
    }
    copyElements(low, high, offset, step);
    target += shape[d] * width;
  }

  void copyElements(int64_t low, int64_t high, int64_t offset, int64_t step) {
    if (low >= high)
      return;
    if (step == 1 && !isSplat) {
      std::memcpy(target + low * width, source + (offset + low) * width,
                  (high - low) * width);
      return;
    }
    for (int64_t i = low; i < high; ++i)
      std::memcpy(target + i * width,
                  source + (isSplat ? 0 : (offset + i * step) * width), width);
  }
};
} // namespace

/// The elements of `shape`, of which `toSource` says where each comes from.
static AsmResourceBlob rearrange(ArrayRef<char> from, int64_t width,
                                 ArrayRef<int64_t> sourceShape,
                                 ArrayRef<int64_t> shape, AffineMap toSource) {
  SaturatingInt elements = 1;
  for (int64_t size : shape)
    elements *= size;
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(
      elements * width, /*align=*/64, /*dataIsMutable=*/true);
  MutableArrayRef<char> data = blob.getMutableData();
  std::memset(data.data(), 0, data.size());
  Packer packer{width,       from.data(), int64_t(from.size()) == width,
                sourceShape, shape,       {},
                data.data()};
  SmallVector<int64_t> start;
  for (AffineExpr expr : toSource.getResults()) {
    SmallVector<int64_t> c = *linearCoefficients(expr, shape.size());
    start.push_back(c.back());
    packer.steps.push_back(c);
  }
  if (!data.empty())
    packer.run(0, start);
  return blob;
}

/// A constant of `type` in the place that `from` is rearranged to: levels of
/// processors that share weights share this one, too.
static Value makeRearranged(OpBuilder &b, Location loc, ElementsAttr from,
                            RankedTensorType type,
                            ArrayRef<int64_t> sourceShape,
                            ArrayRef<int64_t> shape, AffineMap toSource) {
  auto *dialect = b.getContext()->getLoadedDialect<kernel::KernelDialect>();
  Attribute key = b.getArrayAttr(
      {from, TypeAttr::get(type), b.getDenseI64ArrayAttr(sourceShape),
       b.getDenseI64ArrayAttr(shape), AffineMapAttr::get(toSource)});
  ElementsAttr made = dialect->getDerivedConstant(key, [&] {
    return DenseResourceElementsAttr::get(
        type, "packed",
        rearrange(bytesOf(from), elementBytes(from), sourceShape, shape,
                  toSource));
  });
  return arith::ConstantOp::create(b, loc, made);
}

Value onnxc::makePacked(OpBuilder &b, Location loc, RankedTensorType type,
                        AsmResourceBlob blob) {
  // Another level of processors may have made the same bytes.
  auto *dialect = b.getContext()->getLoadedDialect<kernel::KernelDialect>();
  ArrayRef<char> bytes = blob.getData();
  uint64_t hash = llvm::xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  Attribute key = b.getArrayAttr(
      {TypeAttr::get(type), b.getI64IntegerAttr(static_cast<int64_t>(hash))});
  bool isNew = false;
  auto make = [&]() -> ElementsAttr {
    isNew = true;
    return DenseResourceElementsAttr::get(type, "packed", std::move(blob));
  };
  ElementsAttr made = dialect->getDerivedConstant(key, make);
  // Different bytes may have one hash.
  if (!isNew && bytesOf(made) != bytes)
    made = make();
  return arith::ConstantOp::create(b, loc, made);
}

AsmResourceBlob onnxc::packElements(ArrayRef<char> from, int64_t width,
                                    ArrayRef<int64_t> sourceShape,
                                    const kernel::PackedLayout &layout,
                                    AffineMap toSource) {
  return rearrange(from, width, sourceShape, layout.getPlaces(),
                   toSource.compose(layout.getInverse()));
}

Value onnxc::packConstant(OpBuilder &b, Location loc, ElementsAttr from,
                          ArrayRef<int64_t> sourceShape,
                          const kernel::PackedLayout &layout,
                          AffineMap toSource) {
  return makeRearranged(
      b, loc, from,
      RankedTensorType::get(layout.getShape(), from.getElementType()),
      sourceShape, layout.getPlaces(), toSource.compose(layout.getInverse()));
}

Value onnxc::rearrangeConstant(OpBuilder &b, Location loc, ElementsAttr from,
                               ArrayRef<int64_t> sourceShape,
                               ArrayRef<int64_t> shape, AffineMap toSource) {
  return makeRearranged(b, loc, from,
                        RankedTensorType::get(shape, from.getElementType()),
                        sourceShape, shape, toSource);
}

/// Whether the bits of a float32 are those of a number below all normal ones,
/// and not of 0.
static bool isSubnormal(uint32_t bits) {
  return (bits & 0x7f800000) == 0 && (bits & 0x007fffff) != 0;
}

ElementsAttr onnxc::withoutSubnormals(ElementsAttr from) {
  auto type = dyn_cast<RankedTensorType>(from.getType());
  if (!type || !type.getElementType().isF32())
    return {};
  ArrayRef<char> bytes = bytesOf(from);
  size_t count = bytes.size() / sizeof(uint32_t);
  auto load = [](const char *data, size_t i) {
    uint32_t bits;
    std::memcpy(&bits, data + i * sizeof(bits), sizeof(bits));
    return bits;
  };
  size_t found = 0;
  uint32_t greatest = 0; // magnitudes are in the order of their bits
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits = load(bytes.data(), i);
    found += isSubnormal(bits);
    greatest = std::max(greatest, bits & 0x7fffffff);
  }
  constexpr uint32_t notLost = 25 << 23; // 2^24 times the least normal number
  if (found == 0 || greatest < notLost)
    return {};
  AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(
      bytes, /*align=*/64, /*dataIsMutable=*/true);
  char *data = blob.getMutableData().data();
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits = load(data, i);
    if (!isSubnormal(bits))
      continue;
    bits &= 0x80000000;
    std::memcpy(data + i * sizeof(bits), &bits, sizeof(bits));
  }
  return DenseResourceElementsAttr::get(type, "flushed", std::move(blob));
}
