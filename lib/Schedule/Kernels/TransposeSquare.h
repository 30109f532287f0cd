//===- TransposeSquare.h - Transposing in registers ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_TRANSPOSESQUARE_H
#define ONNXC_LIB_SCHEDULE_KERNELS_TRANSPOSESQUARE_H

#include "onnxc/Support/IndexMath.h"

namespace onnxc {

/// Transposes as many vectors as each of them has lanes (a power of two):
/// element i of row j becomes element j of row i.
llvm::SmallVector<mlir::Value>
transposeSquare(IndexMath &index, llvm::SmallVector<mlir::Value> rows);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_TRANSPOSESQUARE_H
