//===- Pipeline.cpp - The llvm stage --------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Emit/Pipeline.h"

#include "onnxc/Emit/Passes.h"
#include "onnxc/Support/RunWhere.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// What ConvertMathToFuncs has functions for.
static bool isPower(Operation *op) {
  return isa<math::IPowIOp, math::FPowIOp>(op);
}

static bool isStructured(Operation *op) { return isa<linalg::LinalgOp>(op); }

static bool isExpanded(Operation *op) {
  return isa<memref::AtomicRMWOp, memref::ReshapeOp>(op);
}

/// All ops on buffers but those that read, write and make them.
static bool isView(Operation *op) {
  return isa_and_nonnull<memref::MemRefDialect>(op->getDialect()) &&
         !isa<memref::LoadOp, memref::StoreOp, memref::PrefetchOp,
              memref::AllocaOp, memref::GetGlobalOp>(op);
}

static bool isComplex(Operation *op) {
  return isa_and_nonnull<complex::ComplexDialect>(op->getDialect());
}

namespace onnxc {

void buildLLVMPipeline(OpPassManager &pm, const LLVMOptions &options) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  // A second round, which visits every operation once more, finds next to
  // nothing.
  GreedyRewriteConfig once;
  once.setMaxIterations(1).setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);

  // Structured ops on buffers to loops.
  functions.addPass(
      runWhere<func::FuncOp>(isStructured, createConvertLinalgToLoopsPass()));
  functions.addPass(createForallToForLoopPass());
  functions.addPass(createPromoteAccumulators());
  functions.addPass(createLowerVectors());

  // Views to pointers and strides. Twice affine: the sizes and offsets of views
  // are affine.apply.
  functions.addPass(
      runWhere<func::FuncOp>(isExpanded, memref::createExpandOpsPass()));
  functions.addPass(runWhere<func::FuncOp>(
      isView, memref::createExpandStridedMetadataPass()));
  functions.addPass(createLowerAffinePass());
  functions.addPass(createCanonicalizerPass(once));
  functions.addPass(createCSEPass());

  functions.addPass(createExpandBFloat16());
  LowerMathOptions math;
  math.approximate = options.optLevel > 0;
  pm.addPass(createLowerMath(math));
  pm.addPass(runWhere<ModuleOp>(isPower, createConvertMathToFuncs()));

  // What need not see the module is done to its functions side by side: they
  // are long, and every conversion reads all of them.
  OpPassManager &blocks = pm.nest<func::FuncOp>();
  blocks.addPass(createExpandFloat16());
  blocks.addPass(
      runWhere<func::FuncOp>(isComplex, createConvertComplexToStandardPass()));
  blocks.addPass(createSCFToControlFlowPass());
  ConvertArithmeticOptions arithmetic;
  arithmetic.reassociateFPReductions = options.optLevel > 0;
  blocks.addPass(createConvertArithmetic(arithmetic));
  if (options.optLevel > 0)
    blocks.addPass(createRecordOffsets());

  pm.addPass(createConvertFunctions());

  OpPassManager &converted = pm.nest<LLVM::LLVMFuncOp>();
  converted.addPass(createReconcileUnrealizedCastsPass());
  converted.addPass(createMoveBFloat16AsIntegers());
  if (options.optLevel > 0)
    converted.addPass(createMoveBooleansAsBytes());
  converted.addPass(createCanonicalizerPass(once));
  converted.addPass(createCSEPass());
  pm.addPass(createBoundStack());
  if (options.optLevel > 0)
    pm.addPass(createMergeFunctions());
}

} // namespace onnxc
