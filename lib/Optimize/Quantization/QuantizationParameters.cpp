//===- QuantizationParameters.cpp - Scales and zero points ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizationParameters.h"

#include "Rewriting/Matching.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

double QuantizationParameters::getLeast() const {
  return integer.isUnsigned() ? 0 : -std::ldexp(1.0, integer.getWidth() - 1);
}

double QuantizationParameters::getMost() const {
  return std::ldexp(1.0, integer.getWidth() - !integer.isUnsigned()) - 1;
}

double QuantizationParameters::quantize(double value, size_t index) const {
  double quotient = real.isF32() ? static_cast<float>(value) /
                                       static_cast<float>(scales[index])
                                 : value / scales[index];
  return std::clamp(std::nearbyint(quotient) + zeroPoints[index], getLeast(),
                    getMost());
}

bool QuantizationParameters::operator==(
    const QuantizationParameters &other) const {
  return integer == other.integer && real == other.real &&
         scales == other.scales && zeroPoints == other.zeroPoints &&
         (isPerTensor() || axis == other.axis);
}

/// Whether integers of this width times a scale of this type, rounded, and
/// divided by the scale are nearer to themselves than to any other.
static bool leadsBack(FloatType real, unsigned width) {
  if (real.isF32())
    return width <= 16;
  return real.isF16() ? width <= 8 : width <= 4;
}

static std::optional<QuantizationParameters>
getParameters(Value integers, Value reals, Value scale, Value zeroPoint,
              int64_t axis, int64_t blockSize) {
  QuantizationParameters found;
  Type quantized = getElementType(integers);
  Type plain = getElementType(reals), ofScale = getElementType(scale);
  found.integer = dyn_cast_or_null<IntegerType>(quantized);
  found.real = dyn_cast_or_null<FloatType>(plain);
  std::optional<Elements> scales = Elements::get(getConstant(scale));
  if (!found.integer || !found.real || ofScale != plain || !scales ||
      blockSize != 0 || found.integer.isInteger(1) ||
      !(plain.isF32() || plain.isF16() || plain.isBF16()) ||
      !leadsBack(found.real, found.integer.getWidth()) ||
      scales->getType().getRank() > 1 || scales->size() == 0)
    return std::nullopt;
  found.scale = scale;
  found.zeroPoint = zeroPoint;
  found.scales = scales->getNumbers();
  found.zeroPoints.assign(found.scales.size(), 0);
  if (zeroPoint) {
    std::optional<Elements> zeros = Elements::get(getConstant(zeroPoint));
    if (!zeros || zeros->getElementType() != quantized ||
        zeros->size() != scales->size())
      return std::nullopt;
    found.zeroPoints = zeros->getNumbers();
  }
  const llvm::fltSemantics &semantics = found.real.getFloatSemantics();
  double least =
             llvm::APFloat::getSmallestNormalized(semantics).convertToDouble(),
         most = llvm::APFloat::getLargest(semantics).convertToDouble();
  double range = found.getMost() - found.getLeast();
  for (double each : found.scales)
    if (!(each >= least) || !(each * range < most))
      return std::nullopt;
  std::optional<int64_t> rank = getRank(reals);
  found.axis = 0;
  if (!found.isPerTensor()) {
    std::optional<int64_t> place =
        rank ? normalizeAxis(axis, *rank) : std::nullopt;
    if (!place)
      return std::nullopt;
    found.axis = *place;
  }
  return found;
}

std::optional<QuantizationParameters>
optimize::getParameters(QuantizeLinearOp op) {
  // A precision other than that of the data.
  if (op.getPrecision() != 0 &&
      onnxc::getElementType(op.getContext(), op.getPrecision()) !=
          getElementType(op.getX()))
    return std::nullopt;
  return ::getParameters(op.getY(), op.getX(), op.getYScale(),
                         op.getYZeroPoint(), op.getAxis(), op.getBlockSize());
}

std::optional<QuantizationParameters>
optimize::getParameters(DequantizeLinearOp op) {
  return ::getParameters(op.getX(), op.getY(), op.getXScale(),
                         op.getXZeroPoint(), op.getAxis(), op.getBlockSize());
}
