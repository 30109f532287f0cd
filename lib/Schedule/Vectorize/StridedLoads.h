//===- StridedLoads.h - Vectors of elements that lie apart ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_VECTORIZE_STRIDEDLOADS_H
#define ONNXC_LIB_SCHEDULE_VECTORIZE_STRIDEDLOADS_H

#include "Kernels/KernelLoops.h"

#include "mlir/IR/BuiltinTypes.h"

namespace onnxc {

/// A mask of `width` lanes, of which the first `live` are set.
mlir::Value createMask(IndexMath index, mlir::OpFoldResult live, int64_t width);

/// Elements 0, 2, 4 … of `memory` from `address` on; as many as `live` says, or
/// a whole vector if it is null.
mlir::Value loadEverySecond(IndexMath index, mlir::VectorType type,
                            mlir::Value memory, mlir::Value address,
                            mlir::OpFoldResult live);

/// Elements of `memory` from `address` on, `step` apart. Lanes that `mask`, if
/// there is one, leaves out are 0.
mlir::Value gatherLanes(IndexMath index, mlir::VectorType type,
                        mlir::Value memory, mlir::Value address,
                        mlir::OpFoldResult step, mlir::Value mask);

/// The elements of `buffer` from the indices `at` on, along its last dimension.
mlir::Value loadRow(IndexMath index, mlir::VectorType type, mlir::Value buffer,
                    llvm::ArrayRef<mlir::Value> at, mlir::Value mask);

/// `columns` vectors of `lanes` lanes: lane i of vector j is element j of the
/// row that is i times `step` behind `address`. Lanes from `live` on, if it is
/// not null, hold anything.
llvm::SmallVector<mlir::Value>
loadSquare(IndexMath index, const FlatBuffer &from, mlir::OpFoldResult address,
           mlir::OpFoldResult step, int64_t lanes, mlir::OpFoldResult live,
           int64_t columns);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_VECTORIZE_STRIDEDLOADS_H
