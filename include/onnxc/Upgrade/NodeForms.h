//===- NodeForms.h - The form a node has, and its replacement - -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes that change the forms of nodes have in common: onnx-upgrade,
// onnx-upgrade-reversibly and onnx-convert-nodes.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_UPGRADE_NODEFORMS_H
#define ONNXC_UPGRADE_NODEFORMS_H

#include "onnxc/Dialect/ONNX/NodeUpgrade.h"
#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Upgrade/SchemaHistory.h"

#include "mlir/IR/BuiltinOps.h"

namespace onnxc {

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Whether there is code for all steps of the rule.
bool isImplemented(const UpgradeRule &rule);

/// The form that the node has: that of its version, or at opsets where it may
/// have another one (LegacyForms.h), an older or the next. `opset`: by which
/// the node was read; where a conversion has put another in its place, its
/// version bounds that from below. Nullopt if it has none, with an error.
std::optional<OperatorHistory::Version> findForm(NodeOp node,
                                                 const OperatorHistory &history,
                                                 std::optional<int64_t> opset);

/// The error of an operator that does not exist any longer at the opset of the
/// model.
llvm::LogicalResult reportReplaced(mlir::Operation *op, int version);

/// Fails, with an error, where an op that was imported in its newest form has
/// what the version that the opset means does not have.
llvm::LogicalResult checkForms(mlir::ModuleOp module,
                               const SchemaTable &schemas);

//===----------------------------------------------------------------------===//
// Replacement
//===----------------------------------------------------------------------===//

llvm::LogicalResult applySteps(NodeUpgrade &node,
                               llvm::ArrayRef<UpgradeStep> steps);

/// What the node has become, with its graphs, which leave the node.
NodeParts takeParts(NodeUpgrade &node);

/// Makes of the new op's results what the old ones are.
llvm::LogicalResult runFinish(NodeUpgrade &node,
                              llvm::SmallVector<mlir::Value> &results);

/// Gives the uses of the node's outputs to `results` (null: none), and erases
/// it.
llvm::LogicalResult replaceNode(NodeUpgrade &node,
                                llvm::MutableArrayRef<mlir::Value> results);

/// runFinish, then replaceNode.
llvm::LogicalResult finishNode(NodeUpgrade &node,
                               llvm::SmallVector<mlir::Value> results);

/// Takes all steps of `rule`, and makes the op that the node is then, before
/// it.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
buildNewest(NodeUpgrade &node, const UpgradeRule &rule,
            mlir::OpBuilder &builder);

/// Replaces `op` by the op of `form`'s record, and gives that.
mlir::FailureOr<mlir::Operation *>
upgradeNode(NodeOp op, const OperatorHistory::Version &form,
            mlir::OpBuilder &builder);

/// Replaces the node by what it is in the newest opset: one op, or what a
/// contrib operator is made of. That it stays is recorded in
/// `unsupported` unless `keepUnknown`.
llvm::LogicalResult upgradeToNewest(NodeOp node, const SchemaTable &schemas,
                                    bool keepUnknown,
                                    UnsupportedOps &unsupported,
                                    mlir::OpBuilder &builder);

/// Erases what stands between `before` (null: the block's start) and `op`.
void eraseBetween(mlir::Operation *before, mlir::Operation *op);

/// Visits the nodes of the module: graphs before the node that has them, nodes
/// in order, so that the types of what comes before a node are inferred. The
/// entry's results then have the types of what it returns. Fails if a visit
/// did.
llvm::LogicalResult
visitNodes(mlir::ModuleOp module,
           llvm::function_ref<llvm::LogicalResult(NodeOp)> visit);

} // namespace onnxc

#endif // ONNXC_UPGRADE_NODEFORMS_H
