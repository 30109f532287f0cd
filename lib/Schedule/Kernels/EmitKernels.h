//===- EmitKernels.h - Loops of kernels on buffers ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_EMITKERNELS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_EMITKERNELS_H

#include "Select/Schedule.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

namespace onnxc {

/// Emits what `op` (on buffers) does at the builder's insertion point. `op`
/// stays. It must have vector code for the target (KernelForms.h) and carry a
/// schedule.

void emitMatmul(mlir::OpBuilder &b, kernel::MatmulOp op, TargetAttr target);
void emitConv(mlir::OpBuilder &b, kernel::ConvOp op);
void emitReorder(mlir::OpBuilder &b, kernel::ReorderOp op);
void emitIntegerDot(mlir::OpBuilder &b, kernel::IntegerDotOp op,
                    TargetAttr target);
void emitBlockMatmul(mlir::OpBuilder &b, kernel::BlockMatmulOp op,
                     TargetAttr target);

/// The same for a kernel of any form, element by element.

void emitPlainLoops(mlir::OpBuilder &b, kernel::MatmulOp op);
void emitPlainLoops(mlir::OpBuilder &b, kernel::ConvOp op);
void emitPlainLoops(mlir::OpBuilder &b, kernel::IntegerDotOp op);
void emitPlainLoops(mlir::OpBuilder &b, kernel::BlockMatmulOp op);

/// Attach the models of KernelCodegenInterface, each to its op.

void registerBlockMatmulCodegen(mlir::MLIRContext *context);
void registerConvCodegen(mlir::MLIRContext *context);
void registerIntegerDotCodegen(mlir::MLIRContext *context);
void registerMatmulCodegen(mlir::MLIRContext *context);
void registerReorderCodegen(mlir::MLIRContext *context);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_EMITKERNELS_H
