//===- Runtime.cpp - The runtime that the compiler carries ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

// RuntimeBlobs.c.
extern "C" {
#define ARCHITECTURE(ARCH, BACKEND, BASELINE, FEATURES, MACHINE, FLAGS,        \
                     EMULATION, GLIBC, SYMBOLS)                                \
  extern const unsigned char onnxc_runtime_##ARCH[];                           \
  extern const size_t onnxc_runtime_##ARCH##_size;                             \
  extern const unsigned char onnxc_runtime_##ARCH##_objects[];                 \
  extern const size_t onnxc_runtime_##ARCH##_objects_size;
#define SYSTEM_RUNTIME(ARCH, OS, NAME, TESTED)                                 \
  extern const unsigned char onnxc_runtime_##ARCH##_##NAME[];                  \
  extern const size_t onnxc_runtime_##ARCH##_##NAME##_size;
#include "onnxc/Target/Architectures.def"
}

using namespace mlir;

namespace onnxc {

static llvm::StringRef asText(const unsigned char *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

llvm::StringRef getRuntimeBitcode(const llvm::Triple &triple) {
#define SYSTEM_RUNTIME(ARCH, OS, NAME, TESTED)                                 \
  if (triple.getArch() == llvm::Triple::ARCH &&                                \
      (triple.getOS() == llvm::Triple::OS ||                                   \
       (llvm::Triple::OS == llvm::Triple::MacOSX && triple.isMacOSX())))       \
    return asText(onnxc_runtime_##ARCH##_##NAME,                               \
                  onnxc_runtime_##ARCH##_##NAME##_size);
#include "onnxc/Target/Architectures.def"
  switch (triple.getArch()) {
#define ARCHITECTURE(ARCH, BACKEND, BASELINE, FEATURES, MACHINE, FLAGS,        \
                     EMULATION, GLIBC, SYMBOLS)                                \
  case llvm::Triple::ARCH:                                                     \
    return asText(onnxc_runtime_##ARCH, onnxc_runtime_##ARCH##_size);
#include "onnxc/Target/Architectures.def"
  default:
    return {};
  }
}

llvm::StringRef getRuntimeArchive(const llvm::Triple &triple) {
  switch (triple.getArch()) {
#define ARCHITECTURE(ARCH, BACKEND, BASELINE, FEATURES, MACHINE, FLAGS,        \
                     EMULATION, GLIBC, SYMBOLS)                                \
  case llvm::Triple::ARCH:                                                     \
    return asText(onnxc_runtime_##ARCH##_objects,                              \
                  onnxc_runtime_##ARCH##_objects_size);
#include "onnxc/Target/Architectures.def"
  default:
    return {};
  }
}

/// The names of the runtime's functions there.
static FailureOr<llvm::StringSet<>> listRuntime(ModuleOp module,
                                                const llvm::Triple &triple) {
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> runtime =
      llvm::getLazyBitcodeModule(
          llvm::MemoryBufferRef(getRuntimeBitcode(triple), "runtime"), context);
  if (!runtime)
    return module.emitError() << "the runtime's bitcode cannot be read: "
                              << llvm::toString(runtime.takeError());
  llvm::StringSet<> names;
  for (llvm::Function &function : **runtime)
    if (!function.isDeclaration())
      names.insert(function.getName());
  return names;
}

LogicalResult checkRuntimeCalls(ModuleOp module, StringRef system) {
  FailureOr<llvm::StringSet<>> known =
      listRuntime(module, llvm::Triple(TargetAttr::of(module).getTriple()));
  if (failed(known))
    return failure();
  WalkResult result = module.walk([&](LLVM::CallOp call) {
    StringRef callee = call.getCallee().value_or("");
    if (!callee.starts_with("onnxc_rt_") || known->contains(callee))
      return WalkResult::advance();
    call.emitError() << "calls " << callee << " of the runtime, which code for "
                     << system << " does not have";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace onnxc
