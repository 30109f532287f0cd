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
#define FREESTANDING_ARCHITECTURE(ARCH, BACKEND, BASELINE, FEATURES)           \
  {Triple::ARCH, BASELINE, FEATURES, EM_NONE, 0, "", 0, ""},
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

/// macOS has two names there.
static Triple::OSType getSystem(const Triple &triple) {
  return triple.isMacOSX() ? Triple::MacOSX : triple.getOS();
}

ArrayRef<onnxc::SystemRuntime> onnxc::getSystemRuntimes() {
  static constexpr SystemRuntime rows[] = {
#define SYSTEM_RUNTIME(ARCH, OS, NAME, TESTED)                                 \
  {Triple::ARCH, Triple::OS, TESTED},
#include "onnxc/Target/Architectures.def"
  };
  return rows;
}

const onnxc::SystemRuntime *onnxc::findSystemRuntime(const Triple &triple) {
  const auto *found =
      find_if(getSystemRuntimes(), [&](const SystemRuntime &row) {
        return row.arch == triple.getArch() && row.os == getSystem(triple);
      });
  return found == getSystemRuntimes().end() ? nullptr : found;
}

SmallVector<std::string> onnxc::SystemRuntime::getTriples() const {
  std::string name = Triple::getArchTypeName(arch).str();
  if (os == Triple::MacOSX)
    return {(arch == Triple::aarch64 ? "arm64" : name) + "-apple-macos"};
  return {name + "-pc-windows-msvc", name + "-w64-mingw32"};
}

std::string onnxc::listTriples() {
  SmallVector<std::string> names;
  for (const Architecture &row : architectures) {
    if (row.isFreestandingOnly())
      continue;
    if (row.isWebAssembly()) {
      names.push_back("wasm32-unknown-unknown");
      continue;
    }
    for (StringRef environment : {"gnu", "musl"})
      names.push_back(
          (Triple::getArchTypeName(row.arch) + "-linux-" + environment).str());
  }
  for (const SystemRuntime &row : getSystemRuntimes())
    append_range(names, row.getTriples());
  return join(ArrayRef(names).drop_back(), ", ") + " or " + names.back();
}

std::string onnxc::listFreestandingTriples() {
  SmallVector<std::string> names;
  for (const Architecture &row : architectures) {
    if (row.isWebAssembly())
      continue;
    names.push_back(
        (Triple::getArchTypeName(row.arch) + "-none-" +
         (row.arch == Triple::arm || row.arch == Triple::thumb ? "eabi"
                                                               : "elf"))
            .str());
  }
  return join(ArrayRef(names).drop_back(), ", ") + " or " + names.back();
}

ArrayRef<onnxc::SystemLevel> onnxc::getSystemLevels(const Triple &triple) {
  static constexpr SystemLevel rows[] = {
#define SYSTEM_LEVEL(ARCH, OS, NAME, PURPOSE)                                  \
  {Triple::ARCH, Triple::OS, NAME, LevelPurpose::PURPOSE},
#include "onnxc/Target/Architectures.def"
  };
  auto isOfTriple = [&](const SystemLevel &row) {
    return row.arch == triple.getArch() && row.os == getSystem(triple);
  };
  return ArrayRef(rows).drop_until(isOfTriple).take_while(isOfTriple);
}

onnxc::Baseline onnxc::getBaseline(const Triple &triple) {
  struct SubArchitecture {
    Triple::ArchType arch;
    Triple::SubArchType sub;
    StringLiteral cpu, features;
  };
  static constexpr SubArchitecture rows[] = {
#define SUBARCHITECTURE(ARCH, SUB, BASELINE, FEATURES)                         \
  {Triple::ARCH, Triple::SUB, BASELINE, FEATURES},
#include "onnxc/Target/Architectures.def"
  };
  ArrayRef<SystemLevel> levels = getSystemLevels(triple);
  if (!levels.empty())
    return {levels.front().name.str(), ""};
  const Architecture &architecture = getArchitecture(triple);
  Baseline baseline{architecture.baseline.str(), architecture.features.str()};
  for (const SubArchitecture &row : rows)
    if (row.arch == triple.getArch() && row.sub == triple.getSubArch())
      baseline = {row.cpu.str(), row.features.str()};
  const HardFloat *floats = findHardFloat(triple);
  if (floats && triple.getEnvironment() != Triple::EABIHF &&
      !floats->otherwise.empty())
    baseline.features +=
        (baseline.features.empty() ? "" : ",") + floats->otherwise.str();
  return baseline;
}

const onnxc::HardFloat *onnxc::findHardFloat(const Triple &triple) {
  static constexpr HardFloat rows[] = {
#define HARD_FLOAT(ARCH, FEATURES, OTHERWISE)                                  \
  {Triple::ARCH, FEATURES, OTHERWISE},
#include "onnxc/Target/Architectures.def"
  };
  const auto *found = find_if(
      rows, [&](const HardFloat &row) { return row.arch == triple.getArch(); });
  return found == std::end(rows) ? nullptr : found;
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
