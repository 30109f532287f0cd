//===- Passes.h - From buffers to the llvm dialect ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_EMIT_PASSES_H
#define ONNXC_EMIT_PASSES_H

#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace onnxc {

#define GEN_PASS_DECL
#include "onnxc/Emit/Passes.h.inc"

} // namespace onnxc

#endif // ONNXC_EMIT_PASSES_H
