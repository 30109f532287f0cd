//===- FuseElementwise.cpp - Chains of elementwise ops --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Select/Schedule.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

constexpr unsigned kMaxInputs = 12;
constexpr unsigned kMaxBodyOps = 64;

struct BodyCost {
  unsigned ops = 0;
  bool isCheap = true;
};

BodyCost costOf(linalg::LinalgOp op) {
  BodyCost cost;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (isa<arith::ConstantOp, linalg::IndexOp>(inner))
      continue;
    ++cost.ops;
    if (!isa<arith::ArithDialect>(inner.getDialect()) ||
        isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
            arith::RemSIOp, arith::RemUIOp>(inner))
      cost.isCheap = false;
  }
  cost.isCheap &= cost.ops <= 2;
  return cost;
}

/// True if the op only repeats a smaller value, in order: fused, it reads
/// less memory wherever it goes.
bool isPlainBroadcast(linalg::GenericOp op) {
  if (costOf(op).ops != 0 || op.getNumDpsInputs() > 1)
    return false;
  if (op.getNumDpsInputs() == 0)
    return true;
  AffineMap map = op.getIndexingMapsArray().front();
  int64_t last = -1;
  unsigned numRead = 0;
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || int64_t(dim.getPosition()) <= last)
      return false;
    last = dim.getPosition();
    ++numRead;
  }
  return numRead < map.getNumDims();
}

/// Decides whether the producer of `operand` moves into its user.
bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer)
    return false;
  // What is done to the sums of a kernel belongs into its epilogue. Of several
  // users none can, unless they become one: x * (1 + erf(x / c)).
  if (llvm::any_of(producer.getDpsInputs(), [](Value input) {
        return input.getDefiningOp<kernel::KernelOpInterface>() &&
               llvm::all_equal(llvm::make_filter_range(
                   input.getUsers(),
                   [](Operation *user) { return !isa<tensor::DimOp>(user); }));
      }))
    return false;
  BodyCost cost = costOf(producer);
  if (producer.getNumDpsInputs() + consumer.getNumDpsInputs() >
          int64_t(kMaxInputs) ||
      cost.ops + costOf(consumer).ops > kMaxBodyOps)
    return false;

  bool consumerReduces = consumer.getNumReductionLoops() > 0;
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  SmallVector<int64_t> extents = consumer.getStaticLoopRanges();
  // The producer's body runs once for each step of the consumer: is that more
  // often than the value has elements?
  bool repeats = false;
  for (unsigned d = 0; d < map.getNumDims(); ++d)
    repeats |= extents[d] != 1 && !map.isFunctionOfDim(d);
  repeats |= !map.isProjectedPermutation(/*allowZeroInResults=*/true);
  if (consumerReduces && repeats)
    return false;
  if (isPlainBroadcast(producer))
    return !consumerReduces;
  if (!llvm::hasSingleElement(producer->getUsers()))
    return false;
  return !repeats || cost.isCheap;
}

class FuseElementwise
    : public onnxc::impl::FuseElementwisePassBase<FuseElementwise> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    linalg::LinalgDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> named;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp, linalg::FillOp>(op) &&
          op->getNumRegions() == 1)
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      // An op without a generic form keeps its name and its plain loops.
      bool hasFewRows = op->hasAttr(program::fewRows);
      FailureOr<linalg::GenericOp> generic =
          linalg::generalizeNamedOp(rewriter, op);
      if (succeeded(generic) && hasFewRows)
        (*generic)->setAttr(program::fewRows, rewriter.getUnitAttr());
    }
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
