//===- SchemaHistory.h - What each version of an operator takes -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op records know the newest forms, and how older ones become them. Whether
// something can be written as an older form, and what would be wrong with it,
// is decided by the schema of that version, which is here.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_UPGRADE_SCHEMAHISTORY_H
#define ONNXC_UPGRADE_SCHEMAHISTORY_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace onnxc {

/// An input or output of a version.
struct FormalParameter {
  llvm::StringRef name;
  /// Values of parameters of one variable are of one type; empty for none.
  llvm::StringRef typeVariable;
  bool isOptional = false, isVariadic = false;
  /// As `isValueOf` (OpSupport.h) takes them.
  uint32_t tensors = 0, sequences = 0, optionals = 0, optionalSequences = 0;
  /// Takes further types that are not listed.
  bool takesOthers = false;

  bool takes(mlir::Type type) const;
};

/// An attribute of a version.
struct FormalAttribute {
  llvm::StringRef name;
  /// An AttributeProto.AttributeType, as `getAttributeKind` (Schema.h) gives
  /// it.
  llvm::StringRef kind;
  bool isRequired = false, hasDefault = false;
  llvm::StringRef defaultText;

  bool isList() const { return kind.ends_with("S"); }
  /// Null: a graph.
  bool takes(mlir::Attribute value) const;

  /// Whether to write `value` says no more than to leave it out.
  bool isDefault(mlir::Attribute value) const;
};

/// One version of one operator. The default domain is "".
class VersionSchema {
public:
  constexpr VersionSchema(const char *domain, const char *name, int version,
                          const char *inputs, const char *outputs,
                          const char *attributes)
      : domain(domain), name(name), version(version), inputs(inputs),
        outputs(outputs), attributes(attributes) {}

  llvm::StringRef getDomain() const { return domain; }
  llvm::StringRef getName() const { return name; }
  int getVersion() const { return version; }

  /// Another operator has taken the place of this one.
  bool isReplaced() const { return !*inputs && !*outputs; }
  llvm::SmallVector<FormalParameter> getInputs() const;
  llvm::SmallVector<FormalParameter> getOutputs() const;
  llvm::SmallVector<FormalAttribute> getAttributes() const;
  /// Whether the attribute has `value` (null: something else) by default.
  bool isDefault(llvm::StringRef attribute, mlir::Attribute value) const;

  /// Why a node of these parts (null: absent) is none of this version; empty if
  /// it is one. Graphs are attributes whose value is null. Types of outputs,
  /// which follow, are not asked for, nor values left out before others.
  std::string findFault(llvm::ArrayRef<mlir::Type> inputTypes,
                        llvm::ArrayRef<mlir::NamedAttribute> given,
                        llvm::ArrayRef<llvm::StringRef> graphs,
                        llvm::ArrayRef<mlir::Type> outputTypes) const;
  /// The same, and whether the version takes exactly these inputs and outputs.
  std::string findMisfit(llvm::ArrayRef<mlir::Type> inputTypes,
                         llvm::ArrayRef<mlir::NamedAttribute> given,
                         llvm::ArrayRef<llvm::StringRef> graphs,
                         llvm::ArrayRef<mlir::Type> outputTypes) const;

private:
  const char *domain, *name;
  int version;
  const char *inputs, *outputs, *attributes;
};

/// All versions of all operators, by domain, name and version.
llvm::ArrayRef<VersionSchema> getSchemaHistory();

/// Null if there is none.
const VersionSchema *lookupSchema(llvm::StringRef domain, llvm::StringRef name,
                                  int64_t version);
/// The newest version of the operator, null if there is none.
const VersionSchema *lookupNewestSchema(llvm::StringRef domain,
                                        llvm::StringRef name);

} // namespace onnxc

#endif // ONNXC_UPGRADE_SCHEMAHISTORY_H
