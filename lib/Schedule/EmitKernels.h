//===- EmitKernels.h - Loops of kernels on buffers --------------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_EMITKERNELS_H
#define ONNXC_LIB_SCHEDULE_EMITKERNELS_H

#include "Schedule.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

namespace onnxc {

/// Emits what `op` (on buffers) does at the builder's insertion point. `op`
/// stays. The passes that form kernels make only such that succeed here.
llvm::LogicalResult emitMatmul(mlir::OpBuilder &b, kernel::MatmulOp op,
                               const VectorTarget &target);
llvm::LogicalResult emitConv(mlir::OpBuilder &b, kernel::ConvOp op,
                             const VectorTarget &target);
void emitReorder(mlir::OpBuilder &b, kernel::ReorderOp op);
llvm::LogicalResult emitIntegerDot(mlir::OpBuilder &b, kernel::IntegerDotOp op,
                                   const VectorTarget &target);
llvm::LogicalResult emitBlockMatmul(mlir::OpBuilder &b,
                                    kernel::BlockMatmulOp op,
                                    const VectorTarget &target);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_EMITKERNELS_H
