//===- EliminateNopReshape.cpp - Reshape to the shape that is there -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Reshaping.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Folding.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATENOPRESHAPE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Whether dims and target are the same shape: one dimension may follow from
/// the number of elements.
static bool keepsDims(ArrayRef<int64_t> dims, ArrayRef<int64_t> target,
                      bool copiesZero) {
  if (dims.size() != target.size())
    return false;
  std::optional<size_t> open;
  for (auto [i, dim, to] : llvm::enumerate(dims, target)) {
    if (to == 0 && copiesZero)
      continue;
    if (to >= 0 && dim == to)
      continue;
    if (to < -1 || (to >= 0 && dim >= 0) || open)
      return false;
    open = i;
  }
  if (!open)
    return true;
  // The product of the others tells the open one only if it is not 0. Where -1
  // is computed, a 0 that comes up in a run is an error there.
  bool isComputed = target[*open] == -1;
  for (auto [i, dim] : llvm::enumerate(dims))
    if (i != *open && (dim == 0 || (dim < 0 && !isComputed)))
      return false;
  return true;
}

namespace {
struct ForwardUnshaped : Rewriting<ReshapeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    if (!keepsShape(op) || saysSize(op))
      return rewriter.notifyMatchFailure(op, "may change the shape");
    return replaceRoot(rewriter, op, op.getData());
  }

  static bool keepsShape(ReshapeOp op) {
    if (foldSameShape(op.getData(), op.getReshaped()) && hasSureNumbers(op))
      return true;
    if (isShapeOf(op.getShape(), op.getData()))
      return true;
    std::optional<ArrayRef<int64_t>> dims = getShape(op.getData());
    std::optional<SmallVector<int64_t>> target = getIntegers(op.getShape());
    return dims && target &&
           keepsDims(*dims, *target, /*copiesZero=*/op.getAllowzero() == 0);
  }
};
} // namespace

namespace {
struct EliminateNopReshape
    : PatternsPass<onnxc::impl::EliminateNopReshapeBase<EliminateNopReshape>,
                   ForwardUnshaped> {};
} // namespace
