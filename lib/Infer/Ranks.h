//===- Ranks.h - Who must know the rank of a tensor ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INFER_RANKS_H
#define ONNXC_LIB_INFER_RANKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc {

/// Whether the value is a tensor whose rank must be known, but is not.
bool lacksRank(mlir::Value value);

/// Where the branches of an If yield tensors of different ranks, moves the ops
/// that must know the rank into both branches. Returns whether there was such
/// an If; types are to be inferred again then.
bool sinkIntoBranches(mlir::func::FuncOp function);

} // namespace onnxc

#endif // ONNXC_LIB_INFER_RANKS_H
