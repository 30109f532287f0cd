//===- Core.h - The op classes of Core.td --------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_CORE_H
#define ONNXC_DIALECT_ONNX_CORE_H

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Core.h.inc"

#endif // ONNXC_DIALECT_ONNX_CORE_H
