//===- RefineOperands.h - What an op tells of its operands ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INFER_REFINEOPERANDS_H
#define ONNXC_LIB_INFER_REFINEOPERANDS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace onnxc {

/// Gives the op's operands the types that they must have for its shape rule to
/// hold and its results to be what they are known to be. A value that is
/// computed wherever the op is gets the type itself (its lowering checks what
/// does not follow from its own rule); before other ops stands an Identity that
/// checks it. Returns whether something changed.
bool refineOperands(mlir::Operation *op);

} // namespace onnxc

#endif // ONNXC_LIB_INFER_REFINEOPERANDS_H
