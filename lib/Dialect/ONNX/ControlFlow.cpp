//===- ControlFlow.cpp - The ops of ControlFlow.td -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ControlFlow.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/ControlFlow.cpp.inc"

void ONNXDialect::registerControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/ControlFlow.cpp.inc"
      >();
}
