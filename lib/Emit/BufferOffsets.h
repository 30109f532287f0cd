//===- BufferOffsets.h - Buffers that begin somewhere --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer is passed as two pointers, an offset, its sizes and its strides. Two
// functions are the same but for where a buffer begins if the one adds the
// offset to the pointer, and the other, whose type says that the offset is 0,
// does not. Here both state the sum, at their begin.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_BUFFEROFFSETS_H
#define ONNXC_LIB_EMIT_BUFFEROFFSETS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace onnxc {

/// The offset of a buffer that a function takes.
struct BufferOffset {
  /// Its argument; the pointer stands before it.
  unsigned argument = 0;
  bool isZero = false;
  /// The sum of pointer and offset; null if nothing needs it.
  mlir::LLVM::GEPOp begin;
};

/// Has the function add each offset once, also those that are 0 (its
/// program::offsets and zeroOffsets), and forgets the attributes.
llvm::SmallVector<BufferOffset> stateOffsets(mlir::LLVM::LLVMFuncOp function);

/// Takes back what was stated of an offset that is 0.
void forgetOffset(mlir::LLVM::LLVMFuncOp function, BufferOffset &offset);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_BUFFEROFFSETS_H
