//===- ToolContext.cpp - The MLIR context of a tool -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolContext.h"

#include "onnxc/Pipelines/Registration.h"

using namespace onnxc;

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  return registry;
}

ToolContext::ToolContext(mlir::MLIRContext::Threading threading)
    : context(makeRegistry(), threading) {
  context.printOpOnDiagnostic(false);
}
