//===- onnx-mlir-opt.cpp - Runs passes on a module ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// mlir-opt with onnxc's dialect, passes and stage pipelines beside upstream's.
//
//===----------------------------------------------------------------------===//

#include "ToolMains.h"

#include "onnxc/Pipelines/Registration.h"
#include "onnxc/Support/Diagnostics.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int onnx_mlir_opt_main(int argc, char **argv) {
  onnxc::setCrashText();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  onnxc::registerAllDialects(registry);
  onnxc::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "onnxc's pass driver\n", registry));
}
