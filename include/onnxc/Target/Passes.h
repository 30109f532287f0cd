//===- Passes.h - The target of a module ---------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TARGET_PASSES_H
#define ONNXC_TARGET_PASSES_H

#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace onnxc {

#define GEN_PASS_DECL
#include "onnxc/Target/Passes.h.inc"

} // namespace onnxc

#endif // ONNXC_TARGET_PASSES_H
