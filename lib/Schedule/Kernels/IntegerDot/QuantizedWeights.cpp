//===- QuantizedWeights.cpp - Constant weights as numbers -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizedWeights.h"
#include "Kernels/QuantizedFactor.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/Sequence.h"

#include <cstring>

using namespace mlir;
using namespace onnxc;

void QuantizedWeights::mergeGroups(int64_t count) {
  if (count == 1)
    return;
  int64_t perGroup = columns / groups;
  SmallVector<int16_t> merged;
  merged.reserve(values.size() * count);
  for (int64_t row = 0; row < columns * taps; ++row) {
    int64_t column = row / taps, member = column / perGroup % count;
    merged.append(count * channels,
                  zeroPoints.empty() ? 0 : zeroPoints[column]);
    llvm::copy(ArrayRef(values).slice(row * channels, channels),
               merged.begin() + (row * count + member) * channels);
  }
  values = std::move(merged);
  // no overflow: the merged weights are in memory
  channels *= count;
  groups /= count;
}

SmallVector<char> QuantizedWeights::getBytes() const {
  if (isWide) {
    const char *first = reinterpret_cast<const char *>(values.data());
    return SmallVector<char>(first, first + values.size() * sizeof(int16_t));
  }
  SmallVector<char> bytes;
  bytes.resize_for_overwrite(values.size());
  llvm::copy(values, bytes.begin());
  return bytes;
}

/// The numbers of `width` bytes that `value`, one for each column or one for
/// all, has for the columns; nothing if it is not such a constant. `map` leads
/// to it from the weights, of which `columnDim` is the dimension of the
/// columns.
static std::optional<SmallVector<char>> readByColumn(Value value, AffineMap map,
                                                     int64_t width,
                                                     int64_t columns,
                                                     unsigned columnDim) {
  std::optional<SmallVector<char>> own = readConstant(value);
  if (!own)
    return std::nullopt;
  int64_t count = own->size() / width;
  if (count != 1 && count != columns)
    return std::nullopt;
  // Along a dimension of size 1 it does not matter what is read.
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  for (auto [size, expr] : llvm::zip_equal(shape, map.getResults()))
    if (size != 1 && expr != getAffineDimExpr(columnDim, value.getContext()))
      return std::nullopt;
  SmallVector<char> all;
  for (int64_t i = 0; i < columns; ++i)
    all.append(own->begin() + (count == 1 ? 0 : i) * width,
               own->begin() + (count == 1 ? 1 : i + 1) * width);
  return all;
}

static int32_t readByte(char byte, bool isUnsigned) {
  return isUnsigned ? int32_t(uint8_t(byte)) : int32_t(int8_t(byte));
}

/// Zero points and scales of the columns. False if they are not constants.
static bool readColumns(const QuantizedFactor &factor, unsigned columnDim,
                        QuantizedWeights &weights) {
  weights.zeroPoints.assign(weights.columns, 0);
  if (factor.zeroPoint) {
    auto zeros = readByColumn(factor.zeroPoint, factor.zeroPointMap, 1,
                              weights.columns, columnDim);
    if (!zeros)
      return false;
    for (auto [to, from] : llvm::zip_equal(weights.zeroPoints, *zeros))
      to = readByte(from, factor.isUnsigned);
  }
  if (factor.scale) {
    auto scales = readByColumn(factor.scale, factor.scaleMap, sizeof(float),
                               weights.columns, columnDim);
    if (!scales)
      return false;
    weights.scales.resize(weights.columns);
    std::memcpy(weights.scales.data(), scales->data(), scales->size());
  }
  return true;
}

/// The numbers as they are, by columns, taps and channels.
static void copyValues(ArrayRef<char> bytes, bool isUnsigned,
                       const WeightsForm &form, QuantizedWeights &weights) {
  weights.values.resize_for_overwrite(form.columns * form.taps * form.channels);
  int64_t stepOfTap = form.columnsFirst ? 1 : 0,
          stepOfChannel = form.columnsFirst ? form.taps : form.columns,
          stepOfColumn = form.columnsFirst ? form.taps * form.channels : 1;
  // Columns that lie side by side share lines of the cache.
  constexpr int64_t block = 64;
  for (int64_t first = 0; first < form.channels; first += block)
    for (int64_t f = 0; f < form.columns; ++f)
      for (int64_t t = 0; t < form.taps; ++t) {
        int16_t *to =
            weights.values.data() + (f * form.taps + t) * form.channels;
        const char *from = bytes.data() + f * stepOfColumn + t * stepOfTap;
        for (int64_t c = first, e = std::min(first + block, form.channels);
             c < e; ++c)
          to[c] = readByte(from[c * stepOfChannel], isUnsigned);
      }
}

/// The numbers: without the zero point if signed bytes hold that, or if they
/// may be wide, else by 128 less if they are unsigned.
static void takeValues(ArrayRef<char> bytes, bool isUnsigned,
                       const WeightsForm &form, QuantizedWeights &weights) {
  copyValues(bytes, isUnsigned, form, weights);
  int64_t perColumn = form.taps * form.channels;
  auto columnOf = [&](int64_t column) {
    return MutableArrayRef(weights.values).slice(column * perColumn, perColumn);
  };
  bool fits = llvm::all_of(llvm::seq<int64_t>(0, form.columns), [&](int64_t f) {
    int32_t zero = weights.zeroPoints[f];
    return llvm::all_of(columnOf(f), [&](int32_t value) {
      return value - zero >= -128 && value - zero <= 127;
    });
  });
  weights.isWide = form.mayBeWide && !fits;
  int32_t shift = isUnsigned ? 128 : 0;
  bool centers = form.mayBeWide || fits;
  for (int64_t f = 0; f < form.columns; ++f)
    for (int16_t &value : columnOf(f))
      value -= centers ? weights.zeroPoints[f] : shift;
  if (centers)
    weights.zeroPoints.clear();
  for (int32_t &zero : weights.zeroPoints)
    zero -= shift;
}

std::optional<QuantizedWeights>
onnxc::readQuantizedWeights(Value value, const WeightsForm &form,
                            std::string &why) {
  std::optional<QuantizedFactor> factor = matchQuantizedFactor(value);
  if (!factor) {
    why = "the weights are not quantized";
    return std::nullopt;
  }
  std::optional<SmallVector<char>> bytes = readConstant(factor->bytes);
  if (!bytes ||
      int64_t(bytes->size()) != form.columns * form.taps * form.channels) {
    why = "the weights are not constant";
    return std::nullopt;
  }
  QuantizedWeights weights;
  weights.columns = form.columns;
  weights.taps = form.taps;
  weights.channels = form.channels;
  if (!readColumns(*factor, form.columnsFirst ? 0 : 1, weights)) {
    why = "zero points and scales of the weights are not constants by column";
    return std::nullopt;
  }
  takeValues(*bytes, factor->isUnsigned, form, weights);
  return weights;
}
