//===- ConvertArithmetic.cpp - Arithmetic to the llvm dialect -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Emit/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace onnxc {
#define GEN_PASS_DEF_CONVERTARITHMETIC
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Lanes of a vector are counted by 32 bits where masks are made.
constexpr bool has32BitLanes = true;

class ConvertArithmetic final
    : public onnxc::impl::ConvertArithmeticBase<ConvertArithmetic> {
public:
  using ConvertArithmeticBase::ConvertArithmeticBase;

  void runOnOperation() override {
    if (failed(simplifyVectors()) || failed(convert()))
      signalPassFailure();
  }

private:
  LogicalResult simplifyVectors();
  LogicalResult convert();
};

/// Brings vector ops to those that have a counterpart. Nothing but these is
/// visited.
LogicalResult ConvertArithmetic::simplifyVectors() {
  SmallVector<Operation *> ops;
  getOperation()->walk([&](Operation *op) {
    if (isa_and_nonnull<vector::VectorDialect>(op->getDialect()))
      ops.push_back(op);
  });
  if (ops.empty())
    return success();
  // The last of the list is rewritten first: what makes a value, then its
  // users.
  std::reverse(ops.begin(), ops.end());
  RewritePatternSet patterns(&getContext());
  vector::populateVectorToVectorCanonicalizationPatterns(patterns);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorContractLoweringPatterns(
      patterns, vector::VectorContractLowering::Dot);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(
      patterns, vector::VectorTransposeLowering::EltWise);
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  vector::populateVectorMaskMaterializationPatterns(patterns, has32BitLanes);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorRankReducingFMAPattern(patterns);
  vector::populateVectorGatherLoweringPatterns(patterns);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  vector::populateVectorToElementsUnrollPatterns(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(ops, std::move(patterns), config);
}

LogicalResult ConvertArithmetic::convert() {
  MLIRContext *context = &getContext();
  LLVMTypeConverter converter(context, LowerToLLVMOptions(context));
  RewritePatternSet patterns(context);
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false);
  populateComplexToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  vector::populateVectorTransferLoweringPatterns(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         reassociateFPReductions, has32BitLanes,
                                         /*useVectorAlignment=*/false);
  LLVMConversionTarget target(*context);
  target.addLegalDialect<memref::MemRefDialect>();
  // Nothing is illegal, so that nothing is ever taken back: a fifth of the time
  // of a conversion is the record of how.
  ConversionConfig config;
  config.allowPatternRollback = false;
  return applyPartialConversion(getOperation(), target, std::move(patterns),
                                config);
}

} // namespace
