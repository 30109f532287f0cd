//===- DowngradeNodes.cpp - The newest forms to those of the model's opset ===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/ConvertOpset/Passes.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Upgrade/Passes.h"

#include "onnxc/Upgrade/VersionForm.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/IRVersion.h"
#include "onnxc/Dialect/ONNX/LegacyForms.h"
#include "onnxc/Dialect/ONNX/Normalization.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace onnxc {
#define GEN_PASS_DEF_DOWNGRADENODES
#include "onnxc/ConvertOpset/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

static std::string findFaultAsItIs(SchemaOpInterface op, int64_t opset,
                                   SchemaTable &schemas);

namespace {
struct DowngradeNodes : onnxc::impl::DowngradeNodesBase<DowngradeNodes> {
  using DowngradeNodesBase::DowngradeNodesBase;

  void runOnOperation() override {
    SchemaTable schemas(&getContext());
    if (raiseOpset && failed(findOpset(schemas)))
      return signalPassFailure();
    if (convert)
      convertAll(schemas);
    else
      downgradeAll(schemas);
    writeConstants(schemas);
  }

private:
  void downgradeAll(SchemaTable &schemas) {
    SmallVector<std::pair<Operation *, const UpgradeRule *>> work;
    getOperation().walk([&](SchemaOpInterface op) {
      std::optional<int64_t> opset = getOpset(op, op.getOnnxDomain());
      if (!opset)
        return;
      if (const UpgradeRule *rule = findRule(op, *opset, schemas))
        work.emplace_back(op, rule);
      else if (std::string fault = findFaultAsItIs(op, *opset, schemas);
               !fault.empty()) {
        op->emitError() << "has no form at opset " << *opset << ": " << fault;
        signalPassFailure();
      }
    });
    OpBuilder builder(&getContext());
    for (auto [op, rule] : work)
      if (failed(downgrade(op, *rule, builder)))
        signalPassFailure();
  }

  void convertAll(SchemaTable &schemas);
  void writeConstants(SchemaTable &schemas);
  void writeAsCast(ConstantOp constant, int64_t opset, SchemaTable &schemas);
  LogicalResult convertOp(SchemaOpInterface op, int64_t opset,
                          SchemaTable &schemas, OpBuilder &builder);
  LogicalResult findOpset(SchemaTable &schemas);
  bool isExpressible(SchemaOpInterface op, int64_t opset, SchemaTable &schemas);
  const UpgradeRule *findRule(SchemaOpInterface op, int64_t opset,
                              SchemaTable &schemas);
  LogicalResult downgrade(Operation *op, const UpgradeRule &rule,
                          OpBuilder &builder);
  void replace(NodeDowngrade &node, OpBuilder &builder);
};
} // namespace

static bool isLegalAt(SchemaOpInterface op, int64_t opset,
                      SchemaTable &schemas) {
  std::optional<int> version =
      schemas.lookup(op.getOnnxDomain(), op.getOnnxName())->getVersionAt(opset);
  return version && llvm::is_contained(op.getSchemaVersions(), *version);
}

/// Why the version of the node's rule does not take the node, "" if it does:
/// what passes make has the types and attributes of the newest version. Where
/// exporters have written forms of other versions, nothing is said.
static std::string findFaultAt(const NodeDowngrade &node, int64_t opset) {
  StringRef domain = cast<SchemaOpInterface>(node.op).getOnnxDomain();
  const VersionSchema *schema =
      lookupSchema(domain, node.rule.op, node.rule.version);
  if (!schema || schema->isReplaced() || mayHaveOtherForm(domain, opset))
    return "";
  std::string fault = findFault(node, *schema);
  if (!fault.empty() &&
      isWrittenEarly(node.rule.op, node.rule.version, node.attributes) &&
      fault ==
          findUndefinedValue(node.rule.op, node.rule.version, node.attributes))
    return "";
  return fault;
}

/// The same of an op that is written as it is. Constants find a place of their
/// own.
static std::string findFaultAsItIs(SchemaOpInterface op, int64_t opset,
                                   SchemaTable &schemas) {
  std::optional<int> version =
      schemas.lookup(op.getOnnxDomain(), op.getOnnxName())->getVersionAt(opset);
  if (!version || isa<ConstantOp>(op.getOperation()))
    return "";
  UpgradeRule asItIs{op.getOnnxName(), *version, {}};
  return findFaultAt(NodeDowngrade(op, asItIs), opset);
}

