//===- BufferScopes.h - Where buffers are in use -------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_BUFFERIZE_BUFFERSCOPES_H
#define ONNXC_LIB_BUFFERIZE_BUFFERSCOPES_H

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc {

/// Where a buffer is in use: ops of one block, `first` to `last`.
struct BufferScope {
  /// The innermost block that holds every use; null if the buffer outlives an
  /// iteration of a loop.
  mlir::Block *block = nullptr;
  mlir::Operation *first = nullptr, *last = nullptr;
};

/// Finds the uses of a buffer through all of its aliases.
class ScopeAnalysis {
public:
  explicit ScopeAnalysis(mlir::func::FuncOp fn) : aliases(fn) {}

  BufferScope scopeOf(mlir::Value buffer) const;

private:
  mlir::BufferViewFlowAnalysis aliases;
};

} // namespace onnxc

#endif // ONNXC_LIB_BUFFERIZE_BUFFERSCOPES_H
