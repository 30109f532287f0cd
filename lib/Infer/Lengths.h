//===- Lengths.h - Operands whose length rules ask for -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INFER_LENGTHS_H
#define ONNXC_LIB_INFER_LENGTHS_H

#include "mlir/IR/Builders.h"
#include <optional>

namespace onnxc {

/// Lengths beyond this one are not tried: there is one for each dimension of a
/// tensor, or two (pads).
inline constexpr int64_t maxLength = 16;

/// An operand whose length is not known, which its user's rule asks for: it
/// reads a list element by element, or ranks follow from the length.
struct OpenLength {
  mlir::OpOperand *operand;
  /// The dimension that is the length.
  unsigned dim;

  /// Whether the op's rule holds, and agrees with what is known of the results,
  /// if the length is `count`.
  bool canBe(int64_t count) const;
  /// States the length; what computes it checks that when run.
  void set(int64_t count) const;
  /// The op under an If for each count but the last; returns the copies.
  llvm::SmallVector<mlir::Operation *>
  branch(llvm::ArrayRef<int64_t> counts) const;
};

std::optional<OpenLength> findOpenLength(mlir::OpOperand &operand);

/// The size of a dimension, as a scalar of int64, and whether it is `value`.
mlir::Value makeSize(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                     int64_t dim);
mlir::Value makeEqual(mlir::OpBuilder &b, mlir::Location loc, mlir::Value size,
                      int64_t value);

} // namespace onnxc

#endif // ONNXC_LIB_INFER_LENGTHS_H
