//===- Architecture.h - What differs between architectures ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TARGET_ARCHITECTURE_H
#define ONNXC_TARGET_ARCHITECTURE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Triple.h"

#include <string>

namespace llvm {
class MCSubtargetInfo;
} // namespace llvm

namespace onnxc {

/// A row of Architectures.def.
struct Architecture {
  llvm::Triple::ArchType arch;
  /// The processor that all others can stand in for, as LLVM names it.
  llvm::StringLiteral baseline;
  /// What it has besides, as in "+m,+a".
  llvm::StringLiteral features;
  /// e_machine and e_flags of ELF.
  uint16_t elfMachine;
  uint32_t elfFlags;
  /// -m of lld.
  llvm::StringLiteral emulation;
  /// The minor version of glibc that the port came with.
  unsigned glibcMinor;
  /// The version of symbols that are as old as it.
  llvm::StringLiteral glibcVersion;

  /// No runtime for an operating system is built for it.
  bool isFreestandingOnly() const { return emulation.empty(); }
  /// Its programs run in an engine, not under an operating system.
  bool isWebAssembly() const { return arch == llvm::Triple::wasm32; }
};

/// The features that hard floats of a calling convention need.
struct HardFloat {
  llvm::Triple::ArchType arch;
  llvm::StringLiteral features;
  /// What a baseline has beside its processor's where floats are not passed so.
  llvm::StringLiteral otherwise;
};

/// A processor, and features beside it, that all of a triple can stand in for.
struct Baseline {
  std::string cpu;
  std::string features;
};

/// A system besides Linux that the runtime is built for, a row of
/// Architectures.def.
struct SystemRuntime {
  llvm::Triple::ArchType arch;
  /// MacOSX or Win32.
  llvm::Triple::OSType os;
  llvm::StringLiteral tested;

  /// The triples of it, as users write them.
  llvm::SmallVector<std::string> getTriples() const;
};

llvm::ArrayRef<SystemRuntime> getSystemRuntimes();

/// In which models a level is worth its code.
enum class LevelPurpose {
  Any,
  /// Those that multiply 8-bit integers.
  Integers,
  /// Those that multiply many rows of floats by weights of 8 bits or fewer, and
  /// no 8-bit integers by each other.
  NarrowWeights
};

/// A processor of --mcpu=portable.
struct SystemLevel {
  llvm::Triple::ArchType arch;
  llvm::Triple::OSType os;
  llvm::StringLiteral name;
  LevelPurpose purpose;
};

/// Those of a system that has levels of its own, from the baseline on.
llvm::ArrayRef<SystemLevel> getSystemLevels(const llvm::Triple &triple);

/// Null for Linux and where there is no system.
const SystemRuntime *findSystemRuntime(const llvm::Triple &triple);

/// Null for an architecture that onnxc makes no code for.
const Architecture *findArchitecture(const llvm::Triple &triple);

/// The triples that makeTarget takes, for messages: "a, b or c".
std::string listTriples();

/// Of each architecture the one for machines without an operating system.
std::string listFreestandingTriples();

/// Of a triple that makeTarget took.
const Architecture &getArchitecture(const llvm::Triple &triple);
Baseline getBaseline(const llvm::Triple &triple);

/// LLVM's names of the processors of a triple.
llvm::SmallVector<llvm::StringRef>
getProcessorNames(const llvm::MCSubtargetInfo &subtarget,
                  const llvm::Triple &triple);

/// Null where triples say nothing of floats.
const HardFloat *findHardFloat(const llvm::Triple &triple);

/// A feature that the runtime knows how to ask for, a row of CpuFeatures.def.
struct CheckableFeature {
  llvm::Triple::ArchType arch;
  /// As LLVM names it.
  llvm::StringLiteral name;
  /// The feature without which LLVM does not decode its instructions.
  llvm::StringLiteral decodedBy;
};

/// Those of the processors of an architecture.
llvm::ArrayRef<CheckableFeature>
getCheckableFeatures(const llvm::Triple &triple);

} // namespace onnxc

#endif // ONNXC_TARGET_ARCHITECTURE_H
