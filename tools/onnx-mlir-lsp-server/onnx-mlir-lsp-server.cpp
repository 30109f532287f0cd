//===- onnx-mlir-lsp-server.cpp - Language server -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What an editor starts to show types, definitions, and errors of .mlir files
// that use the onnx dialect.
//
//===----------------------------------------------------------------------===//

#include "StandardOutput.h"
#include "ToolMains.h"

#include "onnxc/Pipelines/Registration.h"
#include "onnxc/Support/Diagnostics.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int onnx_mlir_lsp_server_main(int argc, char **argv) {
  onnxc::setCrashText();
  onnxc::reportOutputErrors();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  onnxc::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
