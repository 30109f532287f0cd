//===- Dimensions.h - Dimensions that have a name ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INFER_DIMENSIONS_H
#define ONNXC_LIB_INFER_DIMENSIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace onnxc {

/// The entry functions of a module. The last one has all inputs; where a caller
/// may override initializers, the first one lacks those.
llvm::SmallVector<mlir::func::FuncOp> listEntries(mlir::ModuleOp module);

/// A dimension of an input of the model.
struct InputDim {
  unsigned argument;
  unsigned dim;
};

/// The dimensions of inputs that have the name.
llvm::SmallVector<InputDim> findDimension(mlir::func::FuncOp entry,
                                          llvm::StringRef name);
/// Success if there are any; else there was an error that lists the names that
/// there are.
llvm::LogicalResult checkDimension(mlir::func::FuncOp entry,
                                   llvm::StringRef name);

} // namespace onnxc

#endif // ONNXC_LIB_INFER_DIMENSIONS_H
