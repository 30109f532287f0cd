//===- FuseConsecutiveReduceUnsqueeze.cpp - Reduced dims are kept ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSECONSECUTIVEREDUCEUNSQUEEZE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Whether the dims that `reduce` removes are those at `inserted` in its input.
static bool removes(Operation *reduce, ArrayRef<int64_t> inserted,
                    const RewriteOptions &options) {
  std::optional<int64_t> rank = getRank(reduce->getOperand(0));
  if (auto arg = dyn_cast<ArgMaxOp>(reduce))
    return inserted.size() == 1 && !arg.getKeepdims() &&
           (inserted[0] == static_cast<int64_t>(arg.getAxis()) ||
            (rank && normalizeAxis(inserted[0], *rank) ==
                         normalizeAxis(arg.getAxis(), *rank)));
  if (auto arg = dyn_cast<ArgMinOp>(reduce))
    return inserted.size() == 1 && !arg.getKeepdims() &&
           (inserted[0] == static_cast<int64_t>(arg.getAxis()) ||
            (rank && normalizeAxis(inserted[0], *rank) ==
                         normalizeAxis(arg.getAxis(), *rank)));
  auto getFlag = [&](StringRef name, int64_t standard) {
    auto flag = reduce->getAttrOfType<IntegerAttr>(name);
    return flag ? flag.getInt() : standard;
  };
  if (getFlag("keepdims", 1) != 0)
    return false;
  bool hasAxes = reduce->getNumOperands() > 1;
  std::optional<SmallVector<int64_t>> axes = SmallVector<int64_t>();
  if (hasAxes)
    axes = getIntegers(reduce->getOperand(1));
  if (!axes)
    return false;
  if (axes->empty()) {
    // All dims, or none: then it is not a reduction, and no matter here.
    if (getFlag("noop_with_empty_axes", 0) != 0 || !rank ||
        options.upstreamCompatible)
      return false;
    axes = llvm::to_vector(llvm::seq<int64_t>(0, *rank));
  }
  if (ArrayRef(*axes) == inserted)
    return true;
  if (options.upstreamCompatible || axes->size() != inserted.size())
    return false;
  // Of equal number: both count in a tensor of the input's rank.
  axes = resolveAxes(*axes, rank);
  std::optional<SmallVector<int64_t>> places = resolveAxes(inserted, rank);
  if (!axes || !places)
    return false;
  llvm::sort(*axes);
  llvm::sort(*places);
  return *axes == *places;
}

namespace {
struct KeepReducedDims : Rewriting<UnsqueezeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(UnsqueezeOp op,
                                PatternRewriter &rewriter) const override {
    Operation *reduce = op.getData().getDefiningOp();
    if (!hasFact(reduce, OpFact::Reduces) &&
        (options.upstreamCompatible ||
         !isa_and_present<ArgMaxOp, ArgMinOp>(reduce)))
      return rewriter.notifyMatchFailure(op, "reads no reduction");
    if (!reduce->hasOneUse())
      return rewriter.notifyMatchFailure(op, "the reduction has other uses");
    std::optional<SmallVector<int64_t>> inserted = getIntegers(op.getAxes());
    if (!inserted || !removes(reduce, *inserted, options))
      return rewriter.notifyMatchFailure(
          op, "inserts other dims than the reduction removes");
    Operation *keeping = rewriter.clone(*reduce);
    keeping->setLoc(fuseLocations(reduce, op));
    keeping->setAttr("keepdims", rewriter.getI64IntegerAttr(1));
    keeping->getResult(0).setType(op.getExpanded().getType());
    if (failed(replaceRoot(rewriter, op, keeping->getResults()))) {
      rewriter.eraseOp(keeping);
      return failure();
    }
    eraseIfUnused(rewriter, reduce, options);
    return success();
  }
};

struct FuseConsecutiveReduceUnsqueeze
    : onnxc::impl::FuseConsecutiveReduceUnsqueezeBase<
          FuseConsecutiveReduceUnsqueeze> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<KeepReducedDims>(patterns.getContext(), options);
  }
};
} // namespace
