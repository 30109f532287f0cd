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
/// stays.
void emitReorder(mlir::OpBuilder &b, kernel::ReorderOp op);

/// Gives `Kernel` its model of KernelCodegenInterface. Each kernel's folder
/// instantiates this (see KernelModel.h); without that, onnxc does not link.
template <typename Kernel> void attachCodegen(mlir::MLIRContext *context);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_EMITKERNELS_H
