//===- ConvertFunctions.cpp - Functions to the llvm dialect ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Emit/Passes.h"

#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/DialectConversion.h"

namespace onnxc {
#define GEN_PASS_DEF_CONVERTFUNCTIONS
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// A size whose dimension is a number, which onnxc-convert-arithmetic left
/// behind a cast of types. Upstream's pattern does not see a constant there: it
/// writes all sizes to the stack, and reads one.
struct ConvertDim final : ConvertOpToLLVMPattern<memref::DimOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::DimOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<MemRefType>(op.getSource().getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "the rank is not known");
    Value index = op.getIndex();
    if (auto cast = index.getDefiningOp<UnrealizedConversionCastOp>();
        cast && cast.getInputs().size() == 1)
      index = cast.getInputs().front();
    std::optional<int64_t> dim = getConstantIntValue(index);
    if (!dim || *dim < 0 || *dim >= type.getRank() || !type.isDynamicDim(*dim))
      return rewriter.notifyMatchFailure(op, "no number of an open dimension");
    MemRefDescriptor source(adaptor.getSource());
    rewriter.replaceOp(op, source.size(rewriter, op.getLoc(), *dim));
    return success();
  }
};

class ConvertFunctions final
    : public onnxc::impl::ConvertFunctionsBase<ConvertFunctions> {
public:
  using ConvertFunctionsBase::ConvertFunctionsBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    auto &layouts = getAnalysis<DataLayoutAnalysis>();
    LowerToLLVMOptions options(context, layouts.getAtOrAbove(getOperation()));
    LLVMTypeConverter converter(context, options, &layouts);
    SymbolTableCollection symbols;
    RewritePatternSet patterns(context);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns,
                                                   &symbols);
    populateFuncToLLVMConversionPatterns(converter, patterns, &symbols);
    patterns.add<ConvertDim>(converter, /*benefit=*/2);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    cf::populateAssertToLLVMConversionPattern(converter, patterns,
                                              /*abortOnFailure=*/true,
                                              &symbols);
    LLVMConversionTarget target(*context);
    // Nothing is illegal, so that nothing is ever taken back: a fifth of the
    // time of a conversion is the record of how.
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
