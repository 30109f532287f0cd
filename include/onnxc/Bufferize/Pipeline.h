//===- Pipeline.h - The bufferize stage ----------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_BUFFERIZE_PIPELINE_H
#define ONNXC_BUFFERIZE_PIPELINE_H

#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace onnxc {

struct BufferizeOptions : mlir::PassPipelineOptions<BufferizeOptions> {
  // What the vectorizer, which works on buffers, depends on. The library
  // itself does not look at these.
  Option<unsigned> optLevel{
      *this, "opt-level",
      llvm::cl::desc("0: plain loops in ONNX's order; 1: vector code"),
      llvm::cl::init(1)};
  Option<bool> remarks{*this, "remarks",
                       llvm::cl::desc("Say why an op stays a scalar loop"),
                       llvm::cl::init(false)};
  Option<bool> plainKernels{
      *this, "plain-kernels",
      llvm::cl::desc("Scalar loops for kernels, to compare with"),
      llvm::cl::init(false)};
  Option<bool> profile{
      *this, "profile",
      llvm::cl::desc("Have the model note when the work for each node runs"),
      llvm::cl::init(false)};
  Option<bool> separateBuffers{
      *this, "separate-buffers",
      llvm::cl::desc("Allocate every temporary by itself, and plan no arena: "
                     "for sanitizers"),
      llvm::cl::init(false)};
  Option<bool> recordPlan{
      *this, "record-plan",
      llvm::cl::desc("Leave the plan of the memory on the module"),
      llvm::cl::init(false)};
  Option<int64_t> minWeightBytes{
      *this, "min-weight-bytes",
      llvm::cl::desc("Smaller constants stay constants of the program"),
      llvm::cl::init(256)};
};

/// Tensors to buffers: C calling convention, one-shot bufferization, loops for
/// what the schedule stage left, weights and temporaries placed, checks as
/// early returns.
/// In: linalg/tensor/scf on tensors, entry marked `onnxc.entry`.
/// Out: memref/vector/scf/cf without tensors; see `onnxc-verify-buffers`.
/// `addVectorize` adds the passes that turn scheduled structured ops on buffers
/// into vector code; without it, all of them become plain loops.
/// `addMergeEqual` adds what makes one op of equal structured ops on tensors.
void buildBufferizePipeline(
    mlir::OpPassManager &pm, const BufferizeOptions &options,
    llvm::function_ref<void(mlir::OpPassManager &)> addVectorize,
    llvm::function_ref<void(mlir::OpPassManager &)> addMergeEqual);

/// The external interface models that the stage relies on. The stage's first
/// pass registers them too; a driver needs the call only to run passes alone.
void registerBufferizeInterfaces(mlir::DialectRegistry &registry);

} // namespace onnxc

#endif // ONNXC_BUFFERIZE_PIPELINE_H
