//===- SeenAddresses.h - What was made of few addresses -------*- C++ -*---===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_SEENADDRESSES_H
#define ONNXC_PYTHON_SRC_SEENADDRESSES_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace onnxc::python {

/// Remembers what was made of an address, until another takes its place: a
/// column of categories has the same few texts again and again. What an address
/// points to must not change or end meanwhile.
template <typename To> class SeenAddresses {
public:
  struct Entry {
    const void *from;
    To made;
  };

  /// The place of `from`, which holds it if Entry::from is it.
  Entry &operator[](const void *from) {
    auto address = reinterpret_cast<uintptr_t>(from);
    return entries[(address ^ address >> 4 ^ address >> 12) % entries.size()];
  }

private:
  std::array<Entry, 256> entries = {};
};

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_SEENADDRESSES_H
