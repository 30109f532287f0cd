//===- Measurement.cpp - How far results differ ---------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measurement.h"

#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Quantize/Weights.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace onnxc;

static uint64_t countElements(const onnxc_tensor &tensor) {
  uint64_t count = 1;
  for (int32_t d = 0; d < tensor.rank; ++d)
    // no overflow: the tensor is in memory
    count *= static_cast<uint64_t>(tensor.dims[d]);
  return count;
}

std::vector<float> onnxc::getFloats(const onnxc_tensor &tensor,
                                    MLIRContext *context) {
  std::vector<float> floats;
  Type element = getElementType(context, tensor.dtype);
  if (!element || !quantize::readFloats(element, tensor.data,
                                        countElements(tensor), floats))
    floats.clear();
  return floats;
}

/// As double: of float64 and of the types that weights may have. Empty for
/// others.
static std::vector<double> getReals(const onnxc_tensor &tensor,
                                    MLIRContext *context) {
  uint64_t number = countElements(tensor);
  std::vector<double> reals;
  if (tensor.dtype == ONNXC_DOUBLE) {
    reals.resize(number);
    if (number)
      std::memcpy(reals.data(), tensor.data, number * sizeof(double));
    return reals;
  }
  std::vector<float> floats = getFloats(tensor, context);
  reals.assign(floats.begin(), floats.end());
  return reals;
}

void Difference::add(const onnxc_tensor &want, const onnxc_tensor &got,
                     MLIRContext *context) {
  size_t width = onnxc_dtype_size(want.dtype);
  if (want.rank < 0 || width == 0 || want.dtype == ONNXC_STRING)
    return;
  uint64_t number = countElements(want);
  bool isSameShape = want.rank == got.rank && number == countElements(got);
  count += number;
  std::vector<double> a = getReals(want, context), b = getReals(got, context);
  if (a.empty()) {
    for (uint64_t i = 0; i < number; ++i)
      numOther += !isSameShape ||
                  std::memcmp(static_cast<const char *>(want.data) + i * width,
                              static_cast<const char *>(got.data) + i * width,
                              width) != 0;
    return;
  }
  ofFloats = true;
  if (!isSameShape) {
    errors = HUGE_VAL;
    return;
  }
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    // Both infinite alike, or both NaN: no difference, and nothing to divide
    // by.
    if (!std::isfinite(x) && (x == y || (std::isnan(x) && std::isnan(y))))
      continue;
    errors += (x - y) * (x - y);
    squares += std::isfinite(x) ? x * x : 0;
  }
}

double Difference::get() const {
  if (!ofFloats)
    return count ? static_cast<double>(numOther) / static_cast<double>(count)
                 : 0;
  return getRelativeError(errors, squares);
}

double onnxc::getRelativeError(double errors, double squares) {
  if (errors == 0)
    return 0;
  // A NaN that was none before counts as the greatest error.
  return squares > 0 && std::isfinite(errors) ? std::sqrt(errors / squares)
                                              : HUGE_VAL;
}

OwnedOutputs::OwnedOutputs(ArrayRef<onnxc_tensor> outputs)
    : tensors(outputs.begin(), outputs.end()) {
  for (onnxc_tensor &tensor : tensors) {
    bool isPlain = tensor.rank >= 0 && tensor.dtype != ONNXC_STRING;
    uint64_t size = isPlain ? onnxc_tensor_bytes(&tensor) : 0;
    auto *data = static_cast<const char *>(tensor.data);
    bytes.emplace_back(data, data + size);
    tensor.data = bytes.back().data();
  }
}
