//===- FormBlockDots.h - Products of two quantized operands ---- -*- C++
//-*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_BLOCKDOT_FORMBLOCKDOTS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_BLOCKDOT_FORMBLOCKDOTS_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <string>

namespace onnxc {

/// Replaces `op` by a kernel, and adds behind it what its sums start from: its
/// left operand is bytes by a scale for each block of a row, its right one a
/// constant of integers, dequantized by the same blocks. Fails, with `why`, and
/// leaves the op as it is, where there is no such kernel.
llvm::FailureOr<kernel::BlockDotOp> formBlockDot(mlir::RewriterBase &b,
                                                 mlir::linalg::MatmulOp op,
                                                 TargetAttr target,
                                                 std::string &why);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_BLOCKDOT_FORMBLOCKDOTS_H
