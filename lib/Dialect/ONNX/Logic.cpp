//===- Logic.cpp - The ops of Logic.td ------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Logic.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Logic.cpp.inc"

void ONNXDialect::registerLogicOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Logic.cpp.inc"
      >();
}
