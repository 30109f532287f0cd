//===- ReadDims.h - Dimensions of values that are replaced -----*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_FUSE_READDIMS_H
#define ONNXC_LIB_SCHEDULE_FUSE_READDIMS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace onnxc {

/// Dimensions of a value that is computed in the place of `init` become those
/// of that: what is left of its users needs its elements.
inline void readDimsFrom(mlir::Value value, mlir::Value init) {
  for (mlir::Operation *user : llvm::make_early_inc_range(value.getUsers()))
    if (auto dim = mlir::dyn_cast<mlir::tensor::DimOp>(user))
      dim.getSourceMutable().assign(init);
}

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_FUSE_READDIMS_H
