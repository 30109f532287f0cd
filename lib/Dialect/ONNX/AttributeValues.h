//===- AttributeValues.h - What ONNX lets attributes be ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_ONNX_ATTRIBUTEVALUES_H
#define ONNXC_LIB_DIALECT_ONNX_ATTRIBUTEVALUES_H

#include "mlir/IR/Operation.h"

namespace onnxc {

/// Checks what attributes of an op may be by themselves: one of a few words, a
/// flag, a number in a range. What depends on the operands is the shape rule's.
llvm::LogicalResult verifyAttributeValues(mlir::Operation *op);

} // namespace onnxc

#endif // ONNXC_LIB_DIALECT_ONNX_ATTRIBUTEVALUES_H
