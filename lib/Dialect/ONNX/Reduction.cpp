//===- Reduction.cpp - The ops of Reduction.td ----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Reduction.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Reduction.cpp.inc"

void ONNXDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Reduction.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

static LogicalResult argReduction(ShapeBuilder &s, Value data, int64_t axis,
                                  bool keepDims, const llvm::Twine &tag) {
  Type elementType = IntegerType::get(s.getContext(), 64);
  if (!s.ranked(data))
    return s.unranked(0, elementType);
  axis = s.axis(axis, s.rank(data), tag);
  if (s.hasFailed())
    return failure();
  Dims dims = s.dims(data);
  if (keepDims)
    dims[axis] = s.constant(1);
  else
    dims.erase(dims.begin() + axis);
  return s.result(0, elementType, dims);
}

LogicalResult ArgMaxOp::shape(ShapeBuilder &s, Adaptor op) {
  return argReduction(s, op.getData(), op.getAxis(), op.getKeepdims() != 0,
                      "argmax_axis");
}
LogicalResult ArgMinOp::shape(ShapeBuilder &s, Adaptor op) {
  return argReduction(s, op.getData(), op.getAxis(), op.getKeepdims() != 0,
                      "argmin_axis");
}

//===----------------------------------------------------------------------===//
// Elements of shapes
//===----------------------------------------------------------------------===//

/// Of a whole vector: the only reduction that has one element.
std::optional<Dim> ReduceProdOp::followElement(ShapeElements &elements,
                                               int64_t) {
  ShapeBuilder &s = elements.getBuilder();
  std::optional<int64_t> length = s.length(getData());
  auto type = cast<ShapedType>(getReduced().getType());
  auto input = dyn_cast<RankedTensorType>(getData().getType());
  if (!length || *length > 16 || !type.hasStaticShape() ||
      type.getNumElements() != 1 || !input || input.getRank() != 1)
    return std::nullopt;
  Dim product = s.constant(1);
  for (int64_t i = 0; i < *length; ++i) {
    std::optional<Dim> factor = elements.follow(getData(), i);
    int64_t ignored;
    if (!factor ||
        (factor->isKnown() && product.isKnown() &&
         llvm::MulOverflow(*factor->getKnown(), *product.getKnown(), ignored)))
      return std::nullopt;
    product = product * *factor;
  }
  return product;
}
