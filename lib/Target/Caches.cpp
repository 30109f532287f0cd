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

#include <unistd.h>

using namespace llvm;
using namespace onnxc;

Caches onnxc::getCaches(const Triple &triple, StringRef cpu) {
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
  const Row *row = find_if(rows, [&](const Row &row) {
    return row.arch == triple.getArch() &&
           (row.processors.empty() ||
            is_contained(split(row.processors, '|'), cpu));
  });
  Caches kibibytes = row == std::end(rows) ? Caches{32, 512} : row->kibibytes;
  return {kibibytes.first << 10, kibibytes.second << 10};
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
