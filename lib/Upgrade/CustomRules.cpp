//===- CustomRules.cpp - The custom steps of upgrade rules ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomRules.h"

using namespace onnxc;

CustomRule onnxc::lookupCustomRule(llvm::StringRef name) {
#define ONNXC_CUSTOM_RULE(rule)                                                \
  if (name == #rule)                                                           \
    return rules::rule;
#include "CustomRules.def"
  return nullptr;
}

InverseRule onnxc::lookupInverseRule(llvm::StringRef name) {
#define ONNXC_CUSTOM_RULE(rule)
#define ONNXC_REVERSIBLE_RULE(rule)                                            \
  if (name == #rule)                                                           \
    return inverses::rule;
#include "CustomRules.def"
  return nullptr;
}
