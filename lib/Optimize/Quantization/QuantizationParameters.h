//===- QuantizationParameters.h - Scales and zero points ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_QUANTIZATIONPARAMETERS_H
#define ONNXC_LIB_OPTIMIZE_QUANTIZATIONPARAMETERS_H

#include "onnxc/Dialect/ONNX/Quantization.h"

namespace onnxc::optimize {

/// How a QuantizeLinear or DequantizeLinear maps integers of 2 to 16 bits to
/// floats: all its parameters are constants, and all scales are positive and so
/// that no integer times its scale overflows, is subnormal, or rounds to what
/// does not lead back to it.
struct QuantizationParameters {
  mlir::IntegerType integer;
  /// What is computed in, which is the type of the scales as well.
  mlir::FloatType real;
  mlir::Value scale, zeroPoint;
  /// One of each for the tensor, or for each slice along an axis.
  std::vector<double> scales, zeroPoints;
  int64_t axis;

  bool isPerTensor() const { return scales.size() == 1; }
  double getLeast() const;
  double getMost() const;
  /// What the float becomes with parameters number `index`.
  double quantize(double value, size_t index) const;
  bool operator==(const QuantizationParameters &other) const;
  bool operator!=(const QuantizationParameters &other) const {
    return !(*this == other);
  }
};

std::optional<QuantizationParameters> getParameters(QuantizeLinearOp op);
std::optional<QuantizationParameters> getParameters(DequantizeLinearOp op);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_QUANTIZATIONPARAMETERS_H
