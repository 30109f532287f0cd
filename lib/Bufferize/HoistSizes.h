//===- HoistSizes.h - Where sizes are known first ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_BUFFERIZE_HOISTSIZES_H
#define ONNXC_LIB_BUFFERIZE_HOISTSIZES_H

#include "mlir/IR/Operation.h"

namespace onnxc {

/// True for the scalar arithmetic that computes sizes: free to move up to its
/// operands.
bool isMovableScalar(mlir::Operation *op);

/// The last check before `op` in its block.
mlir::Operation *findCheckBefore(mlir::Operation *op);

/// The op in `block` from which on the memory of `value` is needed: where it
/// was made if all that writes does so in place, else where it is complete.
/// Null if that is the start of the block. An empty tensor that others start
/// from as well counts unless `isFirstWrite`: then it is what writes first.
mlir::Operation *findBirth(mlir::Value value, mlir::Block *block,
                           bool isFirstWrite = false);

/// Moves the computation of `sizes` (within `block`) up to its operands and
/// returns the last op that must precede their first use, or null if they are
/// known at the start of the block. What reads elements stays behind the checks
/// that make them be there.
mlir::Operation *hoistSizes(llvm::ArrayRef<mlir::Value> sizes,
                            mlir::Block *block);

} // namespace onnxc

#endif // ONNXC_LIB_BUFFERIZE_HOISTSIZES_H
