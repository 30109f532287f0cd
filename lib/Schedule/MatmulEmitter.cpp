//===- MatmulEmitter.cpp - The loops of kernel.matmul
//------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitKernels.h"

using namespace mlir;
using namespace onnxc;

LogicalResult onnxc::emitMatmul(OpBuilder &b, kernel::MatmulOp op,
                                const VectorTarget &target) {
  return op->emitOpError("no form of it is implemented yet");
}
