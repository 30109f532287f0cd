//===- OptionNumbers.h - Options that are numbers ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The defaults and bounds that Pipelines/Options.td states, for the structs
// whose members they are, and for all that read numbers of a user.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_OPTIONNUMBERS_H
#define ONNXC_SUPPORT_OPTIONNUMBERS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace onnxc {

/// By the name of the record: defaults::max_nodes.
namespace defaults {
#define GET_OptionDefaults_DECL
#include "onnxc/Support/OptionNumbers.inc"
} // namespace defaults

struct OptionNumber {
  /// Without dashes in front: "max-nodes".
  llvm::StringLiteral name;
  int64_t value, least, greatest;

  bool takes(int64_t number) const {
    return number >= least && number <= greatest;
  }
  /// "expected at least 1", "expected 0 to 400".
  std::string describe() const;
};

/// Null if the option is not a number.
const OptionNumber *findOptionNumber(llvm::StringRef name);

} // namespace onnxc

#endif // ONNXC_SUPPORT_OPTIONNUMBERS_H
