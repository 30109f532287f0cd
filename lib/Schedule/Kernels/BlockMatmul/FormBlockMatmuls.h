//===- FormBlockMatmuls.h - Products by narrow weights ----------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_FORMBLOCKMATMULS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_FORMBLOCKMATMULS_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <string>

namespace onnxc {

/// Whether `op` can become a kernel.block_matmul: its right operand is a
/// constant of integers, dequantized by blocks of steps or by columns. If not,
/// `why` says what is against it.
bool canFormBlockMatmul(mlir::linalg::MatmulOp op, TargetAttr target,
                        std::string &why);

/// Replaces `op` by a kernel, and adds behind it what its sums start from.
/// Fails, with `why`, where canFormBlockMatmul does, and leaves the op as it
/// is.
llvm::FailureOr<kernel::BlockMatmulOp>
formBlockMatmul(mlir::RewriterBase &b, mlir::linalg::MatmulOp op,
                TargetAttr target, std::string &why);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_FORMBLOCKMATMULS_H
