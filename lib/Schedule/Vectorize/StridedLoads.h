//===- StridedLoads.h - Vectors of elements that lie apart ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_VECTORIZE_STRIDEDLOADS_H
#define ONNXC_LIB_SCHEDULE_VECTORIZE_STRIDEDLOADS_H

#include "onnxc/Support/IndexMath.h"

#include "mlir/IR/BuiltinTypes.h"

namespace onnxc {

/// A mask of `width` lanes, of which the first `live` are set.
mlir::Value createMask(IndexMath index, mlir::OpFoldResult live, int64_t width);

/// Elements 0, 2, 4 … of `memory` from `address` on; as many as `live` says, or
/// a whole vector if it is null.
mlir::Value loadEverySecond(IndexMath index, mlir::VectorType type,
                            mlir::Value memory, mlir::Value address,
                            mlir::OpFoldResult live);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_VECTORIZE_STRIDEDLOADS_H
