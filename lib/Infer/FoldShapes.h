//===- FoldShapes.h - Constants for known shape computations -- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INFER_FOLDSHAPES_H
#define ONNXC_LIB_INFER_FOLDSHAPES_H

namespace mlir {
class Operation;
} // namespace mlir

namespace onnxc {

/// If all elements of the op's one small integer result are known, replaces and
/// erases the op.
bool foldShapeComputation(mlir::Operation *op);

} // namespace onnxc

#endif // ONNXC_LIB_INFER_FOLDSHAPES_H
