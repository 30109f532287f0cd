//===- Pipeline.cpp - The schedule stage ----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Schedule/Pipeline.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Whether a kernel that there is no vector code for is an error.
#ifdef NDEBUG
static constexpr bool kStrictKernels = false;
#else
static constexpr bool kStrictKernels = true;
#endif

void onnxc::buildSchedulePipeline(OpPassManager &pm,
                                  const ScheduleOptions &options) {
  if (options.optLevel == 0)
    return;
  if (!options.tuning.empty())
    pm.addPass(createReadTuningPass({options.tuning}));
  if (options.optLevel >= 2) {
    FormIntegerDotsPassOptions dots;
    dots.winograd = options.winograd;
    pm.addNestedPass<func::FuncOp>(createFormIntegerDotsPass(dots));
    pm.addNestedPass<func::FuncOp>(createFormBlockDotsPass());
    pm.addNestedPass<func::FuncOp>(createFormBlockMatmulsPass());
    pm.addNestedPass<func::FuncOp>(createSinkTransposesPass());
    pm.addNestedPass<func::FuncOp>(createSplitPhasesPass());
    PointwiseProductsPassOptions products;
    products.alone = true;
    pm.addNestedPass<func::FuncOp>(createPointwiseProductsPass(products));
    FormConvolutionsPassOptions convolutions;
    convolutions.winograd = options.winograd;
    pm.addNestedPass<func::FuncOp>(createFormConvolutionsPass(convolutions));
    // What no kernel of convolutions takes.
    pm.addNestedPass<func::FuncOp>(createPointwiseProductsPass());
    pm.addNestedPass<func::FuncOp>(createFormPoolsPass());
    pm.addNestedPass<func::FuncOp>(createPropagateBlocksPass());
    pm.addPass(createCanonicalizerPass());
  }
  pm.addNestedPass<func::FuncOp>(createFuseElementwisePass());
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createMergeEqualPass());
  if (options.optLevel >= 2) {
    pm.addNestedPass<func::FuncOp>(createFormMatmulsPass());
    // What sums start from is an elementwise op now.
    pm.addNestedPass<func::FuncOp>(createFuseElementwisePass());
    pm.addNestedPass<func::FuncOp>(createFuseEpiloguesPass());
    pm.addNestedPass<func::FuncOp>(createFoldColumnsPass());
    pm.addNestedPass<func::FuncOp>(createFlushSubnormalsPass());
    pm.addNestedPass<func::FuncOp>(createFormLookupsPass());
    pm.addNestedPass<func::FuncOp>(createWidenImagesPass());
    pm.addNestedPass<func::FuncOp>(createDivideOncePass());
    pm.addNestedPass<func::FuncOp>(createPadDestinationsPass());
    pm.addNestedPass<func::FuncOp>(createFuseRowsPass());
    pm.addNestedPass<func::FuncOp>(createFlattenRowsPass());
    pm.addNestedPass<func::FuncOp>(createBlockAttentionPass());
    pm.addNestedPass<func::FuncOp>(createFuseDepthwisePass());
    pm.addNestedPass<func::FuncOp>(createFuseWindowsPass());
    pm.addPass(createCanonicalizerPass());
    pm.addNestedPass<func::FuncOp>(createMergeEqualPass());
  }
  pm.addNestedPass<func::FuncOp>(createUnfoldConvolutionsPass());
  // After fusion: a collapsed op is fused with no other.
  pm.addNestedPass<func::FuncOp>(createCollapseLoopsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createMergeEqualPass());
  pm.addNestedPass<func::FuncOp>(createSelectSchedulePass());
  pm.addNestedPass<func::FuncOp>(createVerifySchedulePass());
  pm.addPass(createEndTuningPass());
}

void onnxc::buildVectorizePipeline(OpPassManager &pm,
                                   const ScheduleOptions &options) {
  pm.addPass(createShareCodePass());
  if (options.optLevel == 0)
    return;
  if (options.optLevel >= 2) {
    EmitKernelsPassOptions kernels;
    kernels.strict = kStrictKernels;
    kernels.plain = options.plainKernels;
    pm.addNestedPass<func::FuncOp>(createEmitKernelsPass(kernels));
  }
  VectorizePassOptions vectorize;
  vectorize.parallel = options.optLevel >= 2;
  vectorize.remarks = options.remarks;
  pm.addNestedPass<func::FuncOp>(createVectorizePass(vectorize));
  pm.addPass(createLowerLookupsPass());
  pm.addPass(createLiftScratchPass());
}
