//===- Pipeline.cpp - The bufferize stage ---------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Bufferize/Pipeline.h"
#include "SliceSubsets.h"
#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Support/RunWhere.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/MemRef/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/SubsetOpInterfaceImpl.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void onnxc::registerBufferizeInterfaces(DialectRegistry &registry) {
  // Before linalg's models, with which upstream's of slices come: the first
  // model of an op stays.
  registerSliceSubsets(registry);
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  func::registerInlinerExtension(registry);
  linalg::registerAllDialectInterfaceImplementations(registry);
  memref::registerBufferViewFlowOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
  vector::registerSubsetOpInterfaceExternalModels(registry);
}

/// Of functions, side by side: they are long once kernels are written out.
static void addCleanup(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  // What a rewrite leaves for another is done in the same round. A second one,
  // which visits every operation once more, finds next to nothing.
  functions.addPass(createCanonicalizerPass(
      GreedyRewriteConfig().setMaxIterations(1).setRegionSimplificationLevel(
          GreedySimplifyRegionLevel::Disabled)));
  functions.addPass(createCSEPass());
}

void onnxc::buildBufferizePipeline(
    OpPassManager &pm, const BufferizeOptions &options,
    llvm::function_ref<void(OpPassManager &)> addVectorize,
    llvm::function_ref<void(OpPassManager &)> addMergeEqual) {
  // Model functions become part of the entry: only then does one plan see all
  // temporaries.
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createCanonicalizerPass());
  addMergeEqual(pm);

  // Fix where inputs come from and where results go, then let producers write
  // there directly.
  pm.addPass(createBindAbiPass());
  OpPassManager &tensors = pm.nest<func::FuncOp>();
  tensors.addPass(createDecomposeInsertionsPass());
  tensors.addPass(createSeparateInitialValuesPass());
  tensors.addPass(createAllocateInsertedPass());
  tensors.addPass(createSeparateReadersPass());
  tensors.addPass(createAnchorLoopsPass());
  tensors.addPass(createSeparateResultsPass());
  tensors.addPass(createSeparateYieldedSlicesPass());
  tensors.addPass(createVerifyInitialValuesPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions oneShot;
  oneShot.bufferizeFunctionBoundaries = true;
  oneShot.allowReturnAllocsFromLoops = true;
  oneShot.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  oneShot.unknownTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(oneShot));
  // Before anything asks a view which dimensions it drops.
  pm.addNestedPass<func::FuncOp>(createSeparateDroppedDimsPass());
  // What is written in its place at once is copied from one view to another one
  // of the same memory: they become one value, and no kernel is made of it.
  pm.addPass(createCSEPass());
  if (options.profile)
    pm.addPass(createMarkRegionsPass());
  addVectorize(pm);
  addCleanup(pm);

  pm.addNestedPass<func::FuncOp>(createOwnBuffersPass());

  // What the schedule stage left as structured ops becomes plain loops.
  pm.addNestedPass<func::FuncOp>(runWhere<func::FuncOp>(
      [](Operation *op) { return isa<linalg::LinalgOp>(op); },
      createConvertLinalgToLoopsPass()));
  pm.addNestedPass<func::FuncOp>(createLowerCopiesPass());

  PlaceWeightsPassOptions weights;
  weights.minBytes = options.minWeightBytes;
  pm.addPass(createPlaceWeightsPass(weights));
  PlanMemoryPassOptions memory;
  memory.separate = options.separateBuffers;
  memory.record = options.recordPlan;
  pm.addPass(createPlanMemoryPass(memory));
  // After planning, which follows buffers to the ops that use them.
  OutlineParallelPassOptions parallel;
  parallel.remarks = options.remarks;
  pm.addPass(createOutlineParallelPass(parallel));
  // All loops are there, and what they are worth has been estimated.
  pm.addNestedPass<func::FuncOp>(createSkipIdleLoopsPass());
  pm.addNestedPass<func::FuncOp>(createLowerReshapesPass());
  pm.addPass(createLowerRuntimeCallsPass());
  // After planning: an early return may stand anywhere, since every
  // allocation belongs to the context.
  pm.addPass(createLowerChecksPass());
  addCleanup(pm);
  // Sizes are known as far as they ever will be.
  pm.addNestedPass<func::FuncOp>(createMoveEmptyViewsPass());
  pm.addPass(createVerifyBuffersPass());
}
