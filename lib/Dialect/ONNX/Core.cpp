//===- Core.cpp - The generic node, the region terminator, the absent value -*-
//C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Core.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Core.cpp.inc"

void ONNXDialect::registerCoreOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Core.cpp.inc"
      >();
}

LogicalResult NodeOp::verify() {
  if (getRegionNames().size() != getGraphs().size())
    return emitOpError() << "has " << getGraphs().size() << " graphs, but "
                         << getRegionNames().size() << " names for them";
  return success();
}
