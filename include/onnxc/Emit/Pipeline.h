//===- Pipeline.h - The llvm stage ---------------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_EMIT_PIPELINE_H
#define ONNXC_EMIT_PIPELINE_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace onnxc {

struct LLVMOptions : mlir::PassPipelineOptions<LLVMOptions> {
  Option<unsigned> optLevel{
      *this, "opt-level",
      llvm::cl::desc("0: libm for every function; from 1 on: polynomials"),
      llvm::cl::init(1)};
};

/// Everything that the bufferize stage leaves (func, cf, scf, memref, vector,
/// arith, math, index, ub, complex, affine, linalg on buffers) to the llvm
/// dialect. No runtime library of MLIR is called; scalar functions come from
/// libm.
void buildLLVMPipeline(mlir::OpPassManager &pm, const LLVMOptions &options);

} // namespace onnxc

#endif // ONNXC_EMIT_PIPELINE_H
