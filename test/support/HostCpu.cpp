//===- HostCpu.cpp - Another processor than the machine's -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Preloaded in front of LLVM's shared library, these functions answer with the
// processor that ONNXC_TEST_CPU names: --mcpu=native is that one (utils/as-cpu.sh).
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

#include <cstdlib>

llvm::StringRef llvm::sys::getHostCPUName() {
  const char *name = std::getenv("ONNXC_TEST_CPU");
  return name ? name : "generic";
}

/// Those of the processor's name, no more and no fewer.
llvm::StringMap<bool> llvm::sys::getHostCPUFeatures() { return {}; }
