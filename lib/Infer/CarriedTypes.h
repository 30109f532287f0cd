//===- CarriedTypes.h - Types of what loops carry ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INFER_CARRIEDTYPES_H
#define ONNXC_LIB_INFER_CARRIEDTYPES_H

#include "mlir/IR/Types.h"

namespace onnxc {

/// The type with unknown sizes, of the same rank, also those of what it holds.
mlir::Type forgetSizes(mlir::Type type);

/// Lists of integers keep their length where sizes are forgotten: ranks follow
/// from it.
bool isList(mlir::Type type);

/// What stays of the type `declared` of a carried value that is of type
/// `initial` before the first iteration and `yielded` after one that began with
/// `declared`: the sizes that both agree to, or `initial` leaves open. Where
/// either has another rank, nothing stays. With `keepsShape`, as the states of
/// a Scan, what is open in `yielded` agrees, too.
mlir::Type confirmCarriedType(mlir::Type declared, mlir::Type initial,
                              mlir::Type yielded, bool keepsShape);

} // namespace onnxc

#endif // ONNXC_LIB_INFER_CARRIEDTYPES_H
