//===- PeakMemory.cpp - The most memory this process had ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/PeakMemory.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <sys/resource.h>

using namespace llvm;

uint64_t onnxc::getPeakMemory() {
  constexpr StringLiteral key = "VmHWM:";
  // A file of the kernel says that it has no bytes.
  if (auto status = MemoryBuffer::getFileAsStream("/proc/self/status")) {
    StringRef text = (*status)->getBuffer();
    size_t at = text.find(key);
    uint64_t kibibytes;
    if (at != StringRef::npos &&
        !text.substr(at + key.size()).ltrim().consumeInteger(10, kibibytes))
      return kibibytes * 1024;
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}
