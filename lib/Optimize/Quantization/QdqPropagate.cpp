//===- QdqPropagate.cpp - Moving integers instead of floats ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizationParameters.h"
#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Image.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Pooling.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_QDQPROPAGATE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Whether integers of the type can be moved by every runtime.
static bool isMovable(const QuantizationParameters &parameters) {
  unsigned width = parameters.integer.getWidth();
  return width == 8 || width == 16;
}

/// Whether the op only moves (or picks the greatest of) elements of operand 0
/// in a way that is the same for integers with one scale.
static bool commutes(Operation *op, const QuantizationParameters &parameters,
                     const RewriteOptions &options) {
  if (op->getNumResults() != 1 || !isMovable(parameters) ||
      !parameters.isPerTensor())
    return false;
  bool isByte = parameters.integer.getWidth() == 8;
  // Other runtimes have these two for bytes only.
  if (isa<DepthToSpaceOp, SpaceToDepthOp>(op))
    return isByte;
  if (hasFact(op, OpFact::MovesElements) || isa<ConcatOp>(op))
    return true;
  if (isa<MaxPoolOp, ReduceMaxOp, ReduceMinOp>(op))
    return isByte && isAvailable(12, op, options);
  if (auto pad = dyn_cast<PadOp>(op))
    return isByte && isAvailable(13, op, options) &&
           (pad.getMode() != "constant" || !pad.getConstantValue() ||
            isAll(pad.getConstantValue(), 0, /*anyZero=*/true));
  if (auto resize = dyn_cast<ResizeOp>(op))
    return isByte && resize.getMode() == "nearest" &&
           resize.getCoordinateTransformationMode() != "tf_crop_and_resize";
  return false;
}

/// Whether as many elements leave the op as enter it.
static bool keepsCount(Operation *op) {
  return isReshape(op) || isa<TransposeOp, IdentityOp>(op);
}

/// The operands whose elements are moved.
static OperandRange getMoved(Operation *op) {
  return op->getOperands().take_front(isa<ConcatOp>(op) ? op->getNumOperands()
                                                        : 1);
}

/// A copy of `op` on integers instead of the floats `from`.
static Value moveIntegers(PatternRewriter &rewriter, Operation *op,
                          ValueRange integers,
                          const QuantizationParameters &parameters) {
  Operation *copy = rewriter.clone(*op);
  for (auto [i, value] : llvm::enumerate(integers))
    copy->setOperand(i, value);
  auto type = cast<TensorType>(op->getResult(0).getType());
  copy->getResult(0).setType(type.clone(parameters.integer));
  // What a float pads with is 0, and the zero point is its integer.
  auto pad = dyn_cast<PadOp>(copy);
  if (!pad || pad.getMode() != "constant")
    return copy->getResult(0);
  rewriter.setInsertionPoint(copy);
  ElementsAttr zero = *makeElements(
      RankedTensorType::get({}, parameters.integer), parameters.zeroPoints);
  pad.getConstantValueMutable().assign(
      makeConstant(rewriter, copy, zero, "zero_point"));
  rewriter.setInsertionPointAfter(copy);
  return copy->getResult(0);
}

namespace {
/// Dequantize, move, Quantize alike: move.
struct MoveQuantized : Rewriting<QuantizeLinearOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(QuantizeLinearOp op,
                                PatternRewriter &rewriter) const override {
    Operation *moving = op.getX().getDefiningOp();
    std::optional<QuantizationParameters> parameters = getParameters(op);
    if (!moving || !parameters || !op.getX().hasOneUse() ||
        !commutes(moving, *parameters, options))
      return rewriter.notifyMatchFailure(op, "not of what is moved");
    SmallVector<Value> integers;
    for (Value operand : getMoved(moving)) {
      auto inner = operand.getDefiningOp<DequantizeLinearOp>();
      if (!inner || getParameters(inner) != parameters)
        return rewriter.notifyMatchFailure(op, "other parameters before it");
      integers.push_back(inner.getX());
    }
    return replaceRoot(rewriter, op,
                       moveIntegers(rewriter, moving, integers, *parameters));
  }
};

