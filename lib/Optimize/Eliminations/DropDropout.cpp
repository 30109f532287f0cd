//===- DropDropout.cpp - Dropout that drops nothing -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DropDropout.h"

#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/Shape.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

LogicalResult optimize::dropDropout(PatternRewriter &rewriter, DropoutOp op,
                                    const RewriteOptions &options) {
  Value mask = op.getMask();
  if (!mask || mask.use_empty()) {
    SmallVector<Value> by = {op.getData()};
    if (mask)
      by.push_back(nullptr);
    return replaceRoot(rewriter, op, by);
  }
  if (!isDeterministic(op))
    return rewriter.notifyMatchFailure(op, "the mask is not known");
  Type boolean = rewriter.getI1Type();
  if (optimize::getElementType(mask) != boolean)
    return rewriter.notifyMatchFailure(op, "the mask in use is not of bools");

  // A constant where it is small, else what makes one.
  RankedTensorType shape = getStaticType(op.getData());
  if (shape && shape.getNumElements() <= options.foldBudget) {
    auto type = RankedTensorType::get(shape.getShape(), boolean);
    if (!joinTypes(type, mask.getType()))
      return rewriter.notifyMatchFailure(op, "the mask has another shape");
    if (failed(canReplaceRoot(rewriter, op, {op.getData(), mask})))
      return failure();
    Value allTrue =
        makeConstant(rewriter, op, DenseElementsAttr::get(type, true), "mask");
    return replaceRoot(rewriter, op, {op.getData(), allTrue});
  }
  if (!isAvailable<ConstantOfShapeOp>(op, options))
    return rewriter.notifyMatchFailure(op, "the mask in use has no constant");
  if (failed(canReplaceRoot(rewriter, op, {op.getData(), mask})))
    return failure();
  int64_t rank = getRank(op.getData()).value_or(ShapedType::kDynamic);
  Value dims = ShapeOp::create(
      rewriter, makeHelperLocation(op, "shape"),
      RankedTensorType::get({rank}, rewriter.getI64Type()), op.getData(),
      /*end=*/IntegerAttr(), /*start=*/IntegerAttr());
  Value allTrue = ConstantOfShapeOp::create(
      rewriter, makeHelperLocation(op, "mask"), mask.getType(), dims,
      DenseElementsAttr::get(RankedTensorType::get({1}, boolean), true));
  return replaceRoot(rewriter, op, {op.getData(), allTrue});
}
