//===- FormIntegerDots.h - Contractions of bytes as kernels -----*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_FORMINTEGERDOTS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_FORMINTEGERDOTS_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <string>

namespace onnxc {

/// Whether `op`, a matrix product or sums over windows, can become a
/// kernel.integer_dot: it multiplies what is dequantized, or bytes without
/// their zero points, by constant weights of the same kind. If not, `why` says
/// what is against it.
bool canFormIntegerDot(mlir::linalg::LinalgOp op, TargetAttr target,
                       std::string &why);

/// Replaces `op` by a kernel and, of images, transposes around it, marked
/// `onnxc.sinks` behind it. With `winograd`, its sums may be computed by
/// minimal filtering. Fails, with `why`, where canFormIntegerDot does, and
/// leaves the op as it is.
llvm::FailureOr<kernel::IntegerDotOp>
formIntegerDot(mlir::RewriterBase &b, mlir::linalg::LinalgOp op,
               TargetAttr target, bool winograd, std::string &why);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_FORMINTEGERDOTS_H
