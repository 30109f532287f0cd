//===- SpreadImage.h - Zeros around and between pixels ---------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_CONV_SPREADIMAGE_H
#define ONNXC_LIB_SCHEDULE_KERNELS_CONV_SPREADIMAGE_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace onnxc {

/// Whether `value` is the constant 0, of either sign, or a splat of it.
bool isFloatZero(mlir::Value value);

/// An image [n, c, s...] with zeros around it: `pads` has the counts before it
/// in each spatial dimension, then those behind it.
struct ZeroPadding {
  mlir::tensor::PadOp pad;
  llvm::SmallVector<int64_t> pads;
};

/// Nothing if `image` is not of that form, or if a count is not known.
std::optional<ZeroPadding> matchZeroPadding(mlir::Value image);

/// An image [n, c, s...] with zeros between its pixels, which are `steps` apart
/// in each spatial dimension.
struct SpreadImage {
  mlir::Value source;
  llvm::SmallVector<int64_t> steps;
};

/// Nothing if `image` is not of that form. It begins and ends with a pixel.
std::optional<SpreadImage> matchSpread(mlir::Value image);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_CONV_SPREADIMAGE_H
