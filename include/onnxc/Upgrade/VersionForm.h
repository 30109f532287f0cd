//===- VersionForm.h - Nodes as a version of their operator --- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the two directions of a change of opset have in common: a node of a
// version that it did not have in the model.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_UPGRADE_VERSIONFORM_H
#define ONNXC_UPGRADE_VERSIONFORM_H

#include "onnxc/Upgrade/NodeDowngrade.h"

#include "onnxc/Upgrade/SchemaHistory.h"

namespace onnxc {

/// The location of a node that is of operator `name` now, without what the file
/// wrote but did not need to: the order of attributes, absent values at the
/// end. `numOutputs`: how many the new form lists.
mlir::Location forgetSpelling(mlir::Location loc, llvm::StringRef name,
                              unsigned numOutputs);

/// Resize-11 has empty tensors where later versions have nothing.
void supplyEmptyInputs(const VersionSchema &schema, mlir::OpBuilder &builder,
                       mlir::Location loc,
                       llvm::SmallVectorImpl<mlir::Value> &inputs);

/// Leaves out what `schema` says anyway, and what it does not know but what has
/// the value that its absence meant: that of `rule`, or of the newest version.
void dropDefaults(const VersionSchema &schema, const UpgradeRule *rule,
                  mlir::NamedAttrList &attributes);

/// Axes that are counted from the back are counted from the front, which was
/// the only way before 11. False if that needs a rank that is not known.
bool countAxesFromFront(NodeDowngrade &node);

/// The value of an attribute that the version does not define although its
/// schema takes it; empty if there is none.
std::string findUndefinedValue(llvm::StringRef op, int version,
                               const mlir::NamedAttrList &attributes);

/// Whether the attributes have such a value, of a later version, which
/// exporters are known to write at this one and ONNX Runtime takes.
bool isWrittenEarly(llvm::StringRef op, int version,
                    const mlir::NamedAttrList &attributes);

/// Why the node is none of version `schema`; empty if it is one, as it may have
/// been written by an exporter.
std::string findFault(const NodeDowngrade &node, const VersionSchema &schema);
/// The same, and whether the version takes exactly these inputs and outputs.
std::string findMisfit(const NodeDowngrade &node, const VersionSchema &schema);

/// What else the version does not do; empty if there is nothing.
std::string findLimit(const NodeDowngrade &node, int version);

} // namespace onnxc

#endif // ONNXC_UPGRADE_VERSIONFORM_H
