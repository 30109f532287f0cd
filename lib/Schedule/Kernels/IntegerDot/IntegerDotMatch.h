//===- IntegerDotMatch.h - What a kernel.integer_dot is made of -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_INTEGERDOTMATCH_H
#define ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_INTEGERDOTMATCH_H

#include "Kernels/QuantizedFactor.h"
#include "QuantizedWeights.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace onnxc {

/// A contraction of quantized numbers: all that the kernel is made of, without
/// any op that is made for it.
struct IntegerDotMatch {
  /// What is replaced, and what its sums start from.
  mlir::Operation *result = nullptr;
  mlir::Value init;
  /// The image: [n, c, s…], or [rows…, c] for a matrix product.
  QuantizedFactor image;
  QuantizedWeights weights;
  /// By column, of the type of the sums; or null.
  mlir::Value bias;

  /// Sums over windows; otherwise a matrix product.
  bool isConvolution = false;
  bool isDepthwise = false;
  /// Of a convolution; without windows if each is one pixel.
  llvm::SmallVector<int64_t> window, strides, dilations;
  llvm::SmallVector<mlir::OpFoldResult> low, high;
  /// Of a matrix product: the rows, where several dimensions were joined to
  /// them, which the kernel keeps apart.
  mlir::tensor::CollapseShapeOp joined;
};

/// The lanes of the vectors that panels are of: those of the processor that
/// constants are packed for.
int64_t getPanelLanes(TargetAttr target);

/// Matches a matrix product or sums over windows. `why` says what is against
/// it.
std::optional<IntegerDotMatch>
matchIntegerDot(mlir::linalg::LinalgOp op, TargetAttr target, std::string &why);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_INTEGERDOTMATCH_H
