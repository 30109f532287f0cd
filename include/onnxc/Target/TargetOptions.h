//===- TargetOptions.h - A target as a user states it --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TARGET_TARGETOPTIONS_H
#define ONNXC_TARGET_TARGETOPTIONS_H

#include <string>

namespace onnxc {

struct TargetOptions {
  /// Empty: this machine's.
  std::string triple;
  /// A name that LLVM knows, and features that the processor has besides:
  /// "x86-64-v4+avx512vnni"; "native" for this machine's processor. Empty:
  /// native where the triple is of this machine's kind, else the least
  /// processor of the triple.
  std::string cpu;
  /// Features on top of the processor's, as LLVM spells them: "+avx2,-fma".
  std::string features;
  /// The processor, named as `cpu` is, for which constants are packed: all
  /// levels of a model read the same ones. Empty: this one alone.
  std::string layout;
  /// For a machine without an operating system.
  bool freestanding = false;

  /// Whether all are as they are by default.
  bool isDefault() const {
    return triple.empty() && (cpu.empty() || cpu == "native") &&
           features.empty() && layout.empty() && !freestanding;
  }
};

} // namespace onnxc

#endif // ONNXC_TARGET_TARGETOPTIONS_H
