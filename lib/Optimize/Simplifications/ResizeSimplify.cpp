//===- ResizeSimplify.cpp - Resize to the size that is there --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Image.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_RESIZESIMPLIFY
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Whether a grid of the same size lies on the old one.
static bool keepsPlaces(StringRef mode) {
  return llvm::is_contained({"half_pixel", "half_pixel_symmetric",
                             "pytorch_half_pixel", "align_corners",
                             "asymmetric"},
                            mode);
}

namespace {
struct ForwardUnresized : Rewriting<ResizeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ResizeOp op,
                                PatternRewriter &rewriter) const override {
    if (!keepsPlaces(op.getCoordinateTransformationMode()) || op.getAntialias())
      return rewriter.notifyMatchFailure(op, "may move or filter pixels");
    // Without elements, the operand counts as absent.
    std::optional<ArrayRef<int64_t>> scales = getShape(op.getScales());
    bool hasScales = op.getScales() && scales != ArrayRef<int64_t>(0);
    bool keepsSize =
        hasScales ? isAll(op.getScales(), 1) : op.getSizes() && areDims(op);
    if (!keepsSize)
      return rewriter.notifyMatchFailure(op, "may change the size");
    return replaceRoot(rewriter, op, op.getX());
  }

private:
  static bool areDims(ResizeOp op) {
    std::optional<SmallVector<int64_t>> sizes = getIntegers(op.getSizes());
    std::optional<int64_t> rank = getRank(op.getX());
    if (!sizes || !rank)
      return false;
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, *rank));
    if (op.getAxes())
      axes = llvm::to_vector(*op.getAxes());
    return axes.size() == sizes->size() &&
           llvm::all_of(llvm::zip_equal(axes, *sizes), [&](auto entry) {
             auto [axis, size] = entry;
             return getDim(op.getX(), axis) == size;
           });
  }
};
} // namespace

namespace {
struct ResizeSimplify
    : PatternsPass<onnxc::impl::ResizeSimplifyBase<ResizeSimplify>,
                   ForwardUnresized> {};
} // namespace
