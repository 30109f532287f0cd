//===- Pipeline.h - The schedule stage ------------------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SCHEDULE_PIPELINE_H
#define ONNXC_SCHEDULE_PIPELINE_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace onnxc {

struct ScheduleOptions : mlir::PassPipelineOptions<ScheduleOptions> {
  Option<unsigned> optLevel{
      *this, "opt-level",
      llvm::cl::desc("0: plain loops in ONNX's order; 1: fused and vectorized"),
      llvm::cl::init(1)};
  Option<bool> remarks{*this, "remarks",
                       llvm::cl::desc("Say why an op stays a scalar loop"),
                       llvm::cl::init(false)};
  Option<bool> winograd{
      *this, "winograd",
      llvm::cl::desc("Allow Winograd's filtering of convolutions where its "
                     "rounding errors are small"),
      llvm::cl::init(true)};
  Option<std::string> tuning{
      *this, "tuning",
      llvm::cl::desc("A file of onnxc tune; empty: all decisions by estimate"),
      llvm::cl::init("")};
  Option<bool> plainKernels{
      *this, "plain-kernels",
      llvm::cl::desc("Scalar loops for kernels, to compare with"),
      llvm::cl::init(false)};
};

/// On tensors: fuse, collapse, decide. Empty at level 0.
void buildSchedulePipeline(mlir::OpPassManager &pm,
                           const ScheduleOptions &options);

/// On buffers, inside the bufferize stage: turn the decisions into vector code.
/// Empty at level 0. See docs/decisions/005-vectorize-on-buffers.md.
void buildVectorizePipeline(mlir::OpPassManager &pm,
                            const ScheduleOptions &options);

} // namespace onnxc

#endif // ONNXC_SCHEDULE_PIPELINE_H
