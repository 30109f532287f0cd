//===- NodeDowngrade.h - An op on its way back to an older form -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_UPGRADE_NODEDOWNGRADE_H
#define ONNXC_UPGRADE_NODEDOWNGRADE_H

#include "onnxc/Dialect/ONNX/NodeUpgrade.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

namespace onnxc {

/// The parts of an op, which the steps of a rule, the last one first, change in
/// place until they are what the older form takes. No op is made or changed.
class NodeDowngrade {
public:
  /// `isConversion`: to a version that the model did not have; what the node
  /// was there says nothing about it.
  NodeDowngrade(mlir::Operation *op, const UpgradeRule &rule,
                bool isConversion = false);

  /// Undoes all steps. On failure `getReason` says why there is no older form.
  llvm::LogicalResult revert();
  const std::string &getReason() const { return reason; }

  mlir::Operation *op;
  const UpgradeRule &rule;
  /// What the op was imported as; null if it was not the older form of this op,
  /// or of another version.
  SourceAttr source;
  mlir::Builder builder;
  /// Null: absent, as for `outputs`.
  llvm::SmallVector<mlir::Value> inputs;
  mlir::NamedAttrList attributes;
  llvm::SmallVector<mlir::Type> outputs;

  llvm::LogicalResult fail(const llvm::Twine &why) {
    reason = why.str();
    return llvm::failure();
  }

  mlir::Value getInput(unsigned index) const {
    return index < inputs.size() ? inputs[index] : mlir::Value();
  }
  bool hasOutput(unsigned index) const {
    return index < outputs.size() && outputs[index];
  }
  int64_t getInt(llvm::StringRef name, int64_t otherwise) const;
  llvm::StringRef getString(llvm::StringRef name,
                            llvm::StringRef otherwise) const;
  void setInt(llvm::StringRef name, int64_t value) {
    attributes.set(name, builder.getI64IntegerAttr(value));
  }
  void setString(llvm::StringRef name, llvm::StringRef value) {
    attributes.set(name, builder.getStringAttr(value));
  }
  /// Fails if the attribute is given and is not the default: the older form has
  /// none of that name.
  llvm::LogicalResult refuse(llvm::StringRef name);

  /// The attribute that the op had before it was upgraded; null if there was
  /// none or it is not kept.
  mlir::Attribute getOld(llvm::StringRef name) const;
  /// Sets it to what it was, if that is kept.
  void restore(llvm::StringRef name) {
    if (mlir::Attribute old = getOld(name))
      attributes.set(name, old);
  }
  /// Whether the imported node had the attribute.
  bool hadAttribute(llvm::StringRef name) const;

private:
  llvm::LogicalResult revertStep(const UpgradeStep &step);
  llvm::LogicalResult inputToAttr(llvm::StringRef name);

  mlir::DictionaryAttr oldAttributes;
  std::string reason;
};

/// Whether `value` is the default that a SetDefault step writes.
bool isDefault(const UpgradeStep &step, mlir::Attribute value);

/// What undoes a custom step. A null pointer: nothing does.
using InverseRule = llvm::LogicalResult (*)(NodeDowngrade &node);
InverseRule lookupInverseRule(llvm::StringRef name);

/// Whether each step of the rule can be undone, for some nodes.
bool hasInverse(const UpgradeRule &rule);

/// The graphs that the op has.
llvm::SmallVector<llvm::StringRef> getGraphNames(SchemaOpInterface op);

/// The opset that is in force for an op of the domain; nullopt if there is none
/// said.
std::optional<int64_t> getOpset(mlir::Operation *op, llvm::StringRef domain);

} // namespace onnxc

#endif // ONNXC_UPGRADE_NODEDOWNGRADE_H
