//===- CastSimplify.cpp - Casts that need not be there --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_CASTSIMPLIFY
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Whether `to` has every number of `from`. String and complex numbers are no
/// such types.
static bool holdsAll(Type from, Type to) {
  auto fromInteger = dyn_cast<IntegerType>(from),
       toInteger = dyn_cast<IntegerType>(to);
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat)
    return APFloat::isRepresentableBy(fromFloat.getFloatSemantics(),
                                      toFloat.getFloatSemantics());
  if (!fromInteger)
    return false;
  bool isUnsigned = fromInteger.isUnsigned() || fromInteger.getWidth() == 1;
  unsigned bits = fromInteger.getWidth();
  if (toInteger) {
    if (toInteger.getWidth() == 1)
      return bits == 1;
    if (toInteger.isUnsigned())
      return isUnsigned && bits <= toInteger.getWidth();
    return isUnsigned ? bits < toInteger.getWidth()
                      : bits <= toInteger.getWidth();
  }
  // Of narrower floats the largest integer may be infinite.
  return toFloat && toFloat.getWidth() >= 16 &&
         (isUnsigned ? bits : bits - 1) <=
             APFloat::semanticsPrecision(toFloat.getFloatSemantics());
}

/// Whether a number becomes the same by way of a type that holds it exactly. Of
/// text the type shows, and integers reach narrow floats in two roundings.
static bool mayGoDirectly(Type from, Type to) {
  if (!to.isIntOrFloat())
    return false;
  auto toFloat = dyn_cast<FloatType>(to);
  return !toFloat || isa<FloatType>(from) || toFloat.getWidth() >= 32 ||
         holdsAll(from, to);
}

namespace {
struct CastDirectly : Rewriting<CastOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<CastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not of a Cast");
    Type from = optimize::getElementType(inner.getInput()),
         by = optimize::getElementType(inner.getOutput()),
         to = onnxc::getElementType(op.getContext(), op.getTo());
    if (!from || !by || !to || !holdsAll(from, by) || !mayGoDirectly(from, to))
      return rewriter.notifyMatchFailure(op, "the first Cast may round");
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputMutable().assign(inner.getInput()); });
    return success();
  }
};

/// Neither shape nor size are a matter of the type.
template <typename Op> struct LookThroughCast : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto cast = op.getData().template getDefiningOp<CastOp>();
    if (!cast)
      return rewriter.notifyMatchFailure(op, "not of a Cast");
    rewriter.modifyOpInPlace(
        op, [&] { op.getDataMutable().assign(cast.getInput()); });
    return success();
  }
};
} // namespace

namespace {
struct CastSimplify
    : PatternsPass<onnxc::impl::CastSimplifyBase<CastSimplify>, CastDirectly,
                   LookThroughCast<ShapeOp>, LookThroughCast<SizeOp>> {};
} // namespace
