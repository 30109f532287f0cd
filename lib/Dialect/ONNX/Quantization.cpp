//===- Quantization.cpp - The ops of Quantization.td ----------------------===//
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

/// One scale for the whole tensor, for each slice along `axis`, or, with
/// blocks, for each block along it; and as many zero points.
static void requireScales(ShapeBuilder &s, Value x, Value scale,
                          Value zeroPoint, int64_t axis, int64_t blockSize,
                          const llvm::Twine &op) {
  if (!s.ranked(scale))
    return;
  if (zeroPoint && s.ranked(zeroPoint)) {
    // Exporters are careless about [] and [1].
    Dim scales = s.size(scale), zeros = s.size(zeroPoint);
    if (scales.isKnown() && zeros.isKnown())
      s.require(*scales.getKnown() == *zeros.getKnown(),
                op + "_zero_point: has " + llvm::Twine(*zeros.getKnown()) +
                    " elements, the scale " + llvm::Twine(*scales.getKnown()));
  }
  if (!s.ranked(x))
    return;
  int64_t rank = s.rank(x);
  Dims scales = s.dims(scale);
  if (blockSize > 0) {
    axis = s.axis(axis, rank, op + "_axis");
    if (s.hasFailed() ||
        !s.require(static_cast<int64_t>(scales.size()) == rank,
                   op +
                       "_scale: with blocks, must have the rank of the "
                       "input, " +
                       llvm::Twine(rank) + ", has " +
                       llvm::Twine(scales.size())))
      return;
    for (int64_t i = 0; i < rank; ++i)
      s.same(i == axis ? s.ceildiv(s.dim(x, i), s.constant(blockSize))
                       : s.dim(x, i),
             scales[i], op + "_scale: blocks of dimension " + llvm::Twine(i));
    return;
  }
  if (!s.require(scales.size() <= 1, op +
                                         "_scale: must have at most rank 1, "
                                         "has rank " +
                                         llvm::Twine(scales.size())))
    return;
  if (scales.empty() || scales[0].is(1) || !scales[0].isKnown())
    return;
  axis = s.axis(axis, rank, op + "_axis");
  if (!s.hasFailed())
    s.same(s.dim(x, axis), scales[0],
           op + "_scale: elements and the size of axis " + llvm::Twine(axis));
}

LogicalResult QuantizeLinearOp::shape(ShapeBuilder &s, Adaptor op) {
  requireScales(s, op.getX(), op.getYScale(), op.getYZeroPoint(), op.getAxis(),
                op.getBlockSize(), "quantizelinear");
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
  s.require(op.getOutputDtype() == 0 || op.getYZeroPoint() || elementType,
            "quantizelinear_output_dtype: is not a tensor element type");
  return withElementType(s, op.getX(), elementType);
}

LogicalResult DequantizeLinearOp::shape(ShapeBuilder &s, Adaptor op) {
  requireScales(s, op.getX(), op.getXScale(), op.getXZeroPoint(), op.getAxis(),
                op.getBlockSize(), "dequantizelinear");
  Type elementType = s.elementType(op.getXScale());
  if (op.getOutputDtype() != 0)
    elementType = getElementType(s.getContext(), op.getOutputDtype());
  s.require(op.getOutputDtype() == 0 || elementType,
            "dequantizelinear_output_dtype: is not a tensor element type");
  return withElementType(s, op.getX(), elementType);
}

LogicalResult DynamicQuantizeLinearOp::shape(ShapeBuilder &s, Adaptor op) {
  Type byte = IntegerType::get(s.getContext(), 8, IntegerType::Unsigned);
  if (failed(s.result(1, Float32Type::get(s.getContext()), {})) ||
      failed(s.result(2, byte, {})))
    return failure();
  return withElementType(s, op.getX(), byte);
}

/// A scale or a zero point is one for the whole of `x`, or one for each index
/// of `axis`, if there is one. Which of both a length means that is not known
/// is checked where it is read.
static void requireFits(ShapeBuilder &s, Value parameter, Value x,
                        std::optional<int64_t> axis, const llvm::Twine &name) {
  if (!parameter || !s.ranked(parameter) || s.rank(parameter) != 1)
    return;
  Dim size = s.dim(parameter, 0);
  if (!size.isKnown() || size.is(1))
    return;
  if (!axis)
    s.require(false, name + ": must have one element, has " +
                         llvm::Twine(*size.getKnown()));
  else if (s.ranked(x) && s.rank(x) >= 1)
    s.same(
        size,
        s.dim(x, std::max<int64_t>(*axis < 0 ? *axis + s.rank(x) : *axis, 0)),
        name + ": elements and the dimension that they go with");
}

LogicalResult MatMulIntegerOp::shape(ShapeBuilder &s, Adaptor op) {
  requireFits(s, op.getAZeroPoint(), op.getA(), -2,
              "matmulinteger_a_zero_point");
  requireFits(s, op.getBZeroPoint(), op.getB(), -1,
              "matmulinteger_b_zero_point");
  return matmulShape(s, op.getA(), op.getB(),
                     IntegerType::get(s.getContext(), 32), "matmulinteger");
}

LogicalResult QLinearMatMulOp::shape(ShapeBuilder &s, Adaptor op) {
  requireFits(s, op.getAScale(), op.getA(), -2, "qlinearmatmul_a_scale");
  requireFits(s, op.getAZeroPoint(), op.getA(), -2,
              "qlinearmatmul_a_zero_point");
  requireFits(s, op.getBScale(), op.getB(), -1, "qlinearmatmul_b_scale");
  requireFits(s, op.getBZeroPoint(), op.getB(), -1,
              "qlinearmatmul_b_zero_point");
  return matmulShape(s, op.getA(), op.getB(), s.elementType(op.getYZeroPoint()),
                     "qlinearmatmul");
}

LogicalResult ConvIntegerOp::shape(ShapeBuilder &s, Adaptor op) {
  requireFits(s, op.getXZeroPoint(), op.getX(), std::nullopt,
              "convinteger_x_zero_point");
  requireFits(s, op.getWZeroPoint(), op.getW(), 0, "convinteger_w_zero_point");
  return convolutionShape(s, op.getX(), op.getW(), {},
                          {op.getKernelShape(), op.getStrides(),
                           op.getDilations(), op.getPads(), op.getAutoPad()},
                          op.getGroup(), IntegerType::get(s.getContext(), 32),
                          "convinteger");
}

LogicalResult QLinearConvOp::shape(ShapeBuilder &s, Adaptor op) {
  requireFits(s, op.getXScale(), op.getX(), std::nullopt,
              "qlinearconv_x_scale");
  requireFits(s, op.getXZeroPoint(), op.getX(), std::nullopt,
              "qlinearconv_x_zero_point");
  requireFits(s, op.getWScale(), op.getW(), 0, "qlinearconv_w_scale");
  requireFits(s, op.getWZeroPoint(), op.getW(), 0, "qlinearconv_w_zero_point");
  requireFits(s, op.getYScale(), op.getX(), std::nullopt,
              "qlinearconv_y_scale");
  requireFits(s, op.getYZeroPoint(), op.getX(), std::nullopt,
              "qlinearconv_y_zero_point");
  return convolutionShape(s, op.getX(), op.getW(), op.getB(),
                          {op.getKernelShape(), op.getStrides(),
                           op.getDilations(), op.getPads(), op.getAutoPad()},
                          op.getGroup(), s.elementType(op.getYZeroPoint()),
                          "qlinearconv");
}
