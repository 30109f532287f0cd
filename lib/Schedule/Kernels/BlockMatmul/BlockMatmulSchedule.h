//===- BlockMatmulSchedule.h - The decision on one product ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_BLOCKMATMULSCHEDULE_H
#define ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_BLOCKMATMULSCHEDULE_H

#include "Select/Schedule.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

namespace onnxc {

/// How a kernel.block_matmul is computed.
struct BlockMatmulSchedule {
  /// Vectors of one register tile with several rows.
  static constexpr int64_t vectors = 2;
  /// The most rows of one register tile that widens weights as it goes.
  int64_t rows = 1;
  /// The same where a strip of weights was widened before.
  int64_t wideRows = 1;

  /// From the op and the target alone.
  static BlockMatmulSchedule select(kernel::BlockMatmulOp op,
                                    TargetAttr target);

  mlir::DictionaryAttr toAttr(mlir::MLIRContext *ctx) const;
  /// Nothing if the attribute does not describe a kernel of this kind.
  static std::optional<BlockMatmulSchedule> fromOp(kernel::BlockMatmulOp op);
};

/// Emits what `op` (on buffers) does at the builder's insertion point. `op`
/// stays. It must have vector code for the target.
void emitVectors(mlir::OpBuilder &b, kernel::BlockMatmulOp op,
                 const BlockMatmulSchedule &schedule, TargetAttr target);

/// The same for any form, element by element.
void emitPlainLoops(mlir::OpBuilder &b, kernel::BlockMatmulOp op);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_BLOCKMATMULSCHEDULE_H
