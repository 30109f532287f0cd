//===- Indexing.h - Elements chosen by indices ---------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowerings of gathering, scattering and selecting operators share.
// Indices are checked by a reduction (checkIndices) and clamped where they are
// used.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_INDEXING_H
#define ONNXC_LIB_LOWER_INDEXING_H

#include "Lowering.h"

namespace onnxc {

/// An integer element as an index.
mlir::Value toIndex(ScalarBuilder &s, mlir::Value element);

/// `at` in [-size, size) brought to [0, size), and into it from outside.
mlir::Value clampIndex(ScalarBuilder &s, mlir::Value at, mlir::Value size);

/// Emits the check that each of these integers is in [0, limit].
void checkUpTo(Lowering &l, mlir::Value integers, mlir::Value limit,
               const llvm::Twine &message);

/// A loop for each of the first `numLoops` dimensions of the updates, in order;
/// the others are those of a slice. `place` says where in `data` each goes,
/// `reduction` (as of ScatterND) what it does there.
mlir::FailureOr<mlir::Value>
scatter(Lowering &l, mlir::Value data, mlir::Value updates,
        llvm::StringRef reduction, int64_t numLoops,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(ScalarBuilder &,
                                                          mlir::ValueRange)>
            place);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_INDEXING_H
