//===- Caches.h - The caches of a core --------------------------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TARGET_CACHES_H
#define ONNXC_TARGET_CACHES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Triple.h"

#include <cstdint>
#include <optional>

namespace onnxc {

/// Bytes of the caches for data that a core has for itself, or of its share of
/// one that others read as well.
struct Caches {
  int64_t first, second;
};

/// Those of the processor by Caches.def; nothing if it has no row.
std::optional<Caches> getCaches(const llvm::Triple &triple,
                                llvm::StringRef cpu);

/// Those of this machine; nothing where its system does not say.
std::optional<Caches> getHostCaches();

/// Whether streams had better be fetched into the first level of the cache at
/// once, not into the second one before.
bool fetchesInOneStage(llvm::StringRef cpu);

} // namespace onnxc

#endif // ONNXC_TARGET_CACHES_H
