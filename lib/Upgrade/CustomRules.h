//===- CustomRules.h - The custom steps of upgrade rules ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per `custom("name")` in the records, defined in the file of its
// family. The comment of each says what changed in the operator.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_UPGRADE_CUSTOMRULES_H
#define ONNXC_LIB_UPGRADE_CUSTOMRULES_H

#include "onnxc/Dialect/ONNX/NodeUpgrade.h"
#include "onnxc/Upgrade/NodeDowngrade.h"

namespace onnxc {

/// A `custom` step. A rule that cannot be followed says why in an error.
using CustomRule = llvm::LogicalResult (*)(NodeUpgrade &node);
/// Null if there is none of that name.
CustomRule lookupCustomRule(llvm::StringRef name);

} // namespace onnxc

namespace onnxc::rules {

#define ONNXC_CUSTOM_RULE(name) llvm::LogicalResult name(NodeUpgrade &node);
#include "CustomRules.def"

} // namespace onnxc::rules

/// What undoes them, beside each.
namespace onnxc::inverses {

#define ONNXC_CUSTOM_RULE(name)
#define ONNXC_REVERSIBLE_RULE(name)                                            \
  llvm::LogicalResult name(NodeDowngrade &node);
#include "CustomRules.def"

} // namespace onnxc::inverses

#endif // ONNXC_LIB_UPGRADE_CUSTOMRULES_H
