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
  /// A name that LLVM knows; "native" for this machine's processor.
  std::string cpu = "native";
  /// Features on top of the processor's, as LLVM spells them: "+avx2,-fma".
  std::string features;
  /// For a machine without an operating system.
  bool freestanding = false;

  /// Whether all are as they are by default.
  bool isDefault() const {
    return triple.empty() && (cpu.empty() || cpu == "native") &&
           features.empty() && !freestanding;
  }
};

} // namespace onnxc

#endif // ONNXC_TARGET_TARGETOPTIONS_H
