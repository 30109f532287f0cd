//===- Conversion.cpp - The ops of Conversion.td --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Conversion.h"

#include "onnxc/Dialect/ONNX/Folding.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Conversion.cpp.inc"

void ONNXDialect::registerConversionOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Conversion.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

LogicalResult CastOp::shape(ShapeBuilder &s, Adaptor op) {
  Type to = getElementType(s.getContext(), op.getTo());
  if (!s.require(!!to,
                 "cast_c1: to = " + Twine(static_cast<int64_t>(op.getTo())) +
                     " is not a data type of ONNX"))
    return failure();
  if (!s.require(
          llvm::is_contained({"up", "down", "nearest"}, op.getRoundMode()),
          "cast_c2: round_mode = " + op.getRoundMode() +
              " is none of up, down, nearest"))
    return failure();
  return s.broadcastOperands(0, to);
}

Value CastOp::buildScalar(ScalarBuilder &b, ValueRange args) {
  Type from = getElementTypeOrSelf(getInput());
  Type to = getElementTypeOrSelf(getOutput());
  if (isa<StringType>(from) || isa<StringType>(to))
    return {};
  using Round = CastMode::Round;
  CastMode mode;
  mode.saturate = getSaturate() != 0;
  mode.round = llvm::StringSwitch<Round>(getRoundMode())
                   .Case("down", Round::Down)
                   .Case("nearest", Round::Nearest)
                   .Default(Round::Up);
  return b.convert(args[0], from, to, mode);
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

LogicalResult CastLikeOp::shape(ShapeBuilder &s, Adaptor op) {
  return withElementType(s, op.getInput(), s.elementType(op.getTargetType()));
}

LogicalResult BitCastOp::shape(ShapeBuilder &s, Adaptor op) {
  Type type = getElementType(s.getContext(), op.getTo());
  if (!s.require(static_cast<bool>(type),
                 "bitcast_to: is not a tensor element type"))
    return failure();
  // A bool takes a byte.
  auto bits = [](Type element) {
    return element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth();
  };
  if (Type from = s.elementType(op.getInput());
      from && from.isIntOrFloat() && type.isIntOrFloat())
    s.require(bits(from) == bits(type),
              "bitcast_to: elements must stay of the same size");
  return withElementType(s, op.getInput(), type);
}

//===----------------------------------------------------------------------===//
// Elements of shapes
//===----------------------------------------------------------------------===//

std::optional<Dim> CastOp::followElement(ShapeElements &elements,
                                         int64_t index) {
  auto to = cast<ShapedType>(getOutput().getType()).getElementType();
  // Narrower integers would wrap.
  if (!to.isInteger(64) && !to.isInteger(32))
    return std::nullopt;
  return elements.follow(getInput(), index);
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

OpFoldResult CastOp::fold(FoldAdaptor) {
  return foldSameType(getInput(), getOutput());
}

OpFoldResult CastLikeOp::fold(FoldAdaptor) {
  return foldSameType(getInput(), getOutput());
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

LogicalResult CastLikeOp::canonicalize(CastLikeOp op,
                                       PatternRewriter &rewriter) {
  auto target = dyn_cast<TensorType>(op.getTargetType().getType());
  if (!target || !isa<TensorType>(op.getOutput().getType()))
    return rewriter.notifyMatchFailure(op, "the types are not known yet");
  int64_t to = getDataType(target.getElementType());
  rewriter.replaceOpWithNewOp<CastOp>(
      op, op.getOutput().getType(), op.getInput(),
      rewriter.getI64IntegerAttr(to), op.getRoundModeAttr(),
      op.getSaturateAttr());
  return success();
}
