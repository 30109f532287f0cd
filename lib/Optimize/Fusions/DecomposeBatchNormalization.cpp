//===- DecomposeBatchNormalization.cpp - As Mul and Add -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightFolding.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Optimize/RewritePass.h"

#include <cmath>

namespace onnxc {
#define GEN_PASS_DEF_DECOMPOSEBATCHNORMALIZATION
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct ScaleAndShift : Rewriting<BatchNormalizationOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(BatchNormalizationOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Affine> affine = getAffine(op, options);
    std::optional<int64_t> rank = getRank(op.getX());
    Type element = getElementType(op.getX());
    if (!affine || !rank || *rank < 2 || !isa_and_present<FloatType>(element))
      return rewriter.notifyMatchFailure(op, "not all parameters are constant");
    SmallVector<int64_t> shape(*rank - 1, 1);
    shape[0] = affine->scale.size();
    auto type = RankedTensorType::get(shape, element);
    std::optional<ElementsAttr> scale = round(type, affine->scale),
                                shift = round(type, affine->shift);
    if (!scale || !shift)
      return rewriter.notifyMatchFailure(op, "a parameter overflows");
    Value scaled =
        MulOp::create(rewriter, makeHelperLocation(op, "scaled"), op.getX(),
                      makeConstant(rewriter, op, *scale, "scale"));
    Value shifted = AddOp::create(rewriter, op.getLoc(), scaled,
                                  makeConstant(rewriter, op, *shift, "shift"));
    SmallVector<Value> by(op->getNumResults());
    by[0] = shifted;
    return replaceRoot(rewriter, op, by);
  }

  static std::optional<ElementsAttr> round(RankedTensorType type,
                                           ArrayRef<double> numbers) {
    std::optional<ElementsAttr> constant = makeElements(type, numbers);
    std::optional<Elements> elements =
        constant ? Elements::get(*constant) : std::nullopt;
    if (!elements || llvm::any_of(elements->getNumbers(), [](double number) {
          return !std::isfinite(number);
        }))
      return std::nullopt;
    return constant;
  }
};

struct DecomposeBatchNormalization
    : onnxc::impl::DecomposeBatchNormalizationBase<
          DecomposeBatchNormalization> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<ScaleAndShift>(patterns.getContext(), options);
  }
};
} // namespace
