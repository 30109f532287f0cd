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

#include "NewNode.h"
#include "OldNode.h"

namespace onnxc::rules {

#define ONNXC_CUSTOM_RULE(name) llvm::LogicalResult name(OldNode &node);
#include "CustomRules.def"

} // namespace onnxc::rules

/// What undoes them, beside each.
namespace onnxc::inverses {

#define ONNXC_CUSTOM_RULE(name)
#define ONNXC_REVERSIBLE_RULE(name) llvm::LogicalResult name(NewNode &node);
#include "CustomRules.def"

} // namespace onnxc::inverses

#endif // ONNXC_LIB_UPGRADE_CUSTOMRULES_H
