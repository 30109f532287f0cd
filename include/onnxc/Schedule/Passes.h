//===- Passes.h - Loops, registers and vectors ---------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SCHEDULE_PASSES_H
#define ONNXC_SCHEDULE_PASSES_H

#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace onnxc {

#define GEN_PASS_DECL
#include "onnxc/Schedule/Passes.h.inc"

} // namespace onnxc

#endif // ONNXC_SCHEDULE_PASSES_H
