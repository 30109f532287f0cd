//===- Reshaping.h - Making reshapes and transposes ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_RESHAPING_H
#define ONNXC_LIB_OPTIMIZE_RESHAPING_H

#include "Rewriting.h"

#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/SymbolicShapes.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc::optimize {

/// The shape operand with which a Reshape gives certain dims.
struct ReshapePlan {
  llvm::SmallVector<int64_t> shape;
  bool allowZero = false;
};

/// How to reshape `data` to `dims`, at `at`: by numbers, by 0 for a dim of the
/// data that stays in place, and by -1 for at most one. Where a dim that may be
/// zero when run stands beside the -1, there is no plan, as a Reshape could not
/// tell the -1, unless `mayComputeBesideUnknown`. The dims are those of
/// `shapes`.
std::optional<ReshapePlan> planReshape(SymbolicShapes &shapes, mlir::Value data,
                                       llvm::ArrayRef<SymbolicDim> dims,
                                       mlir::Operation *at,
                                       const RewriteOptions &options,
                                       bool mayComputeBesideUnknown = false);

/// A Reshape before `root`; of a constant, a constant.
mlir::Value makeReshape(mlir::PatternRewriter &rewriter, mlir::Operation *root,
                        mlir::Location loc, mlir::Value data,
                        const ReshapePlan &plan, mlir::RankedTensorType type);

/// Whether a Reshape to the same rank says what an open size is: of an input
/// (onnx-check-size-sums), of which a run could bring another one without the
/// op, or of a mask (onnx-fit-masks).
bool saysSize(ReshapeOp op);

/// A Transpose before `root`.
mlir::Value makeTranspose(mlir::PatternRewriter &rewriter, mlir::Location loc,
                          mlir::Value data, llvm::ArrayRef<int64_t> perm);

/// The type with its dims in the order of `perm`.
mlir::RankedTensorType permuteType(mlir::RankedTensorType type,
                                   llvm::ArrayRef<int64_t> perm);

/// The elements of a constant, its dims in the order of `perm`; null if they
/// have no bytes (strings) or data.
mlir::ElementsAttr transposeElements(mlir::ElementsAttr elements,
                                     llvm::ArrayRef<int64_t> perm);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_RESHAPING_H
