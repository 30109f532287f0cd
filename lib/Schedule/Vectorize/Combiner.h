//===- Combiner.h - Joining partial results of a reduction ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_VECTORIZE_COMBINER_H
#define ONNXC_LIB_SCHEDULE_VECTORIZE_COMBINER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace onnxc {

/// The ways in which partial results of a reduction can be joined.
struct Combiner {
  mlir::Operation *op = nullptr;
  /// The operand that is new in each step (the other is the accumulator).
  mlir::Value term;
};

/// Matches a body that does nothing with its accumulator but combine it with a
/// term by an associative op (add, mul, min, max, and, or, xor).
std::optional<Combiner> matchCombiner(mlir::linalg::LinalgOp op);

/// The result of the partial results that the lanes of a vector hold.
mlir::Value joinLanes(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Operation *combiner, mlir::Value partial);

/// What the combiner joins to a value without changing it. Of maxnumf it is not
/// NaN but -inf: an accumulator is always a number.
mlir::Value neutralOf(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Operation *combiner);

/// A term and an accumulator, or two accumulators, joined.
mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::Operation *combiner, mlir::Value term,
                    mlir::Value accumulator);

/// ONNX leaves open which zero is the greatest or least of several. To order
/// them doubles the time of a ReduceMax; elementwise maxima, Relu's say, do
/// keep signs.
void ignoreZeroSigns(mlir::OperationState &state);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_VECTORIZE_COMBINER_H
