//===- OpVersions.h - Which operator versions a model uses ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_UPGRADE_OPVERSIONS_H
#define ONNXC_UPGRADE_OPVERSIONS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace onnxc {

/// The nodes of one operator that have the form of one version.
struct OpVersionUse {
  /// Empty: ai.onnx.
  std::string domain;
  std::string opType;
  /// The version in force, by the opset that the model (or the function)
  /// imports; 0 if it imports none of the domain.
  int64_t version = 0;
  /// What the nodes become; 0 if that is not one operator of the domain, or if
  /// nothing is known of it.
  int64_t newest = 0;
  int64_t count = 0;
  /// How they become that: what the rule does, "" where the form is the same.
  std::string rule;
  /// The operator is unknown.
  bool isUnknown = false;
};

/// Says for each node of an imported module, those in subgraphs and functions
/// included, what the upgrade stage will do; sorted by domain, operator and
/// version.
std::vector<OpVersionUse> listOpVersions(mlir::ModuleOp module);

} // namespace onnxc

#endif // ONNXC_UPGRADE_OPVERSIONS_H
