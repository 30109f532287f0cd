//===- Runtime.cpp - The runtime that the compiler carries ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

// RuntimeBlobs.c.
extern "C" {
#define ARCHITECTURE(ARCH, BACKEND, BASELINE, FEATURES, MACHINE, FLAGS,        \
                     EMULATION, GLIBC, SYMBOLS)                                \
  extern const unsigned char onnxc_runtime_##ARCH[];                           \
  extern const size_t onnxc_runtime_##ARCH##_size;                             \
  extern const unsigned char onnxc_runtime_##ARCH##_objects[];                 \
  extern const size_t onnxc_runtime_##ARCH##_objects_size;
#include "onnxc/Target/Architectures.def"
}

namespace onnxc {

static llvm::StringRef asText(const unsigned char *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

llvm::StringRef getRuntimeBitcode(const llvm::Triple &triple) {
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

} // namespace onnxc
