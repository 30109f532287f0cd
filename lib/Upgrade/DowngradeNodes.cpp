//===- DowngradeNodes.cpp - The newest forms to those of the model's opset ===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Upgrade/Passes.h"

#include "VersionForm.h"

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
    if (convert)
      return convertAll(schemas);
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
  void convertAll(SchemaTable &schemas);
  LogicalResult convertOp(SchemaOpInterface op, int64_t opset,
                          SchemaTable &schemas, OpBuilder &builder);
  LogicalResult findOpset(SchemaTable &schemas);
  bool isExpressible(SchemaOpInterface op, int64_t opset, SchemaTable &schemas);
  const UpgradeRule *findRule(SchemaOpInterface op, int64_t opset,
                              SchemaTable &schemas);
  LogicalResult downgrade(Operation *op, const UpgradeRule &rule,
                          OpBuilder &builder);
  void replace(NewNode &node, OpBuilder &builder);
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
    if (convert && lookupSchema(domain, rule.op, rule.version)->isReplaced())
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
  replace(node, builder);
  return success();
}

/// Replaces the op by the node that it has become.
void DowngradeNodes::replace(NewNode &node, OpBuilder &builder) {
  Operation *op = node.op;
  auto schema = cast<SchemaOpInterface>(op);
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
  Location loc =
      convert ? forgetSpelling(op->getLoc(), node.rule.op, parts.outputs.size())
              : op->getLoc();
  SmallVector<Value> results =
      buildGenericNode(builder, loc, node.rule.op, schema.getOnnxDomain(),
                       node.rule.version, std::move(parts));
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
}

//===----------------------------------------------------------------------===//
// A change of opset
//===----------------------------------------------------------------------===//

void DowngradeNodes::convertAll(SchemaTable &schemas) {
  SmallVector<std::pair<SchemaOpInterface, int64_t>> work;
  getOperation().walk([&](SchemaOpInterface op) {
    if (std::optional<int64_t> opset = getOpset(op, op.getOnnxDomain()))
      work.emplace_back(op, *opset);
  });
  OpBuilder builder(&getContext());
  for (auto [op, opset] : work)
    if (failed(convertOp(op, opset, schemas, builder)))
      signalPassFailure();
}

/// Whether it is an operator of the model that gives a constant; others are
/// written as whatever holds the value.
static bool isConstantNode(ConstantOp constant) {
  SourceAttr source = getSource(constant->getLoc());
  return source && source.getOp() == "Constant" &&
         !constant->hasAttr("onnx.initializer");
}

/// A Constant by a number or a list becomes one by a tensor, where versions
/// have only that.
static void useTensor(ConstantOp constant, const VersionSchema &schema) {
  bool isKnown =
      llvm::any_of(schema.getAttributes(), [](const FormalAttribute &formal) {
        return formal.name == "value_int";
      });
  DenseElementsAttr value = getConstant(constant.getOutput());
  if (isKnown || !value || constant.getValueAttr())
    return;
  for (StringRef name : {"value_int", "value_ints", "value_float",
                         "value_floats", "value_string", "value_strings"})
    constant->removeAttr(name);
  constant.setValueAttr(value);
}

/// An operator of a type that the Constant of this opset does not have is an
/// initializer, which functions do not have.
static void makeInitializer(ConstantOp constant, const VersionSchema &schema) {
  auto func = constant->getParentOfType<func::FuncOp>();
  if (!(func && func->hasAttr("onnx.function")) &&
      !schema.getOutputs().front().takes(constant.getOutput().getType()))
    constant->setAttr("onnx.initializer",
                      UnitAttr::get(constant->getContext()));
}

LogicalResult DowngradeNodes::convertOp(SchemaOpInterface op, int64_t opset,
                                        SchemaTable &schemas,
                                        OpBuilder &builder) {
  StringRef domain = op.getOnnxDomain();
  auto constant = dyn_cast<ConstantOp>(op.getOperation());
  if (constant && !isConstantNode(constant))
    return success();
  const UpgradeRule *found = findRule(op, opset, schemas);
  std::optional<int> version =
      found ? found->version
            : schemas.lookup(domain, op.getOnnxName())->getVersionAt(opset);
  auto refuse = [&](const Twine &why) -> LogicalResult {
    InFlightDiagnostic error = op->emitError()
                               << "has no form at opset " << opset;
    if (!domain.empty())
      error << " of domain '" << domain << "'";
    return error << why;
  };
  if (!version) {
    // An older form may have become several operators.
    SourceAttr source = getSource(op->getLoc());
    std::string what = source && source.getOp() != op.getOnnxName()
                           ? ("it needs " + op.getOnnxName() + ", which").str()
                           : "the operator";
    int first =
        schemas.lookup(domain, op.getOnnxName())->versions.begin()->first;
    return refuse(": " + what + " exists from opset " + Twine(first) + " on");
  }
  StringRef name = found ? found->op : op.getOnnxName();
  const VersionSchema &schema = *lookupSchema(domain, name, *version);
  if (constant) {
    useTensor(constant, schema);
    makeInitializer(constant, schema);
    if (!isConstantNode(constant))
      return success();
  }

  UpgradeRule asItIs{name, *version, {}};
  NewNode node(op, found ? *found : asItIs, /*isConversion=*/true);
  auto refuseForm = [&](StringRef why) {
    return refuse(", where " + name + " is of version " + Twine(*version) +
                  ": " + why);
  };
  if (failed(node.revert()))
    return refuseForm(node.getReason());
  const size_t numGiven = node.attributes.getAttrs().size();
  dropDefaults(schema, found, node.attributes);
  // What the model had in this version keeps its limits, known or not.
  const bool isSame = !found && op->hasAttr(sameVersionName);
  op->removeAttr(sameVersionName);
  if (isSame && node.attributes.getAttrs().size() == numGiven &&
      findFault(node, schema).empty())
    return success();
  // No input may be overwritten.
  if (name == "BatchNormalization" && *version == 1)
    node.attributes.set("consumed_inputs", builder.getDenseI64ArrayAttr(
                                               SmallVector<int64_t>(5, 0)));
  if (domain.empty() && opset < 11 && !countAxesFromFront(node))
    return refuseForm("axes are counted from the front there, and the rank of "
                      "its input is not known");
  builder.setInsertionPoint(op);
  supplyEmptyInputs(schema, builder, op->getLoc(), node.inputs);
  std::string misfit = findMisfit(node, schema);
  if (misfit.empty())
    misfit = findLimit(node, *version);
  if (!misfit.empty())
    return refuseForm(misfit);
  op->removeAttr(oldVersionName);
  if (found) {
    replace(node, builder);
    return success();
  }
  // The same form, but for what says nothing.
  for (StringAttr attribute : op->getRegisteredInfo()->getAttributeNames())
    if (!attribute.getValue().ends_with("SegmentSizes")) {
      if (Attribute value = node.attributes.get(attribute))
        op->setAttr(attribute, value);
      else
        op->removeAttr(attribute);
    }
  op->setLoc(forgetSpelling(op->getLoc(), name, node.outputs.size()));
  return success();
}
