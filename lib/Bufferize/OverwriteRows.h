//===- OverwriteRows.h - States that are written in place ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_BUFFERIZE_OVERWRITEROWS_H
#define ONNXC_LIB_BUFFERIZE_OVERWRITEROWS_H

#include "AbiBuilder.h"
#include "ResultPlaces.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace onnxc {

/// Whether a value of a state is `past`, the one before, with slices inserted,
/// and nothing else reads `past`: then it may be computed where that lies.
bool isOverwritten(const ResultPlace &place, mlir::Value past);

/// Has that done for state number `state`. The code tells the runtime what it
/// will write, so that it can take that back if the run fails.
void overwriteRows(AbiBuilder &abi, const ResultPlace &place, size_t state,
                   mlir::bufferization::ToTensorOp past, mlir::Value ctx);

} // namespace onnxc

#endif // ONNXC_LIB_BUFFERIZE_OVERWRITEROWS_H
