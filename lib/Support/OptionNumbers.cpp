//===- OptionNumbers.cpp - Options that are numbers -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/OptionNumbers.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace onnxc;

#define GET_OptionNumbers_IMPL
#include "onnxc/Support/OptionNumbers.inc"

std::string OptionNumber::describe() const {
  std::string from = std::to_string(least);
  return greatest == std::numeric_limits<int64_t>::max()
             ? "expected at least " + from
             : "expected " + from + " to " + std::to_string(greatest);
}

const OptionNumber *onnxc::findOptionNumber(llvm::StringRef name) {
  const auto *found =
      llvm::find_if(OptionNumbers, [&](const OptionNumber &option) {
        return option.name == name;
      });
  return found == std::end(OptionNumbers) ? nullptr : found;
}
