//===- ControlFlow.h - The op classes of ControlFlow.td ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_CONTROLFLOW_H
#define ONNXC_DIALECT_ONNX_CONTROLFLOW_H

#include "onnxc/Dialect/ONNX/OpSupport.h"

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/ControlFlow.h.inc"

namespace onnxc {

/// Whether a run of the model may not come to `op`: a subgraph around it is a
/// branch whose condition is not known, or that is not taken, or a body that
/// may be run no times. What is wrong there is an error of the run only. The
/// model for any sizes, behind code for likely ones, counts as run.
bool isConditional(mlir::Operation *op);

/// The If in whose code for sizes that the caller did not name `op` is, beside
/// the model for any sizes; null if it is in none. A warning of a fault there
/// would only confuse.
IfOp getAssumedSizes(mlir::Operation *op);

/// The onnx.fault that ends the subgraph; null if none does.
FaultOp getFault(mlir::Region &region);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_CONTROLFLOW_H
