//===- FoldRules.h - What may be computed beforehand -* ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_FOLDRULES_H
#define ONNXC_LIB_OPTIMIZE_FOLDRULES_H

#include "onnxc/Optimize/Evaluator.h"

#include "mlir/IR/Operation.h"

namespace onnxc::optimize {

/// Whether the op may be computed beforehand if all that it takes is known: it
/// gives the same in every run, comes to an end soon, and is of no use to
/// others as it is.
bool isFoldable(mlir::Operation *op);

/// Whether the op's results for these operands (null for what is not a tensor)
/// are what every runtime computes, and worth the time that it takes: no
/// division of integers by zero, no cast to an integer type that does not hold
/// the number.
bool isWorthFolding(mlir::Operation *op,
                    llvm::ArrayRef<const TensorValue *> operands);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_FOLDRULES_H
