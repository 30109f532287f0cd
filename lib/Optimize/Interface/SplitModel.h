//===- SplitModel.h - What depends on constants alone --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_SPLITMODEL_H
#define ONNXC_LIB_OPTIMIZE_SPLITMODEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace onnxc::optimize {

/// A graph in two: what can be computed once, and what each run has to compute
/// since it depends on inputs or draws random numbers.
struct SplitGraph {
  explicit SplitGraph(mlir::func::FuncOp func);

  /// The ops of the top graph that each run computes.
  llvm::DenseSet<mlir::Operation *> predict;
  /// Values outside `predict` that ops in it use, subgraphs included, or that
  /// are results: in the order of their first use.
  llvm::SetVector<mlir::Value> interface;
};

/// Whether a constant is an attribute of the node that uses it, which the
/// upgrade made an operand: it goes wherever the node does.
bool isAttribute(mlir::Operation *op);

/// What a value of the interface is called: attributes of the argument or
/// result that it becomes.
mlir::DictionaryAttr describeInterfaceValue(mlir::func::FuncOp func,
                                            mlir::Value value);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_SPLITMODEL_H
