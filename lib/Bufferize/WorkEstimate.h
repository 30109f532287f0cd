//===- WorkEstimate.h - How much an op computes and moves ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_BUFFERIZE_WORKESTIMATE_H
#define ONNXC_LIB_BUFFERIZE_WORKESTIMATE_H

#include "mlir/IR/Builders.h"

#include <optional>

namespace onnxc {

/// Two values of type i64.
struct WorkEstimate {
  /// Arithmetic operations on elements: a multiply-add is two, what costs many
  /// instructions (exp, a division) is one. 0 if it is not known.
  mlir::Value flops;
  /// The sizes of all buffers that the op works on, once each.
  mlir::Value bytes;
};

/// Emits the computation at the insertion point of `b`, which comes before
/// `op`: constants if the shapes are static.
WorkEstimate estimateWork(mlir::OpBuilder &b, mlir::Operation *op);

/// How often the innermost loop of a structured op runs, or how many elements
/// another op on buffers works on; nothing if that depends on the run.
std::optional<int64_t> countStaticSteps(mlir::Operation *op);

} // namespace onnxc

#endif // ONNXC_LIB_BUFFERIZE_WORKESTIMATE_H
