//===- ConvEmitter.cpp - The loops of kernel.conv ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitKernels.h"

using namespace mlir;
using namespace onnxc;

LogicalResult onnxc::emitConv(OpBuilder &b, kernel::ConvOp op,
                              const VectorTarget &target) {
  return op->emitOpError("no form of it is implemented yet");
}
