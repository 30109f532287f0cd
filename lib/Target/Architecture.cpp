//===- Architecture.cpp - What differs between architectures --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Architecture.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

static constexpr onnxc::Architecture architectures[] = {
#define ARCHITECTURE(ARCH, BACKEND, BASELINE, MACHINE, EMULATION, GLIBC,       \
                     SYMBOLS)                                                  \
  {Triple::ARCH, BASELINE, ELF::MACHINE, EMULATION, GLIBC, SYMBOLS},
#include "onnxc/Target/Architectures.def"
};

const onnxc::Architecture *onnxc::findArchitecture(const Triple &triple) {
  const auto *found = find_if(architectures, [&](const Architecture &row) {
    return row.arch == triple.getArch();
  });
  return found == std::end(architectures) ? nullptr : found;
}

const onnxc::Architecture &onnxc::getArchitecture(const Triple &triple) {
  const Architecture *found = findArchitecture(triple);
  assert(found && "makeTarget refuses other architectures");
  return *found;
}

ArrayRef<StringLiteral> onnxc::getCheckableFeatures(const Triple &triple) {
  static constexpr StringLiteral x86[] = {
#define X86_FEATURE(NAME, LEAF, SUBLEAF, REGISTER, BIT, STATE) NAME,
#include "onnxc/Runtime/CpuFeatures.def"
  };
  static constexpr StringLiteral aarch64[] = {
#define AARCH64_FEATURE(NAME, ENTRY, BIT) NAME,
#include "onnxc/Runtime/CpuFeatures.def"
  };
  switch (triple.getArch()) {
  case Triple::x86_64:
    return x86;
  case Triple::aarch64:
    return aarch64;
  default:
    return {};
  }
}
