//===- Schema.h - Operators by ONNX name and version ---------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op records, asked by what a NodeProto says: domain, operator, opset. And
// the one way to make an op from the parts of a node, for all that come from
// outside of the dialect (the importer, the upgrade).
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_SCHEMA_H
#define ONNXC_DIALECT_ONNX_SCHEMA_H

#include "onnxc/Dialect/ONNX/UpgradeRule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <memory>
#include <optional>

namespace onnxc {

/// "" for both spellings of the default domain.
inline llvm::StringRef normalizeDomain(llvm::StringRef domain) {
  return domain == "ai.onnx" ? "" : domain;
}

/// What a model function is found by: equal for equal domain (in either
/// spelling), name and overload.
std::string getFunctionKey(llvm::StringRef domain, llvm::StringRef name,
                           llvm::StringRef overload);

/// What a node lists for formal parameters that take so many values each: the
/// index of a value, or nullopt for one that is absent. Absent ones at the end
/// are left out.
llvm::SmallVector<std::optional<unsigned>>
getNodeItems(llvm::ArrayRef<int> segments);

/// An operator in all its versions.
struct OperatorHistory {
  struct Version {
    /// The op that the version is, or becomes.
    mlir::RegisteredOperationName record;
    /// How it becomes that op; null if the record represents it as is.
    const UpgradeRule *rule;
  };
  std::map<int, Version> versions;

  /// The version that is in force at an opset: the newest that is not newer.
  std::optional<int> getVersionAt(int64_t opset) const;
  const Version *lookup(int64_t version) const;
};

/// Every operator that the records know, with older forms.
class SchemaTable {
public:
  /// Reads the records of the onnx dialect, which must be loaded.
  explicit SchemaTable(mlir::MLIRContext *context);

  /// Null if the domain has no operator of this name. Domains are normalized.
  const OperatorHistory *lookup(llvm::StringRef domain,
                                llvm::StringRef name) const;
  bool isKnownDomain(llvm::StringRef domain) const;
  /// The newest opset of a known domain.
  int64_t getNewestOpset(llvm::StringRef domain) const;

private:
  struct Domain {
    llvm::StringMap<OperatorHistory> operators;
    int newest = 0;
  };
  llvm::StringMap<Domain> domains;
};

/// What a node is made of, in ONNX's own order.
struct NodeParts {
  /// Null: absent.
  llvm::SmallVector<mlir::Value> inputs;
  mlir::NamedAttrList attributes;
  /// Graph attributes by name.
  llvm::SmallVector<std::pair<std::string, std::unique_ptr<mlir::Region>>>
      graphs;
  /// Null: absent.
  llvm::SmallVector<mlir::Type> outputs;
};

using DiagnosticSink = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// The type without shapes, also those of what it holds.
mlir::Type dropShapes(mlir::Type type);
/// The output's name in the model, or its number: "output 'y'", "output 1".
std::string describeOutput(mlir::OpResult result);

/// Whether the record takes attributes and graphs like these; tells `emitError`
/// what is wrong, if it is not null. Attributes that are missing are left to
/// the op's verifier.
llvm::LogicalResult checkNodeAttributes(mlir::RegisteredOperationName record,
                                        const NodeParts &parts,
                                        DiagnosticSink emitError);
/// The same, and whether inputs and outputs are as many as the record takes.
llvm::LogicalResult checkNodeParts(mlir::RegisteredOperationName record,
                                   const NodeParts &parts,
                                   DiagnosticSink emitError);

/// Makes the op of `record` (any, not only of parts that were checked). Gives
/// one value for each of `parts.outputs`, null for the absent ones.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
buildNode(mlir::OpBuilder &builder, mlir::Location loc,
          mlir::RegisteredOperationName record, NodeParts parts);

/// Verifies everything of an op but its result types, which are made unknown
/// for it; shape rules may only be asked then. Afterwards the results are as
/// before, and `contradicted` is called for each whose shape cannot be what the
/// shape rule infers; that the type is another is an error. Ops of other
/// dialects pass.
llvm::LogicalResult verifyBuiltNode(
    mlir::Operation *op,
    llvm::function_ref<void(mlir::OpResult, mlir::Type inferred)> contradicted);

/// Makes the `onnx.node` of an operator that is not an op here (yet).
llvm::SmallVector<mlir::Value>
buildGenericNode(mlir::OpBuilder &builder, mlir::Location loc,
                 llvm::StringRef name, llvm::StringRef domain, int64_t version,
                 NodeParts parts);

/// The AttributeProto.AttributeType that an attribute stands for: "INTS".
llvm::StringRef getAttributeKind(mlir::Attribute attribute);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_SCHEMA_H
