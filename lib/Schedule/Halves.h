//===- Halves.h - 16-bit floats that kernels compute with -------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels compute with float32. Packed weights stay halves and are widened a
// vector at a time, which costs next to nothing: each vector meets all rows of
// a tile. Of the other operand a tile reads elements one by one; to widen each
// of these would take longer than its products. That operand becomes float32
// before, by an elementwise op, which what makes the tensor can take in.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_HALVES_H
#define ONNXC_LIB_SCHEDULE_HALVES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace onnxc {

/// float16 and bfloat16.
inline bool isHalf(mlir::Type type) { return type.isF16() || type.isBF16(); }

/// The tensor with its elements as `element`: itself, or the result of an
/// elementwise op above the reshapes that it comes from.
mlir::Value castFloats(mlir::OpBuilder &b, mlir::Value tensor,
                       mlir::FloatType element);

/// A tensor of halves as float32; others as they are.
mlir::Value widen(mlir::OpBuilder &b, mlir::Value tensor);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_HALVES_H
