//===- Halves.h - 16-bit floats that kernels compute with ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels compute with float32. Packed weights stay halves. A panel of them
// that several tiles read is widened once, into memory that stays in the cache;
// otherwise tiles widen vector by vector, each of which meets all their rows.
// Of the other operand a tile reads elements one by one; to widen each of these
// would take longer than its products. That operand becomes float32 before, by
// an elementwise op, which what makes the tensor can take in.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_HALVES_H
#define ONNXC_LIB_SCHEDULE_KERNELS_HALVES_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Support/IndexMath.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::linalg {
class GenericOp;
} // namespace mlir::linalg

namespace onnxc {

/// The tensor with its elements as `element`: itself, or the result of an
/// elementwise op above the reshapes that it comes from.
mlir::Value castFloats(mlir::OpBuilder &b, mlir::Value tensor,
                       mlir::FloatType element);

/// The arith.truncf or arith.extf that is all that `op` does, element by
/// element and each in its place; null if there is more to it.
mlir::Operation *getFloatCast(mlir::linalg::GenericOp op);

/// A tensor of halves as float32; others as they are.
mlir::Value widen(mlir::OpBuilder &b, mlir::Value tensor);

/// Halves, of which an op makes float32 before they are multiplied.
struct WidenedHalves {
  mlir::Value halves;
  /// What each is multiplied by, and rounded, before; null: by nothing.
  mlir::FloatAttr factor;
};

/// What `tensor` is the float32 of, if an elementwise op makes it and nothing
/// but reshapes stands between.
mlir::FailureOr<WidenedHalves> findHalves(mlir::OpBuilder &b,
                                          mlir::Value tensor);

/// A half, or a vector of them, as float32: times `factor` and rounded to a
/// half before, if that is not null.
mlir::Value widenElements(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value half, mlir::FloatAttr factor);

/// Fewer tiles that read a panel widen it themselves: a widened one is stored
/// and loaded again.
constexpr int64_t kTilesThatWiden = 3;

/// Code that widens `count` consecutive halves of `memory` from `from` on into
/// the floats of `scratch`, there from `to` on. `count` is a multiple of
/// `lanes`.
void emitWidening(IndexMath &index, mlir::Value memory, mlir::OpFoldResult from,
                  mlir::OpFoldResult count, int64_t lanes, mlir::Value scratch,
                  int64_t to = 0);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_HALVES_H
