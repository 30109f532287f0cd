//===- Quantization.cpp - The ops of Quantization.td -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Quantization.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Quantization.cpp.inc"

void ONNXDialect::registerQuantizationOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Quantization.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

LogicalResult QuantizeLinearOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = IntegerType::get(s.getContext(), 8, IntegerType::Unsigned);
  if (op.getYZeroPoint())
    elementType = s.elementType(op.getYZeroPoint());
  else if (op.getOutputDtype() != 0)
    elementType = getElementType(s.getContext(), op.getOutputDtype());
  if (op.getYZeroPoint() && op.getOutputDtype() != 0 && elementType)
    s.require(getDataType(elementType) ==
                  static_cast<int64_t>(op.getOutputDtype()),
              "quantizelinear_output_dtype: differs from the type of "
              "y_zero_point");
  return withElementType(s, op.getX(), elementType);
}

LogicalResult DequantizeLinearOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getXScale());
  if (op.getOutputDtype() != 0)
    elementType = getElementType(s.getContext(), op.getOutputDtype());
  return withElementType(s, op.getX(), elementType);
}

LogicalResult DynamicQuantizeLinearOp::shape(ShapeBuilder &s, Adaptor op) {
  Type byte = IntegerType::get(s.getContext(), 8, IntegerType::Unsigned);
  if (failed(s.result(1, Float32Type::get(s.getContext()), {})) ||
      failed(s.result(2, byte, {})))
    return failure();
  return withElementType(s, op.getX(), byte);
}

LogicalResult MatMulIntegerOp::shape(ShapeBuilder &s, Adaptor op) {
  return matmulShape(s, op.getA(), op.getB(),
                     IntegerType::get(s.getContext(), 32), "matmulinteger");
}

LogicalResult QLinearMatMulOp::shape(ShapeBuilder &s, Adaptor op) {
  return matmulShape(s, op.getA(), op.getB(), s.elementType(op.getYZeroPoint()),
                     "qlinearmatmul");
}

LogicalResult ConvIntegerOp::shape(ShapeBuilder &s, Adaptor op) {
  return convolutionShape(s, op.getX(), op.getW(), {},
                          {op.getKernelShape(), op.getStrides(),
                           op.getDilations(), op.getPads(), op.getAutoPad()},
                          op.getGroup(), IntegerType::get(s.getContext(), 32),
                          "convinteger");
}

LogicalResult QLinearConvOp::shape(ShapeBuilder &s, Adaptor op) {
  return convolutionShape(s, op.getX(), op.getW(), op.getB(),
                          {op.getKernelShape(), op.getStrides(),
                           op.getDilations(), op.getPads(), op.getAutoPad()},
                          op.getGroup(), s.elementType(op.getYZeroPoint()),
                          "qlinearconv");
}
