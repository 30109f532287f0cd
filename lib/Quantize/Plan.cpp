//===- Plan.cpp - What becomes of each layer's weights --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Quantize/Plan.h"

#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::quantize;

int64_t WeightCode::countBytes() const {
  int64_t bytes = 0;
  for (ElementsAttr part : {integers, scales, zeroPoints})
    if (part)
      bytes += onnxc::quantize::countBytes(part.getShapedType());
  return bytes;
}

/// The tensor as [outer, along, inner], where `along` is the axis.
namespace {
struct View {
  View(ArrayRef<int64_t> shape, int64_t axis) : along(shape[axis]) {
    for (int64_t size : shape.take_front(axis))
      outer *= size;
    for (int64_t size : shape.drop_front(axis + 1))
      inner *= size;
  }
  int64_t at(int64_t o, int64_t k, int64_t i) const {
    return (o * along + k) * inner + i;
  }
  int64_t outer = 1, along, inner = 1;
};

/// Squared errors over squares.
struct ErrorSum {
  double errors = 0, squares = 0;

  void add(float value, float decoded) {
    double off = double(value) - decoded;
    errors += off * off;
    squares += double(value) * value;
  }
  void add(const ErrorSum &other) {
    errors += other.errors;
    squares += other.squares;
  }
  double get() const { return squares > 0 ? std::sqrt(errors / squares) : 0; }
};
} // namespace

static RankedTensorType getIntegerType(RankedTensorType like,
                                       ArrayRef<int64_t> shape, unsigned bits,
                                       bool isUnsigned) {
  // TensorProto.DataType.
  constexpr int int8 = 3, uint8 = 2, uint4 = 21, int4 = 22;
  int number =
      bits == 4 ? (isUnsigned ? uint4 : int4) : (isUnsigned ? uint8 : int8);
  return RankedTensorType::get(
      shape, onnxc::getElementType(like.getContext(), number));
}

/// With one byte for each integer, of which the unused bits are 0.
static char toByte(int32_t integer, unsigned bits) {
  return static_cast<char>(integer & ((1 << bits) - 1));
}

WeightCode quantize::quantizeBlocks(const Layer &layer,
                                    const BlockOptions &options,
                                    ArrayRef<float> importance) {
  auto type = cast<RankedTensorType>(layer.weights.getType());
  auto real = cast<FloatType>(type.getElementType());
  const View view(type.getShape(), layer.blockAxis);
  const int64_t numBlocks = llvm::divideCeil(view.along, options.blockSize);
  const std::vector<float> values = readFloats(layer.weights);
  const bool isUnsigned = options.zeroPoints;
  const IntegerRange range = isUnsigned ? IntegerRange::ofUnsigned(options.bits)
                                        : IntegerRange::ofSigned(options.bits);
  const int64_t numCodes = view.outer * numBlocks * view.inner;
  std::vector<char> integers(values.size()), zeros(numCodes);
  std::vector<float> scales(numCodes);
  std::vector<ErrorSum> sums(view.outer * numBlocks);
  llvm::parallelFor(0, view.outer * numBlocks, [&](size_t row) {
    const int64_t o = static_cast<int64_t>(row) / numBlocks,
                  block = static_cast<int64_t>(row) % numBlocks;
    const int64_t first = block * options.blockSize,
                  last = std::min(first + options.blockSize, view.along);
    ArrayRef<float> weights =
        importance.empty() ? importance : importance.slice(first, last - first);
    std::vector<float> part(last - first);
    for (int64_t i = 0; i < view.inner; ++i) {
      for (int64_t k = first; k < last; ++k)
        part[k - first] = values[view.at(o, k, i)];
      auto round = [&](float scale) { return roundTo(real, scale); };
      Code code = isUnsigned ? searchAsymmetric(part, weights, range, round)
                             : searchSymmetric(part, weights, range, round);
      const int64_t place = (o * numBlocks + block) * view.inner + i;
      scales[place] = code.scale;
      zeros[place] = toByte(code.zeroPoint, options.bits);
      for (int64_t k = first; k < last; ++k) {
        int32_t integer = code.encode(part[k - first], range);
        integers[view.at(o, k, i)] = toByte(integer, options.bits);
        sums[row].add(part[k - first], code.decode(integer));
      }
    }
  });
  SmallVector<int64_t> shape(type.getShape());
  WeightCode result;
  result.integers = makeElements(
      getIntegerType(type, shape, options.bits, isUnsigned), integers);
  shape[layer.blockAxis] = numBlocks;
  result.scales = makeFloats(RankedTensorType::get(shape, real), scales);
  if (isUnsigned)
    result.zeroPoints = makeElements(
        getIntegerType(type, shape, options.bits, isUnsigned), zeros);
  result.axis = layer.blockAxis;
  result.blockSize = options.blockSize;
  ErrorSum all;
  for (const ErrorSum &sum : sums)
    all.add(sum);
  result.relativeError = all.get();
  return result;
}

WeightCode quantize::quantizeChannels(const Layer &layer,
                                      ArrayRef<float> leastScales) {
  auto type = cast<RankedTensorType>(layer.weights.getType());
  const std::vector<float> values = readFloats(layer.weights);
  const bool isPerTensor = layer.channelAxis < 0;
  // One scale for all is one channel that is everything.
  SmallVector<int64_t> flat{1, static_cast<int64_t>(values.size())};
  const View view =
      isPerTensor ? View(flat, 0) : View(type.getShape(), layer.channelAxis);
  const IntegerRange range = IntegerRange::ofBalanced(8);
  std::vector<char> integers(values.size());
  std::vector<float> scales(view.along);
  std::vector<ErrorSum> sums(view.along);
  llvm::parallelFor(0, view.along, [&](size_t channel) {
    const auto k = static_cast<int64_t>(channel);
    std::vector<float> part;
    part.reserve(view.outer * view.inner);
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t i = 0; i < view.inner; ++i)
        part.push_back(values[view.at(o, k, i)]);
    Code code = searchSymmetricPositive(
        part, range, leastScales.empty() ? 0 : leastScales[channel]);
    scales[channel] = code.scale;
    size_t place = 0;
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t i = 0; i < view.inner; ++i) {
        float value = part[place++];
        int32_t integer = code.encode(value, range);
        integers[view.at(o, k, i)] = toByte(integer, 8);
        sums[channel].add(value, code.decode(integer));
      }
  });
  WeightCode result;
  result.integers = makeElements(
      getIntegerType(type, type.getShape(), 8, /*isUnsigned=*/false), integers);
  SmallVector<int64_t> shape;
  if (!isPerTensor)
    shape.push_back(view.along);
  result.scales =
      makeFloats(RankedTensorType::get(shape, type.getElementType()), scales);
  std::vector<char> zeros(scales.size(), 0);
  result.zeroPoints =
      makeElements(getIntegerType(type, shape, 8, /*isUnsigned=*/false), zeros);
  result.axis = layer.channelAxis;
  ErrorSum all;
  for (const ErrorSum &sum : sums)
    all.add(sum);
  result.relativeError = all.get();
  return result;
}
