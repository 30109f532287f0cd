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

void onnxc::buildSchedulePipeline(OpPassManager &pm,
                                  const ScheduleOptions &options) {
  if (options.optLevel == 0)
    return;
  if (options.optLevel >= 2) {
    FormIntegerDotsPassOptions dots;
    dots.vectorBytes = options.vectorBytes;
    dots.dotGroup = options.dotGroup;
    pm.addNestedPass<func::FuncOp>(createFormIntegerDotsPass(dots));
    FormBlockMatmulsPassOptions blocks;
    blocks.vectorBytes = options.vectorBytes;
    // Pairs of 16 bits came with AVX2 and, of 512 bits, with AVX-512.
    blocks.permutes = options.dotGroup != 1 && options.vectorBytes == 64;
    pm.addNestedPass<func::FuncOp>(createFormBlockMatmulsPass(blocks));
    pm.addNestedPass<func::FuncOp>(createSinkTransposesPass());
    FormConvolutionsPassOptions form;
    form.vectorBytes = options.vectorBytes;
    form.registers = options.registers;
    pm.addNestedPass<func::FuncOp>(createFormConvolutionsPass(form));
    FormPoolsPassOptions pools;
    pools.vectorBytes = options.vectorBytes;
    pm.addNestedPass<func::FuncOp>(createFormPoolsPass(pools));
    pm.addNestedPass<func::FuncOp>(createPropagateBlocksPass());
    pm.addPass(createCanonicalizerPass());
  }
  pm.addNestedPass<func::FuncOp>(createFuseElementwisePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (options.optLevel >= 2) {
    FormMatmulsPassOptions matmuls;
    matmuls.vectorBytes = options.vectorBytes;
    matmuls.registers = options.registers;
    pm.addNestedPass<func::FuncOp>(createFormMatmulsPass(matmuls));
    // What sums start from is an elementwise op now.
    pm.addNestedPass<func::FuncOp>(createFuseElementwisePass());
    pm.addNestedPass<func::FuncOp>(createFuseEpiloguesPass());
    pm.addNestedPass<func::FuncOp>(createFoldColumnsPass());
    pm.addNestedPass<func::FuncOp>(createFlushSubnormalsPass());
    FormLookupsPassOptions lookups;
    lookups.permutes = options.permutesBytes;
    pm.addNestedPass<func::FuncOp>(createFormLookupsPass(lookups));
    DivideOncePassOptions divide;
    // Fused multiply-adds came with 256-bit vectors of integers.
    divide.fma = options.dotGroup != 1 && options.vectorBytes >= 32;
    pm.addNestedPass<func::FuncOp>(createDivideOncePass(divide));
    pm.addNestedPass<func::FuncOp>(createPadDestinationsPass());
    FuseRowsPassOptions rows;
    rows.vectorBytes = options.vectorBytes;
    pm.addNestedPass<func::FuncOp>(createFuseRowsPass(rows));
    BlockAttentionPassOptions attention;
    attention.vectorBytes = options.vectorBytes;
    attention.registers = options.registers;
    pm.addNestedPass<func::FuncOp>(createBlockAttentionPass(attention));
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }
  pm.addNestedPass<func::FuncOp>(createUnfoldConvolutionsPass());
  // After fusion: a collapsed op is fused with no other.
  pm.addNestedPass<func::FuncOp>(createCollapseLoopsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  SelectSchedulePassOptions select;
  select.vectorBytes = options.vectorBytes;
  select.registers = options.registers;
  pm.addNestedPass<func::FuncOp>(createSelectSchedulePass(select));
  VerifySchedulePassOptions verify;
  verify.vectorBytes = options.vectorBytes;
  pm.addNestedPass<func::FuncOp>(createVerifySchedulePass(verify));
}

void onnxc::buildVectorizePipeline(OpPassManager &pm,
                                   const ScheduleOptions &options) {
  pm.addPass(createShareKernelsPass());
  if (options.optLevel == 0)
    return;
  if (options.optLevel >= 2) {
    EmitKernelsPassOptions kernels;
    kernels.vectorBytes = options.vectorBytes;
    kernels.registers = options.registers;
    pm.addNestedPass<func::FuncOp>(createEmitKernelsPass(kernels));
  }
  VectorizePassOptions vectorize;
  vectorize.vectorBytes = options.vectorBytes;
  vectorize.registers = options.registers;
  vectorize.parallel = options.optLevel >= 2;
  vectorize.remarks = options.remarks;
  pm.addNestedPass<func::FuncOp>(createVectorizePass(vectorize));
  pm.addPass(createLowerLookupsPass());
  pm.addPass(createLiftScratchPass());
}
