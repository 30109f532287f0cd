//===- DowngradeNodes.cpp - The newest forms to those of the model's opset ===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Upgrade/Passes.h"

#include "NewNode.h"

#include "onnxc/Dialect/ONNX/IRVersion.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

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
    if (raiseOpset && failed(findOpset(schemas)))
      return signalPassFailure();
    SmallVector<std::pair<Operation *, const UpgradeRule *>> work;
    getOperation().walk([&](SchemaOpInterface op) {
      std::optional<int64_t> opset = getOpset(op, op.getOnnxDomain());
      if (const UpgradeRule *rule =
              opset ? findRule(op, *opset, schemas) : nullptr)
        work.emplace_back(op, rule);
    });
    OpBuilder builder(&getContext());
    for (auto [op, rule] : work)
      if (failed(downgrade(op, *rule, builder)))
        signalPassFailure();
  }

private:
  LogicalResult findOpset(SchemaTable &schemas);
  bool isExpressible(SchemaOpInterface op, int64_t opset, SchemaTable &schemas);
  const UpgradeRule *findRule(SchemaOpInterface op, int64_t opset,
                              SchemaTable &schemas);
  LogicalResult downgrade(Operation *op, const UpgradeRule &rule,
                          OpBuilder &builder);
};
} // namespace

static bool isLegalAt(SchemaOpInterface op, int64_t opset,
                      SchemaTable &schemas) {
  std::optional<int> version =
      schemas.lookup(op.getOnnxDomain(), op.getOnnxName())->getVersionAt(opset);
  return version && llvm::is_contained(op.getSchemaVersions(), *version);
}

bool DowngradeNodes::isExpressible(SchemaOpInterface op, int64_t opset,
                                   SchemaTable &schemas) {
  const UpgradeRule *rule = findRule(op, opset, schemas);
  return rule ? succeeded(NewNode(op, *rule).revert())
              : isLegalAt(op, opset, schemas);
}

/// Changes the model's opset to the least one that has a form of every op of
/// the graph, if the model's own has not. Functions have their own.
LogicalResult DowngradeNodes::findOpset(SchemaTable &schemas) {
  ModuleOp module = getOperation();
  auto imports = module->getAttrOfType<DictionaryAttr>("onnx.opset_imports");
  auto current =
      imports ? imports.getAs<IntegerAttr>("ai.onnx") : IntegerAttr();
  if (!current)
    return success();
  SmallVector<SchemaOpInterface> ops;
  auto collect = [&] {
    ops.clear();
    module.walk([&](Operation *op) {
      if (op->hasAttr("onnx.function"))
        return WalkResult::skip();
      if (auto schema = dyn_cast<SchemaOpInterface>(op);
          schema && schema.getOnnxDomain().empty())
        ops.push_back(schema);
      return WalkResult::advance();
    });
  };
  auto isEnough = [&](int64_t opset) {
    return llvm::all_of(ops, [&](SchemaOpInterface op) {
      return isExpressible(op, opset, schemas);
    });
  };
  collect();
  if (isEnough(current.getInt()))
    return success();
  // Nodes that still are of an older form would mean another thing.
  OpPassManager upgrade(ModuleOp::getOperationName());
  UpgradeNodesOptions options;
  options.keepUnknown = true;
  upgrade.addPass(createUpgradeNodes(options));
  if (failed(runPipeline(upgrade, module)))
    return failure();
  collect();
  for (int64_t opset = current.getInt() + 1;
       opset <= schemas.getNewestOpset(""); ++opset) {
    if (!isEnough(opset))
      continue;
    Builder builder(&getContext());
    NamedAttrList raised(imports);
    raised.set("ai.onnx", builder.getI64IntegerAttr(opset));
    module->setAttr("onnx.opset_imports", raised.getDictionary(&getContext()));
    auto version = module->getAttrOfType<IntegerAttr>("onnx.ir_version");
    if (version && version.getInt() < getIRVersionOf(opset))
      module->setAttr("onnx.ir_version",
                      builder.getI64IntegerAttr(getIRVersionOf(opset)));
    return success();
  }
  return success(); // said of each op that has no form
}

/// The rule whose older form is the one in force at the model's opset; null if
/// that has the op as it is, or not at all.
const UpgradeRule *DowngradeNodes::findRule(SchemaOpInterface op, int64_t opset,
                                            SchemaTable &schemas) {
  ArrayRef<UpgradeRule> rules = op.getUpgradeRules();
  if (rules.empty())
    return nullptr;
  StringRef domain = op.getOnnxDomain();
  SourceAttr source = getSource(op->getLoc());
  auto getPreference = [&](const UpgradeRule &rule) {
    if (source && rule.op == source.getOp())
      return 3;
    return rule.op == op.getOnnxName() ? 2 : 1;
  };
  // An operator that another one has replaced is named only by who had it.
  const bool isLegal = isLegalAt(op, opset, schemas);
  const UpgradeRule *best = nullptr;
  int preference = isLegal ? 2 : 0;
  for (const UpgradeRule &rule : rules) {
    const OperatorHistory *history = schemas.lookup(domain, rule.op);
    if (history->getVersionAt(opset) != rule.version ||
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
