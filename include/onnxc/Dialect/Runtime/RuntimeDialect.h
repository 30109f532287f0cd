//===- RuntimeDialect.h - Calls of the C runtime on tensors --- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_RUNTIME_RUNTIMEDIALECT_H
#define ONNXC_DIALECT_RUNTIME_RUNTIMEDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "onnxc/Dialect/Runtime/RuntimeDialect.h.inc"

#define GET_OP_CLASSES
#include "onnxc/Dialect/Runtime/RuntimeOps.h.inc"

namespace onnxc::rt {

/// The onnxc_dtype that a signless element type stands for unless something
/// says more; 0 for what is not an element of a tensor.
int32_t getDefaultDtype(mlir::Type elementType);

} // namespace onnxc::rt

#endif // ONNXC_DIALECT_RUNTIME_RUNTIMEDIALECT_H
