//===- KernelCodegen.h - How kernels become code ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SCHEDULE_KERNELCODEGEN_H
#define ONNXC_SCHEDULE_KERNELCODEGEN_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/IR/OpDefinition.h"

#include <string>

#include "onnxc/Schedule/KernelCodegen.h.inc"

namespace onnxc {

/// The decision that `op` carries, a kernel; null if it has none.
kernel::ScheduleInterface getSchedule(mlir::Operation *op);

/// Attaches the models of all kernels to the ops of the kernel dialect.
void registerKernelCodegen(mlir::DialectRegistry &registry);

} // namespace onnxc

#endif // ONNXC_SCHEDULE_KERNELCODEGEN_H
