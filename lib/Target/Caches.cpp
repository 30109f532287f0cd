//===- Caches.cpp - The caches of a core ----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Caches.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <string>
#include <unistd.h>

using namespace llvm;
using namespace onnxc;

std::optional<Caches> onnxc::getCaches(const Triple &triple, StringRef cpu) {
  struct Row {
    Triple::ArchType arch;
    StringLiteral processors;
    Caches kibibytes;
  };
  static constexpr Row rows[] = {
#define CACHES(ARCH, PROCESSORS, FIRST, SECOND)                                \
  {Triple::ARCH, PROCESSORS, {FIRST, SECOND}},
#include "onnxc/Target/Caches.def"
  };
  // LLVM knows some names with _ as well.
  std::string name = cpu.str();
  std::replace(name.begin(), name.end(), '_', '-');
  for (const Row &row : rows)
    if (row.arch == triple.getArch() &&
        is_contained(split(row.processors, '|'), StringRef(name)))
      return Caches{row.kibibytes.first << 10, row.kibibytes.second << 10};
  return std::nullopt;
}

std::optional<Caches> onnxc::getHostCaches() {
  // Of glibc; it says 0 for what it does not know.
#ifdef _SC_LEVEL2_CACHE_SIZE
  long first = sysconf(_SC_LEVEL1_DCACHE_SIZE),
       second = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (first > 0 && second > 0)
    return Caches{first, second};
#endif
  return std::nullopt;
}

/// AMD's processors have more lines on their way to the first level than
/// others, and what was fetched into the second one comes later there than what
/// was not fetched at all. x86-64-v3, which both have, counts as theirs: they
/// lose more by two stages than others by one (docs/decisions/045).
bool onnxc::fetchesInOneStage(StringRef cpu) {
  return cpu.starts_with("znver") || cpu == "x86-64-v3";
}
