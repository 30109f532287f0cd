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
extern const unsigned char onnxc_runtime_x86_64[];
extern const size_t onnxc_runtime_x86_64_size;
extern const unsigned char onnxc_runtime_x86_64_objects[];
extern const size_t onnxc_runtime_x86_64_objects_size;
extern const unsigned char onnxc_runtime_aarch64[];
extern const size_t onnxc_runtime_aarch64_size;
extern const unsigned char onnxc_runtime_aarch64_objects[];
extern const size_t onnxc_runtime_aarch64_objects_size;
}

namespace onnxc {

static llvm::StringRef asText(const unsigned char *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

llvm::StringRef getRuntimeBitcode(const llvm::Triple &triple) {
  return triple.getArch() == llvm::Triple::x86_64
             ? asText(onnxc_runtime_x86_64, onnxc_runtime_x86_64_size)
             : asText(onnxc_runtime_aarch64, onnxc_runtime_aarch64_size);
}

llvm::StringRef getRuntimeArchive(const llvm::Triple &triple) {
  return triple.getArch() == llvm::Triple::x86_64
             ? asText(onnxc_runtime_x86_64_objects,
                      onnxc_runtime_x86_64_objects_size)
             : asText(onnxc_runtime_aarch64_objects,
                      onnxc_runtime_aarch64_objects_size);
}

} // namespace onnxc