bool DowngradeNodes::isExpressible(SchemaOpInterface op, int64_t opset,
                                   SchemaTable &schemas) {
  const UpgradeRule *rule = findRule(op, opset, schemas);
  if (!rule)
    return isLegalAt(op, opset, schemas) &&
           findFaultAsItIs(op, opset, schemas).empty();
  NodeDowngrade node(op, *rule);
  return succeeded(node.revert()) && findFaultAt(node, opset).empty();
}

/// Changes the model's opset to the least one that has a form of every op of
/// the graph, if the model's own has not. Functions have their own.
LogicalResult DowngradeNodes::findOpset(SchemaTable &schemas) {
  ModuleOp module = getOperation();
  auto imports = module->getAttrOfType<DictionaryAttr>(model::opsetImports);
  auto current =
      imports ? imports.getAs<IntegerAttr>("ai.onnx") : IntegerAttr();
  if (!current)
    return success();
  SmallVector<SchemaOpInterface> ops;
  auto collect = [&] {
    ops.clear();
    module.walk([&](Operation *op) {
      if (op->hasAttr(model::function))
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
    module->setAttr(model::opsetImports, raised.getDictionary(&getContext()));
    auto version = module->getAttrOfType<IntegerAttr>(model::irVersion);
    if (version && version.getInt() < getIRVersionOf(opset))
      module->setAttr(model::irVersion,
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
  NodeDowngrade node(op, rule);
  int64_t opset = *getOpset(op, cast<SchemaOpInterface>(op).getOnnxDomain());
  auto refuse = [&](StringRef reason) -> LogicalResult {
    return op->emitError() << "has no form at opset " << opset << ", where "
                           << rule.op << " is of version " << rule.version
                           << ": " << reason;
  };
  if (failed(node.revert()))
    return refuse(node.getReason());
  if (std::string fault = findFaultAt(node, opset); !fault.empty())
    return refuse(fault);
  replace(node, builder);
  return success();
}

/// Replaces the op by the node that it has become.
void DowngradeNodes::replace(NodeDowngrade &node, OpBuilder &builder) {
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
    bool isOfModel = constant->hasAttr(model::initializer) ||
                     (source && (source.getOp() == "Initializer" ||
                                 source.getOp() == ConstantOp::getOnnxName()));
    if (!isOfModel && constant->use_empty())
      constant->erase();
  }
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
  return source && source.getOp() == ConstantOp::getOnnxName() &&
         !constant->hasAttr(model::initializer);
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
  if (!(func && func->hasAttr(model::function)) &&
      !schema.getOutputs().front().takes(constant.getOutput().getType()))
    constant->setAttr(model::initializer,
                      UnitAttr::get(constant->getContext()));
}

/// Whether the model has a Constant node here, in whatever form; others come
/// from passes.
static bool isNodeOfModel(ConstantOp constant) {
  SourceAttr source = getSource(constant->getLoc());
  return source && source.getOp() == ConstantOp::getOnnxName() &&
         source.getAttributes();
}

/// The elements in double precision, exactly; null if that does not hold them.
static DenseElementsAttr toDoubles(DenseElementsAttr elements) {
  constexpr unsigned mantissaBits = 53;
  auto type = dyn_cast<IntegerType>(elements.getElementType());
  if (!type)
    return {};
  SmallVector<double> numbers;
  for (const APInt &element : elements.getValues<APInt>()) {
    bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
    if ((isUnsigned ? element : element.abs()).getActiveBits() > mantissaBits)
      return {};
    numbers.push_back(element.roundToDouble(/*isSigned=*/!isUnsigned));
  }
  return DenseElementsAttr::get(
      cast<ShapedType>(elements.getType())
          .clone(Float64Type::get(elements.getContext())),
      ArrayRef<double>(numbers));
}

/// Integers where there is neither an initializer nor a Constant of integers:
/// in functions, and before IR version 4. They are a Cast of a Constant.
/// (Rewrites make none before opset 6, whose Cast ONNX Runtime does not have.)
void DowngradeNodes::writeAsCast(ConstantOp constant, int64_t opset,
                                 SchemaTable &schemas) {
  DenseElementsAttr elements = getConstant(constant.getOutput());
  DenseElementsAttr doubles =
      elements ? toDoubles(elements) : DenseElementsAttr();
  // The exporter finds another place, or says that there is none.
  if (!doubles)
    return;
  OpBuilder builder(constant);
  Location loc = constant->getLoc();
  SourceAttr source = getSource(loc);
  std::string name = "constant";
  if (source && source.getOutputs() && !source.getOutputs().empty())
    name = cast<StringAttr>(source.getOutputs()[0]).str();
  auto helper = SourceAttr::get(
      &getContext(), builder.getStringAttr(""),
      builder.getStringAttr(ConstantOp::getOnnxName()),
      builder.getStrArrayAttr({name + "_double"}), nullptr, nullptr, nullptr);
  OperationState state(FusedLoc::get({loc}, helper, &getContext()),
                       ConstantOp::getOperationName());
  state.addAttribute("value", doubles);
  state.addTypes(doubles.getType());
  Value given = builder.create(state)->getResult(0);
  auto cast = CastOp::create(
      builder, loc, constant.getOutput().getType(), given,
      builder.getI64IntegerAttr(getDataType(elements.getElementType())),
      /*round_mode=*/StringAttr(), /*saturate=*/IntegerAttr());
  constant.getOutput().replaceAllUsesWith(cast.getOutput());
  constant->erase();
  if (const UpgradeRule *rule = findRule(cast, opset, schemas))
    if (failed(downgrade(cast, *rule, builder)))
      signalPassFailure();
}

/// What a pass made and the Constant of the opset does not hold (before opset 9
/// it holds floats alone) becomes an initializer, or what else may stand there.
void DowngradeNodes::writeConstants(SchemaTable &schemas) {
  auto version = getOperation()->getAttrOfType<IntegerAttr>(model::irVersion);
  bool hasInitializers = !version || version.getInt() >= 4;
  SmallVector<std::pair<ConstantOp, int64_t>> work;
  getOperation().walk([&](ConstantOp constant) {
    std::optional<int64_t> opset = getOpset(constant, "");
    std::optional<int> since =
        opset ? schemas.lookup("", ConstantOp::getOnnxName())
                    ->getVersionAt(*opset)
              : std::nullopt;
    if (since && constant.getValueAttr() && !isNodeOfModel(constant) &&
        !lookupSchema("", ConstantOp::getOnnxName(), *since)
             ->getOutputs()
             .front()
             .takes(constant.getOutput().getType()))
      work.emplace_back(constant, *opset);
  });
  for (auto [constant, opset] : work) {
    auto func = constant->getParentOfType<func::FuncOp>();
    SourceAttr source = getSource(constant->getLoc());
    if (constant->hasAttr(model::initializer) ||
        (source && source.getOp() == "Initializer"))
      continue;
    if (hasInitializers && !(func && func->hasAttr(model::function)))
      constant->setAttr(model::initializer, UnitAttr::get(&getContext()));
    else
      writeAsCast(constant, opset, schemas);
  }
}

/// Gives the op the form that it has at the opset, or says why there is none.
/// Long: each step may find a reason, and the first one is reported.
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
  NodeDowngrade node(op, found ? *found : asItIs, /*isConversion=*/true);
  auto refuseForm = [&](StringRef why) {
    return refuse(", where " + name + " is of version " + Twine(*version) +
                  ": " + why);
  };
  if (failed(node.revert()))
    return refuseForm(node.getReason());
  const size_t numGiven = node.attributes.getAttrs().size();
  dropDefaults(schema, found, node.attributes);
  // What the model had in this version keeps its limits, known or not.
  const bool isSame = !found && op->hasAttr(model::sameVersion);
  op->removeAttr(model::sameVersion);
  if (isSame && node.attributes.getAttrs().size() == numGiven &&
      findFault(node, schema).empty())
    return success();
  // No input may be overwritten.
  if (name == BatchNormalizationOp::getOnnxName() && *version == 1)
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
  op->removeAttr(model::oldVersion);
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
