//===- UpgradeRule.h - How an older form of an op becomes the newest ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data that the op records carry about older schema versions. lib/Upgrade
// interprets it on `onnx.node`.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_UPGRADERULE_H
#define ONNXC_DIALECT_ONNX_UPGRADERULE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <variant>

namespace onnxc {

/// One thing to do to the attributes or inputs of an old node.
struct UpgradeStep {
  enum class Kind {
    /// The attribute `name` is gone and never meant anything for the result.
    DropAttr,
    /// The attribute `name` lost its default `value`; write it out.
    SetDefault,
    /// The attribute `name` became the input of the same name.
    AttrToInput,
    /// The attribute `name` is now called `text`.
    RenameAttr,
    /// The function `name` of lib/Upgrade does it.
    Custom,
  };
  Kind kind;
  llvm::StringRef name;
  std::variant<std::monostate, int64_t, double, llvm::StringRef> value;
};

/// The version `version` of operator `op` (of the record's domain) becomes this
/// record's op by the `steps`, in order. No step: only the version differs.
struct UpgradeRule {
  llvm::StringRef op;
  int version;
  llvm::SmallVector<UpgradeStep, 2> steps;
};

/// The vocabulary of the `upgrades` lines in the records.
namespace upgrade {
inline UpgradeStep dropAttr(llvm::StringRef name) {
  return {UpgradeStep::Kind::DropAttr, name, {}};
}
inline UpgradeStep setDefault(llvm::StringRef name, int64_t value) {
  return {UpgradeStep::Kind::SetDefault, name, value};
}
inline UpgradeStep setDefault(llvm::StringRef name, int value) {
  return setDefault(name, int64_t(value));
}
inline UpgradeStep setDefault(llvm::StringRef name, double value) {
  return {UpgradeStep::Kind::SetDefault, name, value};
}
inline UpgradeStep setDefault(llvm::StringRef name, const char *value) {
  return {UpgradeStep::Kind::SetDefault, name, llvm::StringRef(value)};
}
inline UpgradeStep attrToInput(llvm::StringRef name) {
  return {UpgradeStep::Kind::AttrToInput, name, {}};
}
inline UpgradeStep renameAttr(llvm::StringRef name, const char *to) {
  return {UpgradeStep::Kind::RenameAttr, name, llvm::StringRef(to)};
}
inline UpgradeStep custom(llvm::StringRef function) {
  return {UpgradeStep::Kind::Custom, function, {}};
}
} // namespace upgrade

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_UPGRADERULE_H
