//===- WindowSums.h - Sums of the bytes of each window -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_WINDOWSUMS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_WINDOWSUMS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace onnxc {

/// The sums, i32 [r…, o…], of bytes [r…, s…, c] over windows and all channels.
/// `sizes` are those of the result; `window`, `strides` and
/// `dilations` are for its last dimensions.
mlir::Value sumWindows(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value image, bool isUnsigned,
                       mlir::ArrayRef<int64_t> window,
                       mlir::ArrayRef<int64_t> strides,
                       mlir::ArrayRef<int64_t> dilations,
                       mlir::ArrayRef<mlir::OpFoldResult> sizes);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_WINDOWSUMS_H
