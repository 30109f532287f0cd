//===- Extra.cpp - The part of the runtime that needs libraries -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extra.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/TargetParser/Host.h"

// RuntimeExtraBlob.c.
extern "C" const unsigned char onnxc_runtime_extra[];
extern "C" const size_t onnxc_runtime_extra_size;
extern "C" const char onnxc_runtime_extra_libraries[];

using namespace mlir;

namespace onnxc {

bool isExtraFunction(StringRef name) {
  return name.starts_with("onnxc_extra_");
}

LogicalResult checkExtraTarget(ModuleOp module, StringRef function,
                               const llvm::Triple &triple) {
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  if (triple.getArch() == host.getArch() && triple.isOSLinux() &&
      triple.isMusl() == host.isMusl())
    return success();
  return module.emitError()
         << "the model has an operator that needs libraries of the system ("
         << function << "), which this onnxc has for " << host.str()
         << " alone, not for " << triple.str();
}

StringRef getExtraArchive() {
  return {reinterpret_cast<const char *>(onnxc_runtime_extra),
          onnxc_runtime_extra_size};
}

SmallVector<StringRef> getExtraLibraries() {
  SmallVector<StringRef> libraries;
  StringRef(onnxc_runtime_extra_libraries).split(libraries, ':');
  return libraries;
}

} // namespace onnxc
