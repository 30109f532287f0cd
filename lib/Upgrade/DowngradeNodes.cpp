//===- DowngradeNodes.cpp - The newest forms to those of the model's opset ===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Upgrade/Passes.h"

#include "NewNode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc {
#define GEN_PASS_DEF_DOWNGRADENODES
#include "onnxc/Upgrade/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {
struct DowngradeNodes : onnxc::impl::DowngradeNodesBase<DowngradeNodes> {
  using DowngradeNodesBase::DowngradeNodesBase;

  void runOnOperation() override {
    SchemaTable schemas(&getContext());
    SmallVector<std::pair<Operation *, const UpgradeRule *>> work;
    getOperation().walk([&](SchemaOpInterface op) {
      if (const UpgradeRule *rule = findRule(op, schemas))
        work.emplace_back(op, rule);
    });
    OpBuilder builder(&getContext());
    for (auto [op, rule] : work)
      if (failed(downgrade(op, *rule, builder)))
        signalPassFailure();
  }

private:
  const UpgradeRule *findRule(SchemaOpInterface op, SchemaTable &schemas);
  LogicalResult downgrade(Operation *op, const UpgradeRule &rule,
                          OpBuilder &builder);
};
} // namespace

/// The rule whose older form is the one in force at the model's opset; null if
/// that has the op as it is, or not at all.
const UpgradeRule *DowngradeNodes::findRule(SchemaOpInterface op,
                                            SchemaTable &schemas) {
  ArrayRef<UpgradeRule> rules = op.getUpgradeRules();
  if (rules.empty())
    return nullptr;
  StringRef domain = op.getOnnxDomain();
  std::optional<int64_t> opset = getOpset(op, domain);
  if (!opset)
    return nullptr;
  SourceAttr source = getSource(op->getLoc());
  auto getPreference = [&](const UpgradeRule &rule) {
    if (source && rule.op == source.getOp())
      return 3;
    return rule.op == op.getOnnxName() ? 2 : 1;
  };
  // An operator that another one has replaced is named only by who had it.
  const OperatorHistory *own = schemas.lookup(domain, op.getOnnxName());
  std::optional<int> version = own->getVersionAt(*opset);
  bool isLegal =
      version && llvm::is_contained(op.getSchemaVersions(), *version);
  const UpgradeRule *best = nullptr;
  int preference = isLegal ? 2 : 0;
  for (const UpgradeRule &rule : rules) {
    const OperatorHistory *history = schemas.lookup(domain, rule.op);
    if (history->getVersionAt(*opset) != rule.version ||
        getPreference(rule) <= preference)
      continue;
    // The source may have been of another version of the same operator.
    if (isLegal && rule.op == op.getOnnxName())
      continue;
    best = &rule;
    preference = getPreference(rule);
  }
  return best;
}

LogicalResult DowngradeNodes::downgrade(Operation *op, const UpgradeRule &rule,
                                        OpBuilder &builder) {
  NewNode node(op, rule);
  auto schema = cast<SchemaOpInterface>(op);
  if (failed(node.revert()))
    return op->emitError() << "has no form at opset "
                           << *getOpset(op, schema.getOnnxDomain())
                           << ", where " << rule.op << " is of version "
                           << rule.version << ": " << node.getReason();
  builder.setInsertionPoint(op);
  NodeParts parts;
  parts.inputs = node.inputs;
  parts.attributes = node.attributes;
  parts.outputs = node.outputs;
  for (auto [name, region] :
       llvm::zip(schema.getRegionNames(), op->getRegions())) {
    auto moved = std::make_unique<Region>();
    moved->takeBody(region);
    parts.graphs.emplace_back(name.str(), std::move(moved));
  }
  SmallVector<Value> results =
      buildGenericNode(builder, op->getLoc(), rule.op, schema.getOnnxDomain(),
                       rule.version, std::move(parts));
  unsigned next = 0;
  for (Value result : results)
    if (result)
      op->getResult(next++).replaceAllUsesWith(result);
  SmallVector<Operation *> helpers;
  for (Value operand : op->getOperands())
    if (Operation *constant = operand.getDefiningOp<ConstantOp>())
      if (!llvm::is_contained(helpers, constant))
        helpers.push_back(constant);
  op->erase();
  // Constants of the model stay, used or not.
  for (Operation *constant : helpers) {
    SourceAttr source = getSource(constant->getLoc());
    bool isOfModel = constant->hasAttr("onnx.initializer") ||
                     (source && (source.getOp() == "Initializer" ||
                                 source.getOp() == "Constant"));
    if (!isOfModel && constant->use_empty())
      constant->erase();
  }
  ++numDowngraded;
  return success();
}
