//===- CollapseLoops.cpp - Fewer and longer loops -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Select/Schedule.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace onnxc {
#define GEN_PASS_DEF_COLLAPSELOOPSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// True if loops `d` and `d + 1` can be one in every operand.
bool canJoin(linalg::GenericOp op, unsigned d) {
  auto kinds = op.getIteratorTypesArray();
  if (kinds[d] != kinds[d + 1])
    return false;
  for (AffineMap map : op.getIndexingMapsArray()) {
    if (!map.isProjectedPermutation())
      return false;
    auto first = map.getResultPosition(getAffineDimExpr(d, op.getContext()));
    auto second =
        map.getResultPosition(getAffineDimExpr(d + 1, op.getContext()));
    if (!first && !second)
      continue;
    if (!first || !second || *second != *first + 1)
      return false;
  }
  return true;
}

SmallVector<ReassociationIndices> groupsOf(linalg::GenericOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<ReassociationIndices> groups;
  // Nothing to do; and what a known zero makes of unknown sizes is not said the
  // same way everywhere upstream.
  if (llvm::is_contained(extents, 0))
    return groups;
  for (unsigned d = 0; d < op.getNumLoops();) {
    ReassociationIndices group{int64_t(d)};
    int dynamic = ShapedType::isDynamic(extents[d]);
    while (d + 1 < op.getNumLoops() && canJoin(op, d)) {
      dynamic += ShapedType::isDynamic(extents[d + 1]);
      if (dynamic > 1)
        break;
      group.push_back(++d);
    }
    ++d;
    if (group.size() > 1)
      groups.push_back(group);
  }
  return groups;
}

class CollapseLoops : public onnxc::impl::CollapseLoopsPassBase<CollapseLoops> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops) {
      dropUnitTerms(op);
      // Joined, an index would need division; and a slice would need a copy.
      bool keep = llvm::any_of(op->getOperands(), [](Value v) {
        return v.getDefiningOp<tensor::ExtractSliceOp>() != nullptr;
      });
      // Nor may ops of one row become of different ranks.
      keep |= op->getParentOfType<scf::ForallOp>() != nullptr;
      if (keep || op.hasIndexSemantics())
        continue;
      SmallVector<ReassociationIndices> groups = groupsOf(op);
      if (groups.empty())
        continue;
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::CollapseResult> result =
          linalg::collapseOpIterationDims(op, groups, rewriter);
      if (succeeded(result))
        rewriter.replaceOp(op, result->results);
    }
    // A destination that is not a reshape of an empty tensor but one itself can
    // be the memory of the model's result.
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
