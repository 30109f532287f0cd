//===- Trigonometry.cpp - The ops of Trigonometry.td ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Trigonometry.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Trigonometry.cpp.inc"

void ONNXDialect::registerTrigonometryOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Trigonometry.cpp.inc"
      >();
}
