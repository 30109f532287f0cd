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
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/DialectConversion.h"

namespace onnxc {
#define GEN_PASS_DEF_CONVERTFUNCTIONS
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

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
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    cf::populateAssertToLLVMConversionPattern(converter, patterns,
                                              /*abortOnFailure=*/true,
                                              &symbols);
    LLVMConversionTarget target(*context);
    // Nothing is illegal, so that nothing is ever taken back: a fifth of the time
    // of a conversion is the record of how.
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
