//===- MatmulSchedule.h - The decision on one matrix product -- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_MATMUL_MATMULSCHEDULE_H
#define ONNXC_LIB_SCHEDULE_KERNELS_MATMUL_MATMULSCHEDULE_H

#include "Select/Schedule.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

namespace onnxc {

/// How a `kernel.matmul` becomes loops. Sums of `rows` x `columns` elements
/// stay in registers.
struct MatmulSchedule {
  int64_t rows = 1;
  /// Those of a panel, or, where panels are packed for several processors, of
  /// several or of a part of one.
  int64_t columns = 1;
  /// That many steps of the sum are taken for a whole block of rows before the
  /// next ones; 0: all. Between them the sums lie in a scratch buffer.
  int64_t depth = 0;
  /// Rows of a block; 0: all rows are one block.
  int64_t block = 0;
  /// Blocks of rows are the outermost loop: rhs stays in the cache.
  bool rowsOutside = false;
  /// The next panel of rhs is fetched while the first rows use this one.
  bool prefetch = false;
  /// The part of rhs that a tile reads is copied to consecutive memory.
  bool copy = false;
  /// A panel of halves becomes floats before several tiles read it.
  bool widen = false;
  /// Rows of lhs are read by vectors along the sum, of which multiply-adds take
  /// one element each.
  bool byElement = false;

  /// The table: shape, types, layout and target to schedule. `op` may be on
  /// tensors or on buffers; the width of its panels, if it is packed, is kept.
  static MatmulSchedule select(kernel::MatmulOp op, TargetAttr target);

  mlir::DictionaryAttr toAttr(mlir::MLIRContext *ctx) const;
  /// Nothing if the attribute does not describe `op`.
  static std::optional<MatmulSchedule> fromOp(kernel::MatmulOp op);
};

/// Emits what `op` (on buffers) does at the builder's insertion point. `op`
/// stays. It must have vector code for the target.
void emitVectors(mlir::OpBuilder &b, kernel::MatmulOp op,
                 const MatmulSchedule &schedule, TargetAttr target);

/// The same for any form, element by element.
void emitPlainLoops(mlir::OpBuilder &b, kernel::MatmulOp op);

/// The extent of a loop of `op` where it is known; 1 if no operand has it.
int64_t getLoopExtent(kernel::MatmulOp op, unsigned loop);

/// Products of fewer rows than this (known only when they run) take rhs as it
/// lies in memory.
constexpr int64_t kFewRows = 4;

/// How many columns the panels have that are packed for several processors, of
/// which a tile takes whole ones or a part of one. With few rows rhs streams
/// by: panels are wide, so that it is read in one stream. Otherwise they have
/// three vectors of the longest: tiles of one, two and three vectors of any
/// processor divide them, and a tile that reads a part of each row finds room
/// in all sets of a cache, which it would not in rows of a power of two bytes.
int64_t selectSharedPanel(kernel::MatmulOp op, TargetAttr target);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_MATMUL_MATMULSCHEDULE_H
