//===- Random.cpp - The ops of Random.td ----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Random.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Random.cpp.inc"

void ONNXDialect::registerRandomOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Random.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// Only training draws numbers; see ONNX_RandomOp for the effect.
void DropoutOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (Value training = getTrainingMode();
      training && !matchPattern(training, m_Zero()))
    effects.emplace_back(MemoryEffects::Allocate::get(),
                         getOperation()->getOpResult(0));
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

static LogicalResult randomShape(ShapeBuilder &s, llvm::ArrayRef<int64_t> shape,
                                 int64_t dtype, const llvm::Twine &tag) {
  Type elementType = getElementType(s.getContext(), dtype);
  s.require(static_cast<bool>(elementType),
            tag + ": is not a tensor element type");
  Dims dims;
  for (int64_t dim : shape)
    dims.push_back(s.constant(dim));
  return s.result(0, elementType, dims);
}

/// The shape of `input`, and its element type unless `dtype` says another one.
static LogicalResult likeShape(ShapeBuilder &s, Value input,
                               std::optional<int64_t> dtype,
                               const llvm::Twine &tag) {
  Type elementType =
      dtype ? getElementType(s.getContext(), *dtype) : s.elementType(input);
  s.require(!dtype || elementType, tag + ": is not a tensor element type");
  return withElementType(s, input, elementType);
}

LogicalResult RandomNormalOp::shape(ShapeBuilder &s, Adaptor op) {
  return randomShape(s, op.getShape(), op.getDtype(), "randomnormal_dtype");
}
LogicalResult RandomUniformOp::shape(ShapeBuilder &s, Adaptor op) {
  return randomShape(s, op.getShape(), op.getDtype(), "randomuniform_dtype");
}
LogicalResult RandomNormalLikeOp::shape(ShapeBuilder &s, Adaptor op) {
  return likeShape(s, op.getInput(), op.getDtype(), "randomnormallike_dtype");
}
LogicalResult RandomUniformLikeOp::shape(ShapeBuilder &s, Adaptor op) {
  return likeShape(s, op.getInput(), op.getDtype(), "randomuniformlike_dtype");
}
LogicalResult BernoulliOp::shape(ShapeBuilder &s, Adaptor op) {
  return likeShape(s, op.getInput(), op.getDtype(), "bernoulli_dtype");
}

LogicalResult MultinomialOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = getElementType(s.getContext(), op.getDtype());
  s.require(static_cast<bool>(elementType),
            "multinomial_dtype: is not a tensor element type");
  Dims input = dimsOfRank(s, op.getInput(), 2, "multinomial_input");
  return s.result(0, elementType, {input[0], s.constant(op.getSampleSize())});
}

LogicalResult DropoutOp::shape(ShapeBuilder &s, Adaptor op) {
  Type mask = IntegerType::get(s.getContext(), 1);
  requireScalar(s, op.getRatio(), "dropout_ratio: must be one number");
  if (failed(s.ranked(op.getData()) ? s.result(1, mask, s.dims(op.getData()))
                                    : s.unranked(1, mask)))
    return failure();
  return s.sameAsOperand(0);
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

LogicalResult DropoutOp::canonicalize(DropoutOp op, PatternRewriter &rewriter) {
  // Without training nothing is dropped.
  if (op.getTrainingMode() &&
      getConstantInteger(op.getTrainingMode(), 0) != std::optional<int64_t>(0))
    return rewriter.notifyMatchFailure(op, "may be in training mode");
  if (op.getMask() && !op.getMask().use_empty())
    return rewriter.notifyMatchFailure(op, "the mask is used");
  if (op.getData().getType() != op.getOutput().getType())
    return rewriter.notifyMatchFailure(op, "types are not inferred yet");
  rewriter.replaceAllUsesWith(op.getOutput(), op.getData());
  rewriter.eraseOp(op);
  return success();
}
