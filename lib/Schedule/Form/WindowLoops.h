//===- WindowLoops.h - Convolutions that have no named op ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_FORM_WINDOWLOOPS_H
#define ONNXC_LIB_SCHEDULE_FORM_WINDOWLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace onnxc {

/// A convolution, as any op: loops n (g) f o… c k… over x [n (g) c
/// s…] and w [(g) f c k…], which add to [n (g) f o…]; depthwise n c o… k….
struct WindowLoops {
  llvm::SmallVector<int64_t> strides, dilations;
  /// How many groups of channels there are.
  int64_t group = 1;
  /// Whether each channel has one filter, without the dimension c.
  bool isDepthwise = false;
  /// The image and what the sums start from, [n, c, s…] with groups as well.
  mlir::Value image, filter, init;
  /// The op that makes the result of that rank.
  mlir::Operation *result = nullptr;
};

/// Matches sums of products over windows, of floats or of integers: the named
/// ops, and loops that no op is named for.
std::optional<WindowLoops> matchWindowLoops(mlir::linalg::LinalgOp op);

/// The vector that `init` repeats for each channel (dimension 1), widened or as
/// it is: a bias that sums start from. Null if it is something else.
mlir::Value getRepeatedByChannel(mlir::Value init);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_FORM_WINDOWLOOPS_H
