//===- Blocks.h - Tensors in blocked layout ------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plain image is [n, c, s…], a blocked one [n, c / lanes, s…, lanes]; what
// the lanes behind the last channel hold means nothing.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_REORDER_BLOCKS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_REORDER_BLOCKS_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/IR/Builders.h"

namespace onnxc {

/// The sizes of a tensor, taken from where its memory is created if possible:
/// they then do not depend on its elements.
llvm::SmallVector<mlir::OpFoldResult>
sizesOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor);

/// An empty blocked image for a plain one of `sizes` with so many channels.
mlir::Value createBlockedEmpty(mlir::OpBuilder &b, mlir::Location loc,
                               llvm::ArrayRef<mlir::OpFoldResult> sizes,
                               int64_t channels, mlir::Type element,
                               int64_t lanes);

/// The blocked form of a plain image: what it was made of, or a reorder.
mlir::Value createBlocked(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value plain, int64_t lanes);

/// A reorder of a blocked image to a plain one of `type` and `sizes`.
mlir::Value createPlain(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value blocked, mlir::RankedTensorType type,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// One value per channel, as [c / lanes, lanes].
mlir::Value blockVector(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value vector, int64_t lanes);

/// The blocked image that `plain` is a reorder of, or null.
mlir::Value getBlockedSource(mlir::Value plain);

/// Whether the image comes, by ops that keep blocks, from a kernel.
bool isFromKernel(mlir::Value image, unsigned depth = 0);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_REORDER_BLOCKS_H
