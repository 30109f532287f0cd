//===- StructuredEmitter.h - Vector code for one structured op  -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_VECTORIZE_STRUCTUREDEMITTER_H
#define ONNXC_LIB_SCHEDULE_VECTORIZE_STRUCTUREDEMITTER_H

#include "Select/Schedule.h"

namespace onnxc {

/// Emits loops and vector ops that do what `op` (on buffers) does, in the way
/// that `schedule` says, at the builder's insertion point. `op` stays. Fails,
/// leaving only unused address computations, if an index is not linear or if
/// the layout of the results does not suit the schedule. With `parallel`, a
/// loop nest that takes long enough has an scf.forall outermost.
llvm::LogicalResult emitStructured(mlir::OpBuilder &b,
                                   mlir::linalg::LinalgOp op,
                                   const Schedule &schedule, bool parallel);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_VECTORIZE_STRUCTUREDEMITTER_H
