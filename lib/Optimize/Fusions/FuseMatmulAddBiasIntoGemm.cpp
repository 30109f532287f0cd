//===- FuseMatmulAddBiasIntoGemm.cpp - MatMul and Add are Gemm ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEMATMULADDBIASINTOGEMM
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Whether `bias` broadcast to [rows, columns] is that shape, so that Gemm
/// takes it; rows and columns may be unknown.
static bool isGemmBias(Value bias, std::optional<int64_t> rows,
                       std::optional<int64_t> columns) {
  std::optional<ArrayRef<int64_t>> shape = getShape(bias);
  if (!shape || shape->size() > 2)
    return false;
  auto fits = [](int64_t dim, std::optional<int64_t> into) {
    return dim == 1 || (dim >= 0 && into && dim == *into);
  };
  if (!shape->empty() && !fits(shape->back(), columns))
    return false;
  return shape->size() < 2 || fits(shape->front(), rows);
}

/// What onnx-optimizer takes: [M], [1, M] or [N, M].
static bool isPlainBias(Value bias, std::optional<int64_t> rows,
                        std::optional<int64_t> columns) {
  std::optional<ArrayRef<int64_t>> shape = getShape(bias);
  if (!rows || !columns || !shape || shape->empty())
    return false;
  return shape->back() == *columns &&
         (shape->size() == 1 || shape->front() == 1 || shape->front() == *rows);
}

namespace {
struct TakeBias : Rewriting<AddOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    if (auto product = op.getA().getDefiningOp<MatMulOp>();
        product && succeeded(fuse(op, product, op.getB(), rewriter)))
      return success();
    auto product = op.getB().getDefiningOp<MatMulOp>();
    if (!product || options.upstreamCompatible)
      return rewriter.notifyMatchFailure(op, "adds to no MatMul");
    return fuse(op, product, op.getA(), rewriter);
  }

  LogicalResult fuse(AddOp op, MatMulOp product, Value bias,
                     PatternRewriter &rewriter) const {
    if (!product->hasOneUse())
      return rewriter.notifyMatchFailure(op, "the product has other uses");
    if (getRank(product.getA()) != 2 || getRank(product.getB()) != 2)
      return rewriter.notifyMatchFailure(op, "not a product of matrices");
    // Gemm of integers is in the standard, and in few runtimes.
    Type element = getElementType(op.getC());
    if (!isa_and_present<FloatType>(element) ||
        !isAvailable(element.isBF16() ? 13 : 7, op, options))
      return rewriter.notifyMatchFailure(op, "no Gemm of the type or opset");
    std::optional<int64_t> rows = getDim(product.getA(), 0),
                           columns = getDim(product.getB(), 1);
    if (!isGemmBias(bias, rows, columns) ||
        (options.upstreamCompatible && !isPlainBias(bias, rows, columns)))
      return rewriter.notifyMatchFailure(op, "no bias that Gemm takes");
    Type type = joinTypes(op.getC().getType(), product.getY().getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "types contradict");
    FloatAttr one;
    IntegerAttr zero;
    if (options.upstreamCompatible) {
      one = rewriter.getF32FloatAttr(1);
      zero = rewriter.getI64IntegerAttr(0);
    }
    auto gemm = GemmOp::create(rewriter, fuseLocations(product, op), type,
                               product.getA(), product.getB(), bias, one, one,
                               zero, zero);
    // Rows may still become bytes.
    if (Attribute block = product->getAttr(model::int8Block))
      gemm->setAttr(model::int8Block, block);
    return replaceRoot(rewriter, op, gemm.getY());
  }
};

struct FuseMatmulAddBiasIntoGemm
    : onnxc::impl::FuseMatmulAddBiasIntoGemmBase<FuseMatmulAddBiasIntoGemm> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<TakeBias>(patterns.getContext(), options);
  }
};
} // namespace
