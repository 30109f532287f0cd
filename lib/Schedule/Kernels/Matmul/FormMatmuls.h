//===- FormMatmuls.h - Matrix products become kernels -----------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_MATMUL_FORMMATMULS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_MATMUL_FORMMATMULS_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <string>

namespace onnxc {

/// Whether `op` can become a kernel.matmul: it multiplies two tensors of floats
/// and sums over one loop, in any order of dimensions. If not, `why` says what
/// is against it.
bool canFormMatmul(mlir::linalg::GenericOp op, std::string &why);

/// Replaces `op` by a kernel, which is not packed, and adds behind it what its
/// sums start from. Fails, with `why`, where canFormMatmul does.
llvm::FailureOr<kernel::MatmulOp>
formMatmul(mlir::RewriterBase &b, mlir::linalg::GenericOp op, std::string &why);

/// Adds the pattern that lets a product write its result where a transposition
/// that alone reads it would move the elements, if columns stay innermost.
void populateFoldTransposedResult(mlir::RewritePatternSet &patterns);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_MATMUL_FORMMATMULS_H
