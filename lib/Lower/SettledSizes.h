//===- SettledSizes.h - Sizes before a loop runs -------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_SETTLEDSIZES_H
#define ONNXC_LIB_LOWER_SETTLEDSIZES_H

#include "Lowering.h"

namespace onnxc {

/// Sizes in a lowered subgraph, as values in front of it: followed through what
/// they are computed from, which is computed again there.
class SettledSizes {
public:
  /// `settle` may tell the size of an argument's dimension, which it has in all
  /// iterations.
  SettledSizes(Lowering &l, mlir::Region &region,
               llvm::function_ref<mlir::OpFoldResult(unsigned, int64_t)> settle)
      : l(l), region(region), settle(settle) {}

  /// Null if it is not settled.
  mlir::OpFoldResult of(mlir::OpFoldResult size, unsigned depth = 32);

private:
  mlir::OpFoldResult find(mlir::Value size, unsigned depth);
  mlir::OpFoldResult ofDim(mlir::Value tensor, int64_t dim, unsigned depth);

  Lowering &l;
  mlir::Region &region;
  llvm::function_ref<mlir::OpFoldResult(unsigned, int64_t)> settle;
  llvm::DenseMap<mlir::Value, mlir::OpFoldResult> found;
};

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_SETTLEDSIZES_H
