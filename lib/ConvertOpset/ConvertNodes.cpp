//===- ConvertNodes.cpp - Nodes to the form that a new opset has ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/ConvertOpset/Passes.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Upgrade/NodeForms.h"
#include "onnxc/Upgrade/VersionForm.h"

namespace onnxc {
#define GEN_PASS_DEF_CONVERTNODES
#include "onnxc/ConvertOpset/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

/// Gives the results of a node that stays of an older form the types that those
/// of its newest one have: what uses them may be converted by its shapes.
static void refineOldResults(NodeOp op, const OperatorHistory &history,
                             OpBuilder &builder) {
  const OperatorHistory::Version *form = history.lookup(op.getVersion());
  if (!form || !form->rule || !isImplemented(*form->rule) ||
      !op.getGraphs().empty())
    return;
  // What a rule has against the node is for others to report.
  ScopedDiagnosticHandler drop(op.getContext(),
                               [](Diagnostic &) { return success(); });
  std::optional<OperatorHistory::Version> found =
      findForm(op, history, std::nullopt);
  if (!found)
    return;
  Operation *before = op->getPrevNode();
  NodeUpgrade node(op, found->record, builder);
  FailureOr<SmallVector<Value>> results =
      buildNewest(node, *found->rule, builder);
  if (succeeded(results)) {
    if (succeeded(runFinish(node, *results)))
      for (auto [old, result] : llvm::zip(op.getOutputs(), *results))
        if (result && !isa<NoneType>(old.getType()) && !isSeenAcrossCalls(old))
          if (Type joined = joinTypes(old.getType(), result.getType()))
            old.setType(joined);
  }
  eraseBetween(before, op);
}

/// How many of the first steps of `from` are between it and `to`; nullopt if
/// the way does not lead over that version.
static std::optional<size_t> countStepsTo(const UpgradeRule &from,
                                          const UpgradeRule *to) {
  if (!to || to->op != from.op || to->version < from.version ||
      to->steps.size() > from.steps.size())
    return std::nullopt;
  ArrayRef<UpgradeStep> rest = ArrayRef(from.steps).take_back(to->steps.size());
  bool isSame = llvm::equal(
      rest, to->steps, [](const UpgradeStep &a, const UpgradeStep &b) {
        return a.kind == b.kind && a.name == b.name && a.value == b.value;
      });
  if (!isSame)
    return std::nullopt;
  return from.steps.size() - to->steps.size();
}

/// Whether the node has the form of version `schema`.
static bool fits(const NodeUpgrade &node, const VersionSchema &schema) {
  NodeOp op = node.op;
  SmallVector<Type> inputs;
  for (Value input : node.inputs)
    inputs.push_back(input ? input.getType() : Type());
  while (!inputs.empty() && !inputs.back())
    inputs.pop_back();
  return schema
      .findFault(
          inputs, node.attributes.getAttrs(),
          llvm::to_vector(op.getRegionNames().getAsValueRange<StringAttr>()),
          node.outputs)
      .empty();
}

/// Replaces `op` by the node of version `schema`, to which the first `numSteps`
/// of its rule lead. False if they do not: what a later step does may be
/// different for both, as one rule takes the forms of several versions
/// (Upsample-7 and -9). Then nothing is changed.
static FailureOr<bool> advanceNode(NodeOp op,
                                   const OperatorHistory::Version &form,
                                   size_t numSteps, const VersionSchema &schema,
                                   const OperatorHistory &history,
                                   OpBuilder &builder) {
  Operation *before = op->getPrevNode();
  builder.setInsertionPoint(op);
  NodeUpgrade node(op, form.record, builder);
  if (failed(applySteps(node, ArrayRef(form.rule->steps).take_front(numSteps))))
    return failure();
  supplyEmptyInputs(schema, builder, op.getLoc(), node.inputs);
  dropDefaults(schema, nullptr, node.attributes);
  if (!fits(node, schema)) {
    eraseBetween(before, op);
    return false;
  }
  NodeParts parts = takeParts(node);
  Location loc =
      forgetSpelling(op.getLoc(), op.getOpType(), parts.outputs.size());
  SmallVector<Value> results =
      buildGenericNode(builder, loc, op.getOpType(), op.getDomain(),
                       schema.getVersion(), std::move(parts));
  auto made = cast<NodeOp>(op->getPrevNode());
  if (failed(finishNode(node, std::move(results))))
    return failure();
  refineOldResults(made, history, builder);
  return true;
}

/// The version that the opset has of the node's operator; null if that is
/// none, or another operator has taken its place.
static const VersionSchema *getSchemaInForce(NodeOp node,
                                             const OperatorHistory &history) {
  std::optional<int64_t> opset = getOpset(node, node.getDomain());
  std::optional<int> version =
      opset ? history.getVersionAt(*opset) : std::nullopt;
  const VersionSchema *schema =
      version ? lookupSchema(normalizeDomain(node.getDomain()),
                             node.getOpType(), *version)
              : nullptr;
  return schema && !schema->isReplaced() ? schema : nullptr;
}

/// To the form that is in force, or, where the way does not lead over that,
/// to the newest one, of which onnx-downgrade makes it.
static LogicalResult convertNode(NodeOp node,
                                 const OperatorHistory::Version &form,
                                 const OperatorHistory &history,
                                 OpBuilder &builder) {
  const VersionSchema *schema = getSchemaInForce(node, history);
  std::optional<size_t> numSteps;
  if (schema)
    numSteps =
        countStepsTo(*form.rule, history.lookup(schema->getVersion())->rule);
  if (numSteps) {
    FailureOr<bool> isThere =
        advanceNode(node, form, *numSteps, *schema, history, builder);
    if (failed(isThere) || *isThere)
      return isThere;
  }
  int64_t oldVersion = node.getVersion();
  FailureOr<Operation *> made = upgradeNode(node, form, builder);
  if (failed(made))
    return failure();
  (*made)->setAttr(model::oldVersion, builder.getI64IntegerAttr(oldVersion));
  return success();
}

/// Replaces the node if its opset has another form.
static LogicalResult convertIfNeeded(NodeOp node, const SchemaTable &schemas,
                                     UnsupportedOps &unsupported,
                                     OpBuilder &builder) {
  const OperatorHistory *history =
      schemas.lookup(node.getDomain(), node.getOpType());
  if (!history && !schemas.isKnownDomain(node.getDomain()))
    return success();
  const VersionSchema *inForce =
      history ? getSchemaInForce(node, *history) : nullptr;
  if (inForce && inForce->getVersion() == static_cast<int>(node.getVersion())) {
    refineOldResults(node, *history, builder);
    return success();
  }
  const OperatorHistory::Version *form =
      history ? history->lookup(node.getVersion()) : nullptr;
  if (!form || !form->rule)
    return upgradeToNewest(node, schemas, /*keepUnknown=*/true, unsupported,
                           builder);
  std::optional<OperatorHistory::Version> found =
      findForm(node, *history, std::nullopt);
  if (!found || failed(convertNode(node, *found, *history, builder)))
    return failure();
  return success();
}

namespace {
struct ConvertNodes : onnxc::impl::ConvertNodesBase<ConvertNodes> {
  void runOnOperation() override {
    SchemaTable schemas(&getContext());
    OpBuilder builder(&getContext());
    UnsupportedOps unsupported;
    LogicalResult visited = visitNodes(getOperation(), [&](NodeOp node) {
      return convertIfNeeded(node, schemas, unsupported, builder);
    });
    LogicalResult known = unsupported.report(getOperation().getLoc());
    if (failed(visited) || failed(known))
      signalPassFailure();
  }
};
} // namespace
