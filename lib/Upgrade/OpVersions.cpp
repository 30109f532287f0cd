//===- OpVersions.cpp - Which operator versions a model uses --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Upgrade/OpVersions.h"

#include "onnxc/Contrib/Expansion.h"
#include "onnxc/Dialect/ONNX/NodeUpgrade.h"
#include "onnxc/Upgrade/NodeDowngrade.h"

#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Schema.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;

static std::string describeStep(const UpgradeStep &step) {
  std::string name = ("'" + step.name + "'").str();
  switch (step.kind) {
  case UpgradeStep::Kind::DropAttr:
    return "drops " + name;
  case UpgradeStep::Kind::SetDefault:
    return "states the default of " + name;
  case UpgradeStep::Kind::AttrToInput:
    return "attribute " + name + " becomes an input";
  case UpgradeStep::Kind::RenameAttr:
    return "attribute " + name + " becomes '" +
           std::get<StringRef>(step.value).str() + "'";
  case UpgradeStep::Kind::Custom:
    return step.name.str();
  }
  return "";
}

static std::string describeRule(const UpgradeRule &rule) {
  if (rule.steps.empty())
    return "the same but for its version";
  return llvm::join(llvm::map_range(rule.steps, describeStep), ", ");
}

/// What becomes of a node that is not an op of its own yet.
static OpVersionUse describeUse(NodeOp node, const SchemaTable &schemas) {
  OpVersionUse use;
  use.domain = node.getDomain().str();
  use.opType = node.getOpType().str();
  use.version = node.getVersion();
  const OperatorHistory *history = schemas.lookup(use.domain, use.opType);
  const OperatorHistory::Version *form =
      history ? history->lookup(use.version) : nullptr;
  if (form) {
    use.newest = form->record.getInterface<SchemaOpInterface>()
                     ->getSchemaVersions()
                     .back();
    if (form->rule)
      use.rule = describeRule(*form->rule);
    return use;
  }
  if (lookupContribOp(use.domain, use.opType) ||
      lookupExperimentalOp(use.domain, use.opType))
    use.rule = "becomes standard operators";
  else
    use.isUnknown = true;
  return use;
}

std::vector<OpVersionUse> onnxc::listOpVersions(ModuleOp module) {
  SchemaTable schemas(module.getContext());
  using Key = std::tuple<std::string, std::string, int64_t>;
  std::map<Key, OpVersionUse> uses;
  module.walk([&](Operation *op) {
    OpVersionUse use;
    SourceAttr source = getSource(op->getLoc());
    if (auto node = dyn_cast<NodeOp>(op)) {
      use = describeUse(node, schemas);
    } else if (auto schema = dyn_cast<SchemaOpInterface>(op)) {
      // Initializers are constants that no node made.
      if (source && source.getOp() == "Initializer")
        return;
      use.domain = schema.getOnnxDomain().str();
      use.opType = schema.getOnnxName().str();
      use.newest = schema.getSchemaVersions().back();
      use.version = use.newest;
      const OperatorHistory *history = schemas.lookup(use.domain, use.opType);
      if (std::optional<int64_t> opset = getOpset(op, use.domain);
          opset && history)
        use.version = history->getVersionAt(*opset).value_or(use.newest);
    } else {
      return;
    }
    OpVersionUse &known =
        uses.try_emplace({use.domain, use.opType, use.version}, use)
            .first->second;
    ++known.count;
  });
  std::vector<OpVersionUse> sorted;
  for (auto &[key, use] : uses)
    sorted.push_back(std::move(use));
  return sorted;
}
