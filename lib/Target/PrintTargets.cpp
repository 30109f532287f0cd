//===- PrintTargets.cpp - What code can be made for -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Architecture.h"
#include "onnxc/Target/Levels.h"
#include "onnxc/Target/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace onnxc;

namespace {
/// A row of Architectures.def.
struct Tested {
  llvm::Triple::ArchType arch;
  llvm::StringLiteral how;
};
} // namespace

/// Which models have code for a level, if not all.
static StringRef describe(LevelPurpose purpose) {
  switch (purpose) {
  case LevelPurpose::Any:
    return "";
  case LevelPurpose::Integers:
    return " (8-bit)";
  case LevelPurpose::NarrowWeights:
    return " (floats by narrow weights)";
  }
  llvm_unreachable("not a purpose");
}

/// "x86-64-v3, x86-64-v3+avxvnni (8-bit)"
static std::string listPortableLevels(StringRef triple) {
  TargetOptions options;
  options.triple = triple.str();
  options.cpu = portableCpu.str();
  SmallVector<std::string> names;
  for (const Level &level : listLevels(options))
    names.push_back(level.target.cpu + describe(level.purpose).str());
  return llvm::join(names, ", ");
}

/// The systems besides Linux.
static void printSystems(llvm::Triple::ArchType arch, llvm::raw_ostream &os) {
  for (const SystemRuntime &row : getSystemRuntimes()) {
    if (row.arch != arch)
      continue;
    SmallVector<std::string> triples = row.getTriples();
    os << llvm::formatv("{0,-8} {1}\n", "", llvm::join(triples, ", "));
    os << llvm::formatv("{0,-8}   tested: {1}\n", "", row.tested);
    os << llvm::formatv("{0,-8}   --mcpu=portable: {1}\n", "",
                        listPortableLevels(triples.front()));
  }
}

void onnxc::printTargets(llvm::raw_ostream &os) {
  static constexpr Tested rows[] = {
#define TESTED(ARCH, HOW) {llvm::Triple::ARCH, HOW},
#include "onnxc/Target/Architectures.def"
  };
  os << "Linux (--mtriple=ARCH-linux-gnu or -musl): .so .a .o .s .ll .h\n"
        "macOS (--mtriple=ARCH-apple-macos): .a .o .s .ll .h\n"
        "Windows (--mtriple=ARCH-pc-windows-msvc): .lib .obj .s .ll .h\n"
        "Windows (--mtriple=ARCH-w64-mingw32): .a .o .s .ll .h\n"
        "no system (--freestanding --mtriple=ARCH-none-elf or -eabi): .a .o .s "
        ".ll .h\n"
        "WebAssembly (--mtriple=wasm32-unknown-unknown or -wasi): .wasm with "
        ".mjs and .d.ts, .a .o .s .ll .h\n\n";
  for (const Tested &row : rows) {
    llvm::Triple triple;
    triple.setArch(row.arch);
    const Architecture &architecture = getArchitecture(triple);
    bool isWebAssembly = architecture.isWebAssembly();
    bool onLinux = !isWebAssembly && !architecture.isFreestandingOnly();
    os << llvm::formatv("{0,-8} {1}\n", llvm::Triple::getArchTypeName(row.arch),
                        isWebAssembly ? "WebAssembly"
                        : onLinux     ? "Linux, no system"
                                      : "no system");
    os << llvm::formatv("{0,-8} tested: {1}\n", "", row.how);
    if (!onLinux)
      continue;
    os << llvm::formatv(
        "{0,-8} --mcpu=portable: {1}\n", "",
        listPortableLevels((triple.getArchName() + "-linux-gnu").str()));
    printSystems(row.arch, os);
  }
}

LogicalResult onnxc::printProcessors(Location loc, StringRef triple,
                                     llvm::raw_ostream &os) {
  TargetOptions options;
  options.triple = triple.str();
  options.cpu = "generic";
  llvm::Triple normalized = getTriple(options);
  options.freestanding = findArchitecture(normalized) &&
                         !normalized.isOSLinux() && !normalized.isWasm() &&
                         !findSystemRuntime(normalized);
  if (failed(makeTarget(loc, options)))
    return failure();
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(normalized, error);
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(normalized, "", ""));
  if (!options.freestanding)
    os << "levels (--mcpu=portable): " << listPortableLevels(triple) << "\n";
  os << "processors (--mcpu):\n";
  for (StringRef name : getProcessorNames(*subtarget, normalized))
    os << "  " << name << "\n";
  os << "features (--mattr=+a,-b):\n";
  for (const llvm::SubtargetFeatureKV &row :
       subtarget->getAllProcessorFeatures()) {
    bool isChecked = llvm::any_of(
        getCheckableFeatures(normalized),
        [&](const CheckableFeature &known) { return known.name == row.Key; });
    os << llvm::formatv("{0} {1,-26} {2}\n", isChecked ? '*' : ' ', row.Key,
                        row.Desc);
  }
  return success();
}
