//===- Recurrent.cpp - The ops of Recurrent.td -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Recurrent.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Recurrent.cpp.inc"

void ONNXDialect::registerRecurrentOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Recurrent.cpp.inc"
      >();
}
