//===- Architecture.cpp - What differs between architectures --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Architecture.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;
using namespace llvm::ELF;

static constexpr onnxc::Architecture architectures[] = {
#define ARCHITECTURE(ARCH, BACKEND, BASELINE, FEATURES, MACHINE, FLAGS,        \
                     EMULATION, GLIBC, SYMBOLS)                                \
  {Triple::ARCH, BASELINE, FEATURES, MACHINE, FLAGS, EMULATION, GLIBC, SYMBOLS},
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

std::string onnxc::listTriples() {
  SmallVector<std::string> names;
  for (const Architecture &row : architectures)
    for (StringRef environment : {"gnu", "musl"})
      names.push_back(
          (Triple::getArchTypeName(row.arch) + "-linux-" + environment).str());
  return join(ArrayRef(names).drop_back(), ", ") + " or " + names.back();
}

ArrayRef<onnxc::CheckableFeature>
onnxc::getCheckableFeatures(const Triple &triple) {
  static constexpr CheckableFeature rows[] = {
#define CPU_FEATURE(ARCH, NAME, DECODED_BY) {Triple::ARCH, NAME, DECODED_BY},
#include "onnxc/Runtime/CpuFeatures.def"
  };
  auto isOfTriple = [&](const CheckableFeature &row) {
    return row.arch == triple.getArch();
  };
  return ArrayRef(rows).drop_until(isOfTriple).take_while(isOfTriple);
}
