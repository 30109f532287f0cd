//===- Math.cpp - The ops of Math.td --------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Math.h"

#include "onnxc/Dialect/ONNX/Folding.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Math.cpp.inc"

void ONNXDialect::registerMathOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Math.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

OpFoldResult SumOp::fold(FoldAdaptor) {
  return getData_0().size() == 1 ? foldSameType(getData_0()[0], getSum())
                                 : Value();
}
OpFoldResult MeanOp::fold(FoldAdaptor) {
  return getData_0().size() == 1 ? foldSameType(getData_0()[0], getMean())
                                 : Value();
}
OpFoldResult MaxOp::fold(FoldAdaptor) {
  return getData_0().size() == 1 ? foldSameType(getData_0()[0], getMax())
                                 : Value();
}
OpFoldResult MinOp::fold(FoldAdaptor) {
  return getData_0().size() == 1 ? foldSameType(getData_0()[0], getMin())
                                 : Value();
}