/// Move, Quantize: Quantize, move. What is moved are fewer bytes, and what is
/// joined comes from where each part is computed.
struct QuantizeBefore : Rewriting<QuantizeLinearOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(QuantizeLinearOp op,
                                PatternRewriter &rewriter) const override {
    Operation *moving = op.getX().getDefiningOp();
    std::optional<QuantizationParameters> parameters = getParameters(op);
    if (!moving || !(keepsCount(moving) || isa<ConcatOp>(moving)) ||
        !parameters || !op.getX().hasOneUse() ||
        !commutes(moving, *parameters, options) ||
        llvm::all_of(getMoved(moving), isConstant))
      return rewriter.notifyMatchFailure(op, "not of what is moved");
    SmallVector<Value> integers;
    for (Value operand : getMoved(moving)) {
      auto type = cast<TensorType>(operand.getType());
      // Its parameters may be defined behind the op that moves.
      Operation *quantize = rewriter.clone(*op);
      quantize->setOperand(0, operand);
      quantize->getResult(0).setType(type.clone(parameters->integer));
      integers.push_back(quantize->getResult(0));
    }
    return replaceRoot(rewriter, op,
                       moveIntegers(rewriter, moving, integers, *parameters));
  }
};

/// Dequantize, move: move, Dequantize.
struct DequantizeBehind : RewritePattern {
  DequantizeBehind(MLIRContext *context, const RewriteOptions &options)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context), options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!keepsCount(op) && !isa<SliceOp>(op))
      return rewriter.notifyMatchFailure(op, "may make more elements");
    auto inner = op->getOperand(0).getDefiningOp<DequantizeLinearOp>();
    std::optional<QuantizationParameters> parameters =
        inner ? getParameters(inner) : std::nullopt;
    if (!parameters || !inner->hasOneUse() || isa<IdentityOp>(op))
      return rewriter.notifyMatchFailure(op, "not of what is dequantized");
    std::optional<int64_t> axis = getAxisBehind(op, *parameters);
    if (!axis || !isMovable(*parameters))
      return rewriter.notifyMatchFailure(op, "the axis of scales is lost");
    Value moved = moveIntegers(rewriter, op, inner.getX(), *parameters);
    auto dequantize = cast<DequantizeLinearOp>(rewriter.clone(*inner));
    dequantize.getXMutable().assign(moved);
    dequantize.getY().setType(cast<TensorType>(op->getResult(0).getType()));
    if (!parameters->isPerTensor())
      dequantize.setAxis(*axis);
    return replaceRoot(rewriter, op, dequantize.getY());
  }

private:
  /// Where the op moves the axis of the scales to; 0 if there is one scale.
  std::optional<int64_t>
  getAxisBehind(Operation *op, const QuantizationParameters &parameters) const {
    if (parameters.isPerTensor())
      return commutes(op, parameters, options) ? std::optional<int64_t>(0)
                                               : std::nullopt;
    std::optional<SmallVector<int64_t>> perm = getPermutation(op);
    if (!perm)
      return std::nullopt;
    auto found = llvm::find(*perm, parameters.axis);
    return found == perm->end() ? std::nullopt
                                : std::optional<int64_t>(found - perm->begin());
  }

  RewriteOptions options;
};

/// Dequantize, Split, and each part quantized alike: the integers are split.
struct SplitQuantized : Rewriting<SplitOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SplitOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<DequantizeLinearOp>();
    std::optional<QuantizationParameters> parameters =
        inner ? getParameters(inner) : std::nullopt;
    if (!parameters || !parameters->isPerTensor() || !isMovable(*parameters))
      return rewriter.notifyMatchFailure(op, "not of one scale");
    for (Value output : op.getOutputs())
      for (Operation *user : output.getUsers()) {
        auto quantize = dyn_cast<QuantizeLinearOp>(user);
        if (!quantize || getParameters(quantize) != parameters)
          return rewriter.notifyMatchFailure(op, "a part is not quantized");
      }
    Operation *split = rewriter.clone(*op);
    split->setOperand(0, inner.getX());
    SmallVector<Value> outputs;
    for (auto [output, part] :
         llvm::zip_equal(op.getOutputs(), split->getResults())) {
      auto type = cast<TensorType>(output.getType());
      part.setType(type.clone(parameters->integer));
      auto dequantize = cast<DequantizeLinearOp>(rewriter.clone(*inner));
      dequantize.getXMutable().assign(part);
      dequantize.getY().setType(type);
      outputs.push_back(dequantize.getY());
    }
    return replaceRoot(rewriter, op, outputs);
  }
};

struct QdqPropagate : onnxc::impl::QdqPropagateBase<QdqPropagate> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns
        .add<MoveQuantized, QuantizeBefore, DequantizeBehind, SplitQuantized>(
            patterns.getContext(), options);
  }
};
} // namespace
