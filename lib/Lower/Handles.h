//===- Handles.h - Values that are not ranked tensors --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For ops registered by addWithHandles: any operand may be a tensor or a handle
// (docs/decisions/006), and so may any result.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_HANDLES_H
#define ONNXC_LIB_LOWER_HANDLES_H

#include "Lowering.h"

namespace onnxc {

/// Whether a converted value is a handle.
inline bool isHandle(mlir::Type type) { return type.isInteger(64); }
inline bool isHandle(mlir::Value value) { return isHandle(value.getType()); }

/// Calls onnxc_rt_<name> on handles and integers, for one of them.
mlir::Value callOnHandles(Lowering &l, llvm::StringRef name,
                          mlir::ValueRange inputs);
mlir::Value integer(Lowering &l, int64_t value);

/// Operand `index`, which is present, as a handle.
mlir::Value operandHandle(Lowering &l, unsigned index);
/// Operand `index`, an integer tensor, as the one element that it must have.
mlir::Value operandInteger(Lowering &l, unsigned index);
/// The value behind a handle, as result `index` has it.
mlir::Value asResult(Lowering &l, mlir::Value handle, unsigned index = 0);
/// Replaces the op, which has one result.
mlir::LogicalResult replaceByHandle(Lowering &l, mlir::Value handle);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_HANDLES_H
