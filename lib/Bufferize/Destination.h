//===- Destination.h - Whose buffer a tensor is made in ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_BUFFERIZE_DESTINATION_H
#define ONNXC_LIB_BUFFERIZE_DESTINATION_H

#include "mlir/IR/Value.h"

namespace onnxc {

/// The operand in whose buffer `value` is made, if its op works in place; null
/// at the start of the chain.
mlir::OpOperand *getDestination(mlir::Value value);

} // namespace onnxc

#endif // ONNXC_LIB_BUFFERIZE_DESTINATION_H
