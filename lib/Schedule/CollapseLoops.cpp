//===- CollapseLoops.cpp - Fewer and longer loops -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace onnxc {
#define GEN_PASS_DEF_COLLAPSELOOPSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// A loop of one iteration adds nothing to an index: `h + kh` of a 1x1
/// convolution is `h`.
void dropUnitTerms(linalg::GenericOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  MLIRContext *ctx = op.getContext();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  llvm::SmallBitVector plain(op.getNumLoops());
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        plain.set(dim.getPosition());

  bool changed = false;
  for (auto [map, operand] : llvm::zip_equal(maps, op->getOpOperands())) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    SmallVector<AffineExpr> results;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      AffineExpr simple = expr;
      if (isa<AffineBinaryOpExpr>(expr)) {
        DenseMap<AffineExpr, AffineExpr> zero;
        for (unsigned d = 0; d < map.getNumDims(); ++d)
          if (extents[d] == 1 && plain.test(d))
            zero[getAffineDimExpr(d, ctx)] = getAffineConstantExpr(0, ctx);
        simple = simplifyAffineExpr(expr.replace(zero), map.getNumDims(), 0);
        // A plain index promises that loop and dimension have the same extent.
        auto dim = dyn_cast<AffineDimExpr>(simple);
        if (dim && (type.isDynamicDim(i) ||
                    type.getDimSize(i) != extents[dim.getPosition()]))
          simple = expr;
        if (isa<AffineConstantExpr>(simple))
          simple = expr;
      }
      changed |= simple != expr;
      results.push_back(simple);
    }
    map = AffineMap::get(map.getNumDims(), 0, results, ctx);
  }
  if (changed)
    op.setIndexingMapsAttr(Builder(ctx).getAffineMapArrayAttr(maps));
}

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
  }
};

} // namespace
