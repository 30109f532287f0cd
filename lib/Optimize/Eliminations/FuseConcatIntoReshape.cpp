//===- FuseConcatIntoReshape.cpp - Shapes that are put together -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Reshaping.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

#include <cmath>

namespace onnxc {
#define GEN_PASS_DEF_FUSECONCATINTORESHAPE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// A part of a shape that is put together: as many numbers, or one that is not
/// known.
using Part = SmallVector<std::optional<int64_t>>;
} // namespace

/// The elements of a constant as a Cast to int64 makes them.
static std::optional<Part> getCastElements(Value constant) {
  std::optional<Elements> elements = Elements::get(getConstant(constant));
  if (!elements || !elements->getElementType().isIntOrFloat())
    return std::nullopt;
  Part part;
  for (int64_t i = 0; i < elements->size(); ++i) {
    if (isa<IntegerType>(elements->getElementType())) {
      part.push_back(elements->getInteger(i));
      continue;
    }
    double number = std::trunc(elements->getNumber(i));
    // Beyond, NaN included, every runtime has its own answer.
    if (!(std::abs(number) < double(int64_t(1) << 62)))
      return std::nullopt;
    part.push_back(static_cast<int64_t>(number));
  }
  return part;
}

/// Whether a part of one element is dim `axis` of `data`, picked from its
/// shape.
static bool isDimOf(Value part, Value data, int64_t axis) {
  while (Operation *op = part.getDefiningOp()) {
    // These leave one element what it is.
    if (!isa<UnsqueezeOp, SqueezeOp, ReshapeOp>(op))
      break;
    part = op->getOperand(0);
  }
  Value shape;
  std::optional<int64_t> index;
  if (auto gather = part.getDefiningOp<GatherOp>()) {
    shape = gather.getData();
    index = getInteger(gather.getIndices());
  } else if (auto slice = part.getDefiningOp<SliceOp>()) {
    // Of one element, by the type: the first that it takes.
    if (slice.getSteps() && getInteger(slice.getSteps()) != 1)
      return false;
    RankedTensorType type = getStaticType(part);
    if (!type || type.getNumElements() != 1)
      return false;
    shape = slice.getData();
    index = getInteger(slice.getStarts());
  }
  auto op = shape ? shape.getDefiningOp<ShapeOp>() : ShapeOp();
  std::optional<int64_t> rank = op ? getRank(op.getData()) : std::nullopt;
  if (!op || op.getData() != data || op.getStart() != 0 || op.getEnd() ||
      !index || !rank)
    return false;
  return normalizeAxis(*index, *rank) == axis;
}

namespace {
struct FoldConcatenatedShape : Rewriting<ReshapeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    if (saysSize(op))
      return rewriter.notifyMatchFailure(op, "a check of an input's size");
    Value shape = op.getShape();
    auto cast = shape.getDefiningOp<CastOp>();
    if (cast)
      shape = cast.getInput();
    auto concat = shape.getDefiningOp<ConcatOp>();
    if (!concat || !normalizeAxis(concat.getAxis(), 1))
      return rewriter.notifyMatchFailure(op, "the shape is not put together");

    if (!canHoldShape(op, options))
      return rewriter.notifyMatchFailure(op, "there are no such constants");
    Part parts;
    for (Value input : concat.getInputs()) {
      std::optional<Part> part = getPart(op, input, parts.size(), !!cast);
      if (!part)
        return rewriter.notifyMatchFailure(op, "a part is not known");
      parts.append(*part);
    }
    bool isSure = options.upstreamCompatible || hasSureNumbers(op);
    std::optional<SmallVector<int64_t>> target = resolve(op, parts, isSure);
    if (!target)
      return rewriter.notifyMatchFailure(
          op, "what is not known cannot be computed");
    Value constant = makeConstant(
        rewriter, op, makeIntegers(op.getContext(), *target), "shape");
    rewriter.modifyOpInPlace(op,
                             [&] { op.getShapeMutable().assign(constant); });
    return success();
  }

private:
  std::optional<Part> getPart(ReshapeOp op, Value input, int64_t position,
                              bool isCast) const {
    Type elementType = optimize::getElementType(input);
    if (getConstant(input) &&
        (isCast || (elementType && elementType.isSignlessInteger(64))))
      return getCastElements(input);
    bool copiesZero = op.getAllowzero() == 0;
    if (!options.upstreamCompatible) {
      // What inference found, and dims that stay at their place.
      if (std::optional<SmallVector<int64_t>> dims = getShapeElements(input)) {
        Part part;
        auto of = input.getDefiningOp<ShapeOp>();
        for (auto [i, dim] : llvm::enumerate(*dims)) {
          bool isCopy = copiesZero && dim < 0 && of.getData() == op.getData() &&
                        of.getStart() == 0 && position == 0;
          if (dim >= 0)
            part.push_back(dim);
          else
            part.push_back(isCopy ? std::optional<int64_t>(0) : std::nullopt);
        }
        return part;
      }
      if (copiesZero && isOneElement(input) &&
          isDimOf(input, op.getData(), position))
        return Part{0};
    }
    if (isOneElement(input))
      return Part{std::nullopt};
    return std::nullopt;
  }

  static bool isOneElement(Value value) {
    RankedTensorType type = getStaticType(value);
    return type && type.getRank() == 1 && type.getNumElements() == 1;
  }

  /// The shape with -1 for the one part that is not known.
  static std::optional<SmallVector<int64_t>>
  resolve(ReshapeOp op, const Part &parts, bool isSure) {
    bool copiesZero = op.getAllowzero() == 0;
    SmallVector<int64_t> target;
    bool isComputed = false, hasUnknown = false, hasZero = false;
    for (auto [i, part] : llvm::enumerate(parts)) {
      if (!part)
        hasUnknown = true;
      if (!part || *part == -1) {
        if (isComputed)
          return std::nullopt;
        isComputed = true;
        target.push_back(-1);
        continue;
      }
      if (*part == 0)
        hasZero |= !copiesZero || getDim(op.getData(), i) == 0;
      target.push_back(*part);
    }
    // Of no elements nothing can be computed; and a number that a run brings is
    // checked.
    if (hasUnknown && (hasZero || !isSure))
      return std::nullopt;
    return target;
  }
};
} // namespace

namespace {
struct FuseConcatIntoReshape
    : PatternsPass<
          onnxc::impl::FuseConcatIntoReshapeBase<FuseConcatIntoReshape>,
          FoldConcatenatedShape> {};
} // namespace
