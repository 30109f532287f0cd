//===- Pipeline.h - The schedule stage --------------------------*- C++ -*-===//
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
  Option<int64_t> vectorBytes{
      *this, "vector-bytes",
      llvm::cl::desc("Width of a vector register of the target in bytes"),
      llvm::cl::init(32)};
  Option<int64_t> registers{
      *this, "registers",
      llvm::cl::desc("Number of vector registers of the target"),
      llvm::cl::init(16)};
  Option<int64_t> dotGroup{
      *this, "dot-group",
      llvm::cl::desc("Bytes that one lane of the target multiplies and adds at "
                     "once: 4 with VNNI, 2 by pairs of 16 bits, else 1"),
      llvm::cl::init(1)};
  Option<bool> permutesBytes{
      *this, "permutes-bytes",
      llvm::cl::desc("The target permutes the bytes of two registers at once"),
      llvm::cl::init(false)};
  Option<bool> remarks{*this, "remarks",
                       llvm::cl::desc("Say why an op stays a scalar loop"),
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
