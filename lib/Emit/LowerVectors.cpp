//===- LowerVectors.cpp - Vectors of one dimension ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Emit/Passes.h"

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace onnxc {
#define GEN_PASS_DEF_LOWERVECTORS
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

class LowerVectors final : public onnxc::impl::LowerVectorsBase<LowerVectors> {
public:
  using LowerVectorsBase::LowerVectorsBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    // Kernels state instructions, and have none of these.
    if (!root->walk([](Operation *op) {
               return isHigher(op) ? WalkResult::interrupt()
                                   : WalkResult::advance();
             })
             .wasInterrupted())
      return;
    if (failed(apply(
            root,
            [](RewritePatternSet &patterns) {
              // Contractions to fused multiply-adds of rows; reductions of
              // inner dimensions to reductions of one-dimensional vectors.
              vector::populateVectorContractLoweringPatterns(
                  patterns, vector::VectorContractLowering::OuterProduct);
              vector::populateVectorOuterProductLoweringPatterns(patterns);
              vector::populateVectorMultiReductionLoweringPatterns(
                  patterns,
                  vector::VectorMultiReductionLowering::InnerParallel);
              vector::populateVectorMaskOpLoweringPatterns(patterns);
              vector::populateVectorMaskLoweringPatternsForSideEffectingOps(
                  patterns);
            })) ||
        failed(apply(
            root,
            [](RewritePatternSet &patterns) {
              vector::populateVectorTransferPermutationMapLoweringPatterns(
                  patterns);
              populateVectorToSCFConversionPatterns(
                  patterns,
                  VectorTransferToSCFOptions().enableFullUnroll().setTargetRank(
                      1));
            })) ||
        failed(apply(root, [](RewritePatternSet &patterns) {
          vector::populateVectorTransferLoweringPatterns(patterns,
                                                         /*maxTransferRank=*/1);
          vector::populateVectorTransposeLoweringPatterns(
              patterns, vector::VectorTransposeLowering::Shuffle1D);
          vector::populateVectorBroadcastLoweringPatterns(patterns);
          vector::populateVectorShapeCastLoweringPatterns(patterns);
          vector::populateVectorGatherLoweringPatterns(patterns);
        })))
      signalPassFailure();
  }

private:
  /// Whether the patterns below may take an op: one on vectors that are not of
  /// one dimension, or none of those that LLVM has as they are.
  static bool isHigher(Operation *op) {
    if (!isa_and_nonnull<vector::VectorDialect>(op->getDialect()))
      return false;
    auto isFlat = [](Type type) {
      auto vector = dyn_cast<VectorType>(type);
      return !vector || vector.getRank() == 1;
    };
    return !llvm::all_of(op->getOperandTypes(), isFlat) ||
           !llvm::all_of(op->getResultTypes(), isFlat) ||
           !isa<vector::BroadcastOp, vector::FMAOp, vector::LoadOp,
                vector::StoreOp, vector::ShuffleOp, vector::MaskedLoadOp,
                vector::MaskedStoreOp, vector::ReductionOp, vector::BitCastOp,
                vector::InterleaveOp, vector::DeinterleaveOp, vector::StepOp>(
               op);
  }

  LogicalResult apply(Operation *root,
                      llvm::function_ref<void(RewritePatternSet &)> populate) {
    RewritePatternSet patterns(&getContext());
    populate(patterns);
    return applyPatternsGreedily(root, std::move(patterns));
  }
};

} // namespace
