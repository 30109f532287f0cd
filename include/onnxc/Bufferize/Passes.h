//===- Passes.h - From tensors to planned buffers ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_BUFFERIZE_PASSES_H
#define ONNXC_BUFFERIZE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace onnxc {

#define GEN_PASS_DECL
#include "onnxc/Bufferize/Passes.h.inc"

} // namespace onnxc

#endif // ONNXC_BUFFERIZE_PASSES_H
