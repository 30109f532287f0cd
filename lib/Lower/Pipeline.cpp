//===- Pipeline.cpp - The stage onnxc-lower -------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Lower/Pipeline.h"

#include "onnxc/Lower/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

void onnxc::buildLowerPipeline(mlir::OpPassManager &pm,
                               const LowerOptions &options) {
  QuantizeActivationsOptions activations;
  activations.where = options.activationInt8;
  pm.addPass(createQuantizeActivations(activations));
  pm.addPass(createLowerToLinalg());
  // Sizes and checks that came out constant disappear before the loops are
  // scheduled around them; equal dims become one value, which fusion relies on.
  pm.addPass(mlir::createCanonicalizerPass());
  pm.addPass(mlir::createCSEPass());
  pm.addNestedPass<mlir::func::FuncOp>(createKeepLoopSizes());
  pm.addPass(mlir::createCSEPass());
  pm.addPass(createUseCheckedSizes());
  pm.addPass(mlir::createCanonicalizerPass());
  pm.addPass(createMergeChecks());
  pm.addPass(createVerifyLowered());
}
