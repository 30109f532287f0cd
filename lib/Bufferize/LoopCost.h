//===- LoopCost.h - What a parallel loop is worth ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_BUFFERIZE_LOOPCOST_H
#define ONNXC_LIB_BUFFERIZE_LOOPCOST_H

#include "onnxc/Support/IndexMath.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace onnxc {

/// About how many cycles an iteration of `loop` takes: what its attribute
/// `onnxc.work` says, else by counting, where the sizes of inner loops may be
/// values from outside of `loop`; what is known of them only inside is guessed.
/// At least 1. Code goes to the builder's place, in front of `loop`.
mlir::OpFoldResult estimateCycles(IndexMath build, mlir::scf::ForallOp loop);

} // namespace onnxc

#endif // ONNXC_LIB_BUFFERIZE_LOOPCOST_H
