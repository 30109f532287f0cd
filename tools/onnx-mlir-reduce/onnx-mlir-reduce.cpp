//===- onnx-mlir-reduce.cpp - Shrinks a failing module --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// mlir-reduce with onnxc's dialect and passes: makes a module that fails a
// script smaller while it still fails.
//
//===----------------------------------------------------------------------===//

#include "StandardOutput.h"
#include "ToolMains.h"

#include "onnxc/Pipelines/Registration.h"
#include "onnxc/Support/Diagnostics.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int onnx_mlir_reduce_main(int argc, char **argv) {
  onnxc::setCrashText();
  onnxc::reportOutputErrors();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllPasses();
  onnxc::registerAllDialects(registry);
  onnxc::registerAllPasses();
  mlir::MLIRContext context(registry);
  return failed(mlir::mlirReduceMain(argc, argv, context));
}
