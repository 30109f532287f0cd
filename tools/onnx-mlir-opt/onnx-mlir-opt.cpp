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

#include "StandardOutput.h"
#include "ToolMains.h"

#include "onnxc/Pipelines/Registration.h"
#include "onnxc/Support/Diagnostics.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

/// Where LLVM and MLIR are inside libonnxc, a plugin would bring its own, and
/// what it registers there would be lost.
[[maybe_unused]] static bool refusesPlugins(int argc, char **argv) {
  for (llvm::StringRef argument :
       llvm::ArrayRef<const char *>(argv, argc).drop_front()) {
    llvm::StringRef option = argument.ltrim('-').split('=').first;
    if (!argument.starts_with("-") ||
        (option != "load-pass-plugin" && option != "load-dialect-plugin"))
      continue;
    llvm::errs()
        << "onnx-mlir-opt: --" << option
        << ": plugins share LLVM and MLIR with their program, and this "
           "onnxc has them inside; expected one that was built with "
           "ONNXC_LINK_DYLIB=ON\n";
    return true;
  }
  return false;
}

int onnx_mlir_opt_main(int argc, char **argv) {
#ifdef ONNXC_STATIC_LLVM
  if (refusesPlugins(argc, argv))
    return 2;
#endif
  onnxc::setCrashText();
  onnxc::reportOutputErrors();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  onnxc::registerAllDialects(registry);
  onnxc::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "onnxc's pass driver\n", registry));
}
