//===- Schedule.h - The decision on one structured op --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_SELECT_SCHEDULE_H
#define ONNXC_LIB_SCHEDULE_SELECT_SCHEDULE_H

#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <string>

namespace onnxc {

/// How one structured op becomes loops; see `onnxc-select-schedule`.
struct Schedule {
  llvm::SmallVector<int64_t> tile, vector, order;
  /// The input whose part for one tile is copied to consecutive memory, to be
  /// used again by all tiles along the innermost parallel loop; or -1.
  int64_t pack = -1;
  /// So many steps of the outermost reduction are done for all tiles along the
  /// lanes, before the next ones: memory is read along rows. 0: all steps of a
  /// tile at once.
  int64_t band = 0;
  /// The loop along which inputs lie that the lanes read apart: squares of them
  /// are transposed in registers. -1: none.
  int64_t squares = -1;
  std::string reason;

  bool isVectorized() const { return reason.empty(); }
  /// The loop whose steps are the lanes, and how many there are.
  int64_t laneLoop() const;
  int64_t lanes() const { return vector[laneLoop()]; }

  mlir::DictionaryAttr toAttr(mlir::MLIRContext *ctx) const;
  /// Nothing if the attribute does not describe `op`.
  static std::optional<Schedule> fromOp(mlir::linalg::LinalgOp op);
};

/// The table: op kind, element types and target to schedule. Works on tensors
/// and on buffers.
Schedule selectSchedule(mlir::linalg::LinalgOp op, TargetAttr target);

/// What an extent that is not known counts for when schedules are compared.
inline int64_t typical(int64_t extent) {
  return mlir::ShapedType::isDynamic(extent) ? 128 : extent;
}

/// Fewer steps along which inputs lie are gathered, not transposed in squares.
constexpr int64_t kLeastOfSquare = 3;

/// A packed tile has at most so many rows of one tile's lanes: it has to stay
/// in the second-level cache.
constexpr int64_t kMaxPackedRows = 8192;

/// True if `input` can be packed for reuse along loop `reuse`: it does not
/// depend on that loop, and the reductions that it is read in have known sizes.
bool canPack(mlir::linalg::LinalgOp op, unsigned input, unsigned reuse);

/// Takes loops of one iteration out of index sums: `h + kh` of a 1x1
/// convolution is `h`.
void dropUnitTerms(mlir::linalg::GenericOp op);

/// The coefficients of the loops in `expr`, then its constant; nothing if the
/// expression is not linear.
std::optional<llvm::SmallVector<int64_t>>
linearCoefficients(mlir::AffineExpr expr, unsigned numLoops);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_SELECT_SCHEDULE_H
