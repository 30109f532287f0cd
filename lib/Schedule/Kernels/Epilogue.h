//===- Epilogue.h - Scalar code behind a sum, on vectors ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_EPILOGUE_H
#define ONNXC_LIB_SCHEDULE_KERNELS_EPILOGUE_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"

namespace onnxc {

/// Emits the epilogue of `op` for a vector of sums at the builder's insertion
/// point, and returns the vector of results. `extras` has, for each extra, a
/// vector of as many lanes or a scalar that all lanes share; those that the
/// epilogue does not use may be null.
mlir::Value emitEpilogue(mlir::OpBuilder &b, mlir::Location loc,
                         kernel::KernelOpInterface op, mlir::Value sums,
                         mlir::ArrayRef<mlir::Value> extras);

/// Whether the epilogue is so much code that a tile should not have it written
/// out for each of its vectors of sums.
bool isLongEpilogue(kernel::KernelOpInterface op);

/// Stores the lanes of `value` that `mask` says. LLVM 22 writes four bytes
/// where a vector of narrowed integers has one lane left: that one is taken
/// out.
void storeMasked(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memory,
                 mlir::Value at, mlir::Value mask, mlir::Value value);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_EPILOGUE_H
