//===- EliminateShapeGather.cpp - Dimensions picked from a shape ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATESHAPEGATHER
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct FoldGatherOfShape : Rewriting<GatherOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> dims = getShapeElements(op.getData());
    if (!dims || !normalizeAxis(op.getAxis(), 1))
      return rewriter.notifyMatchFailure(op, "not of a shape");
    std::optional<SmallVector<int64_t>> indices = getIntegers(op.getIndices());
    if (!indices)
      return rewriter.notifyMatchFailure(op, "the indices are not constant");
    SmallVector<int64_t> picked;
    for (int64_t index : *indices) {
      std::optional<int64_t> place = normalizeAxis(index, dims->size());
      if (!place || (*dims)[*place] < 0)
        return rewriter.notifyMatchFailure(op, "a dimension is not known");
      picked.push_back((*dims)[*place]);
    }
    return replaceByConstant(
        rewriter, op,
        makeIntegers(op.getContext(), *getShape(op.getIndices()), picked),
        options);
  }
};
} // namespace

namespace {
struct EliminateShapeGather
    : PatternsPass<onnxc::impl::EliminateShapeGatherBase<EliminateShapeGather>,
                   FoldGatherOfShape> {};
} // namespace
