//===- UpgradeReversibly.cpp - Forms that have a way back -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Contrib/Expansion.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Upgrade/NodeForms.h"
#include "onnxc/Upgrade/Passes.h"
#include "onnxc/Upgrade/VersionForm.h"

namespace onnxc {
#define GEN_PASS_DEF_UPGRADEREVERSIBLY
#include "onnxc/Upgrade/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

/// Whether going back gives `old`.
static bool givesBack(Operation *made, const UpgradeRule &rule,
                      NodeUpgrade &old) {
  NodeDowngrade node(made, rule);
  if (failed(node.revert()))
    return false;
  ArrayRef<Value> inputs = old.inputs;
  while (!inputs.empty() && !inputs.back())
    inputs = inputs.drop_back();
  auto isPresent = [](Type type) { return static_cast<bool>(type); };
  ArrayRef<Type> outputs = old.outputs;
  while (!outputs.empty() && !outputs.back())
    outputs = outputs.drop_back();
  return ArrayRef<Value>(node.inputs) == inputs &&
         node.attributes.getDictionary(made->getContext()) ==
             old.op.getOnnxAttributes() &&
         llvm::equal(llvm::map_range(node.outputs, isPresent),
                     llvm::map_range(outputs, isPresent));
}

/// Replaces `op` by the op of `form`'s record if from that the way back leads
/// to what `op` is; else nothing is changed.
static void upgradeReversibly(NodeOp op, const OperatorHistory &history,
                              const OperatorHistory::Version &form,
                              OpBuilder &builder) {
  if (!op.getGraphs().empty() || !hasInverse(*form.rule))
    return;
  // What a rule has against the node is for others to report.
  ScopedDiagnosticHandler drop(op.getContext(),
                               [](Diagnostic &) { return success(); });
  std::optional<OperatorHistory::Version> found =
      findForm(op, history, std::nullopt);
  if (!found || found->rule != form.rule)
    return;
  Operation *before = op->getPrevNode();
  auto undo = [&] { eraseBetween(before, op); };
  builder.setInsertionPoint(op);
  NodeUpgrade node(op, form.record, builder);
  if (failed(applySteps(node, form.rule->steps)))
    return undo();
  // More than helper constants is more than one op.
  for (Operation *made = op->getPrevNode(); made != before;
       made = made->getPrevNode())
    if (!isa<ConstantOp>(made))
      return undo();
  if (!node.finish.empty())
    return undo();
  FailureOr<SmallVector<Value>> results =
      buildNode(builder, op.getLoc(), *node.record, takeParts(node));
  if (failed(results))
    return undo();
  Operation *made = op->getPrevNode();
  if (failed(verifyBuiltNode(made, [](OpResult, Type) {})))
    return undo();
  NodeUpgrade original(op, std::nullopt, builder);
  if (!givesBack(made, *form.rule, original)) {
    made->setAttr(model::oldAttributes, op.getOnnxAttributes());
    if (!givesBack(made, *form.rule, original))
      return undo();
  }
  results->resize(std::max<size_t>(results->size(), op.getNumResults()));
  // An output that is used and that the newest form does not have.
  for (auto [output, result] : llvm::zip(op.getOutputs(), *results))
    if (!result && !output.use_empty() && !isa<NoneType>(output.getType()))
      return undo();
  refineResults(made);
  [[maybe_unused]] LogicalResult replaced = replaceNode(node, *results);
  assert(succeeded(replaced) && "every output has a result");
}

/// What stays as it is must at least be an operator, where ONNX says which
/// there are.
static LogicalResult checkExistence(NodeOp node, const SchemaTable &schemas,
                                    UnsupportedOps &unsupported) {
  StringRef domain = normalizeDomain(node.getDomain());
  if (node.getVersion() == 0)
    return node->emitError() << "its domain '" << domain
                             << "' is not among the imported operator sets";
  if (!schemas.isKnownDomain(domain) ||
      lookupExperimentalOp(node.getDomain(), node.getOpType()) ||
      lookupContribOp(node.getDomain(), node.getOpType()))
    return success();
  if (!schemas.lookup(domain, node.getOpType())) {
    unsupported.add(node.getOpType(), node.getDomain(), node.getVersion(),
                    node.getLoc(),
                    lookupRefusal(node.getDomain(), node.getOpType()));
    return success();
  }
  const VersionSchema *schema =
      lookupSchema(domain, node.getOpType(), node.getVersion());
  return schema && schema->isReplaced()
             ? reportReplaced(node, schema->getVersion())
             : success();
}

/// Replaces the node if its old form can be written back. A node that has no
/// form is an error.
static LogicalResult upgradeIfReversible(NodeOp node,
                                         const SchemaTable &schemas,
                                         OpBuilder &builder) {
  const OperatorHistory *history =
      schemas.lookup(node.getDomain(), node.getOpType());
  const OperatorHistory::Version *form =
      history ? history->lookup(node.getVersion()) : nullptr;
  std::optional<int64_t> opset = getOpset(node, node.getDomain());
  // Exporters may have written the form of another opset: it is left.
  if (!form || !form->rule || !opset ||
      history->getVersionAt(*opset) != static_cast<int>(node.getVersion()))
    return success();
  if (!findForm(node, *history, *opset))
    return failure();
  if (isImplemented(*form->rule))
    upgradeReversibly(node, *history, *form, builder);
  return success();
}

namespace {
struct UpgradeReversibly
    : onnxc::impl::UpgradeReversiblyBase<UpgradeReversibly> {
  void runOnOperation() override {
    SchemaTable schemas(&getContext());
    OpBuilder builder(&getContext());
    UnsupportedOps unsupported;
    LogicalResult checked = checkForms(getOperation(), schemas);
    LogicalResult visited = visitNodes(getOperation(), [&](NodeOp node) {
      LogicalResult exists = checkExistence(node, schemas, unsupported);
      LogicalResult upgraded = upgradeIfReversible(node, schemas, builder);
      return success(succeeded(exists) && succeeded(upgraded));
    });
    LogicalResult known = unsupported.report(getOperation().getLoc());
    if (failed(checked) || failed(visited) || failed(known))
      signalPassFailure();
  }
};
} // namespace
