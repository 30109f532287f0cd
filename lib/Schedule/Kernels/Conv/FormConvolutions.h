//===- FormConvolutions.h - Kernels of convolutions -------------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_CONV_FORMCONVOLUTIONS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_CONV_FORMCONVOLUTIONS_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>
#include <string>

namespace onnxc {

/// Makes a constant of the filter of `op`, sums over windows, if it is a
/// rearranged constant. Fails if it is not.
llvm::LogicalResult rearrangeConstantFilter(mlir::RewriterBase &b,
                                            mlir::linalg::LinalgOp op);

/// Whether `op` can become a kernel.conv: sums over windows of floats with a
/// constant filter, whose groups fill blocks. If not, `why` says what is
/// against it.
bool canFormConvolution(mlir::linalg::LinalgOp op, TargetAttr target,
                        std::string &why);

/// Replaces `op` by a kernel between reorders, or, of many channels, by several
/// that each take some of them; the last one is returned. With `winograd`, they
/// may be computed by Winograd's filtering if that is exact enough. Fails, with
/// `why`, where canFormConvolution does, and leaves the op as it is.
llvm::FailureOr<kernel::ConvOp>
formConvolution(mlir::RewriterBase &b, mlir::linalg::LinalgOp op,
                TargetAttr target, bool winograd, std::string &why);

/// The windows over the spatial dimensions of an image: the `taps` of each,
/// and `pads`, all begins, then all ends.
struct Windows {
  llvm::SmallVector<int64_t> taps, strides, dilations, pads;
};

/// The greatest or the sum of each window of an image [n, c, s…], into `init`.
struct Pool {
  mlir::Value image, init;
  Windows windows;
  bool isMaximum = false;
};

/// Matches such loops over floats of at most 32 bits, with what lies around the
/// image and changes nothing as `pads`; says why not.
std::optional<Pool> matchPool(mlir::linalg::GenericOp op, std::string &why);

/// Whether `op`, the greatest or the sum of each window, can become a depthwise
/// kernel.conv: the image comes from a kernel. If not, `why` says what is
/// against it.
bool canFormPool(mlir::linalg::GenericOp op, std::string &why);

/// Replaces `op` by a kernel between reorders. Fails, with `why`, where
/// canFormPool does, and leaves the op as it is.
llvm::FailureOr<kernel::ConvOp> formPool(mlir::RewriterBase &b,
                                         mlir::linalg::GenericOp op,
                                         TargetAttr target, std::string &why);

/// The greatest of each window of a blocked image with so many channels, or the
/// sum, into `init`, blocked as well.
kernel::ConvOp createPool(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value image, const Windows &windows,
                          int64_t channels, bool isMaximum, mlir::Value init);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_CONV_FORMCONVOLUTIONS_H
