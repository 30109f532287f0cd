//===- TransposeRules.h - Ops on transposed tensors ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_TRANSPOSERULES_H
#define ONNXC_LIB_OPTIMIZE_TRANSPOSERULES_H

#include "mlir/IR/PatternMatch.h"
#include <functional>

namespace onnxc::optimize {

/// The order of dims of a Transpose: dim i is dim perm[i] of what it is given.
using Permutation = llvm::SmallVector<int64_t, 6>;

bool isIdentity(llvm::ArrayRef<int64_t> perm);
/// One Transpose for two in a row.
Permutation compose(llvm::ArrayRef<int64_t> first,
                    llvm::ArrayRef<int64_t> second);
Permutation invert(llvm::ArrayRef<int64_t> perm);

/// How an op computes transposed results from transposed operands. Nothing is
/// said of operands and results that stay as they are.
struct Flip {
  llvm::SmallVector<std::optional<Permutation>> operands, results;
  /// Changes a copy of the op that has the transposed operands and the types of
  /// the transposed results; new ops go before it.
  std::function<void(mlir::PatternRewriter &, mlir::Operation *)> adapt;
  /// Makes what takes the place of a result that stays as it is, of the copy's;
  /// null if that is the copy's own.
  std::function<mlir::Value(mlir::PatternRewriter &, mlir::Operation *)> finish;
  /// Ops that `adapt` and `finish` make.
  int64_t numHelpers = 0;
};

/// The Flip of `op` that has the given order at one operand, or at one result;
/// nullopt if there is none. Results of that are bit by bit what they were.
std::optional<Flip> getFlipByOperand(mlir::Operation *op, unsigned operand,
                                     llvm::ArrayRef<int64_t> perm);
std::optional<Flip> getFlipByResult(mlir::Operation *op, unsigned result,
                                    llvm::ArrayRef<int64_t> perm);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_TRANSPOSERULES_H
