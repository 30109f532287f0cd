//===- NodeForms.cpp - The form a node has, and its replacement -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Upgrade/NodeForms.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "CustomRules.h"
#include "onnxc/Contrib/Expansion.h"
#include "onnxc/Upgrade/VersionForm.h"

#include "onnxc/Dialect/ONNX/LegacyForms.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The input that an attribute becomes; null if it equals the default. A
/// single number becomes a scalar of the type of the node's first input, which
/// such inputs are of if they must be of one type (`isLikeFirst`), and can be.
static FailureOr<Value> makeInput(NodeUpgrade &node, Attribute attribute,
                                  ValueKind kind, bool isLikeFirst) {
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    if (integers.empty() && kind == ValueKind::Optional)
      return Value();
    return node.ints(integers.asArrayRef());
  }
  if (auto floats = dyn_cast<DenseF32ArrayAttr>(attribute))
    return node.floats(floats.asArrayRef());
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return node.integer(integer.getInt());
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    Value first = node.getInput(0);
    if (!first)
      return failure();
    if (!isLikeFirst && !getElementType(first))
      return node.number(number.getValueAsDouble(), node.builder.getF32Type());
    return node.number(number.getValueAsDouble(), first);
  }
  return failure();
}

static LogicalResult attrToInput(NodeUpgrade &node, StringRef name) {
  Attribute attribute = node.attributes.erase(name);
  if (!attribute)
    return success();
  ArrayRef<ValueSpec> specs =
      node.record->getInterface<SchemaOpInterface>()->getOperandSpecs();
  for (auto [index, spec] : llvm::enumerate(specs)) {
    if (spec.name != name)
      continue;
    if (node.getInput(index))
      return node.emitError()
             << "'" << name << "' is given as attribute and as input";
    FailureOr<Value> input = makeInput(node, attribute, spec.kind,
                                       spec.typeVar == specs.front().typeVar);
    if (failed(input))
      return node.emitError()
             << "attribute '" << name << "' is of type "
             << getAttributeKind(attribute) << ", which is not allowed here";
    if (*input)
      node.setInput(index, *input);
    return success();
  }
  return node.emitError() << "attribute '" << name << "' has no input";
}

static Attribute makeAttribute(Builder &builder, const UpgradeStep &step) {
  if (const auto *integer = std::get_if<int64_t>(&step.value))
    return builder.getI64IntegerAttr(*integer);
  if (const auto *number = std::get_if<double>(&step.value))
    return builder.getF32FloatAttr(static_cast<float>(*number));
  return builder.getStringAttr(std::get<StringRef>(step.value));
}

static LogicalResult applyStep(NodeUpgrade &node, const UpgradeStep &step) {
  switch (step.kind) {
  case UpgradeStep::Kind::DropAttr:
    node.attributes.erase(step.name);
    return success();
  case UpgradeStep::Kind::SetDefault:
    if (!node.attributes.get(step.name))
      node.attributes.set(step.name, makeAttribute(node.builder, step));
    return success();
  case UpgradeStep::Kind::RenameAttr:
    if (Attribute value = node.attributes.erase(step.name))
      node.attributes.set(std::get<StringRef>(step.value), value);
    return success();
  case UpgradeStep::Kind::AttrToInput:
    return attrToInput(node, step.name);
  case UpgradeStep::Kind::Custom:
    return lookupCustomRule(step.name)(node);
  }
  return failure();
}

LogicalResult onnxc::applySteps(NodeUpgrade &node,
                                ArrayRef<UpgradeStep> steps) {
  for (const UpgradeStep &step : steps)
    if (failed(applyStep(node, step)))
      return failure();
  return success();
}

bool onnxc::isImplemented(const UpgradeRule &rule) {
  return llvm::all_of(rule.steps, [](const UpgradeStep &step) {
    return step.kind != UpgradeStep::Kind::Custom ||
           lookupCustomRule(step.name);
  });
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// What is wrong with the node as one of version `schema`; empty if nothing.
static std::string findNodeFault(NodeOp node, const VersionSchema &schema) {
  auto getTypes = [](ValueRange values) {
    SmallVector<Type> types;
    for (Type type : values.getTypes())
      types.push_back(isa<NoneType>(type) ? Type() : type);
    return types;
  };
  std::string fault = schema.findFault(
      getTypes(node.getInputs()), node.getOnnxAttributes().getValue(),
      llvm::to_vector(node.getRegionNames().getAsValueRange<StringAttr>()),
      getTypes(node.getOutputs()));
  return fault.empty()
             ? findUndefinedValue(node.getOpType(), schema.getVersion(),
                                  node.getOnnxAttributes())
             : fault;
}

std::optional<OperatorHistory::Version>
onnxc::findForm(NodeOp node, const OperatorHistory &history,
                std::optional<int64_t> opset) {
  std::string domain = normalizeDomain(node.getDomain()).str();
  const bool mayDiffer =
      mayHaveOtherForm(domain, opset.value_or(node.getVersion()));
  std::optional<int> inForce =
      opset ? history.getVersionAt(*opset) : std::nullopt;
  const int ofNode = static_cast<int>(node.getVersion());
  const VersionSchema *stated = nullptr;
  std::optional<OperatorHistory::Version> replaced, newer;
  for (const auto &[version, form] : llvm::reverse(history.versions)) {
    const VersionSchema *schema =
        lookupSchema(domain, node.getOpType(), version);
    if (!schema)
      continue;
    // An operator that another one has replaced has the form that it had.
    if (schema->isReplaced()) {
      if (version <= ofNode)
        replaced = form;
      continue;
    }
    OperatorHistory::Version found =
        std::exchange(replaced, std::nullopt).value_or(form);
    if (!stated &&
        version <= std::max<int64_t>(node.getVersion(), inForce.value_or(0)))
      stated = schema;
    if (!mayDiffer && schema != stated)
      continue;
    bool isNewer = version > ofNode;
    if (isNewer ? version >= firstStableOpset : !form.rule)
      continue;
    if (!findNodeFault(node, *schema).empty())
      continue;
    if (!isNewer)
      return found;
    static const UpgradeRule asItIs{};
    newer = {form.record, form.rule ? form.rule : &asItIs};
  }
  if (newer)
    return newer;
  std::string fault = stated ? findNodeFault(node, *stated) : "";
  if (fault.empty())
    return *history.lookup(node.getVersion());
  mlir::emitError(node.getLoc()) << fault;
  return std::nullopt;
}

LogicalResult onnxc::reportReplaced(Operation *op, int version) {
  return op->emitOpError() << "version " << version
                           << " of its domain has replaced the operator by "
                              "another one";
}

/// Whether what was imported as it is has nothing but what the version has that
/// the opset means.
static LogicalResult checkForm(SchemaOpInterface op,
                               const SchemaTable &schemas) {
  SourceAttr source = getSource(op.getLoc());
  std::optional<int64_t> opset = getOpset(op, op.getOnnxDomain());
  if (!opset || !source || source.getOp() != op.getOnnxName())
    return success();
  const OperatorHistory *history =
      schemas.lookup(op.getOnnxDomain(), op.getOnnxName());
  std::optional<int> version = history->getVersionAt(*opset);
  const VersionSchema *schema =
      version ? lookupSchema(op.getOnnxDomain(), op.getOnnxName(), *version)
              : nullptr;
  if (!schema)
    return success();
  if (schema->isReplaced())
    return reportReplaced(op, *version);
  UpgradeRule asItIs{op.getOnnxName(), *version, {}};
  NodeDowngrade node(op, asItIs);
  std::string fault = findFault(node, *schema);
  if (fault.empty())
    return success();
  if (isWrittenEarly(op.getOnnxName(), *version, node.attributes) &&
      fault ==
          findUndefinedValue(op.getOnnxName(), *version, node.attributes)) {
    op.emitWarning() << fault << "; it is taken at opset " << *opset
                     << ", where exporters write it";
    return success();
  }
  return op.emitError() << fault;
}

LogicalResult onnxc::checkForms(ModuleOp module, const SchemaTable &schemas) {
  bool isGood = true;
  module.walk([&](SchemaOpInterface op) {
    isGood &= succeeded(checkForm(op, schemas));
  });
  return success(isGood);
}

//===----------------------------------------------------------------------===//
// Replacement
//===----------------------------------------------------------------------===//

LogicalResult onnxc::replaceNode(NodeUpgrade &node,
                                 MutableArrayRef<Value> results) {
  NodeOp op = node.op;
  for (auto [old, result] : llvm::zip(op.getOutputs(), results)) {
    if (isa<NoneType>(old.getType()))
      continue;
    if (!result) {
      if (!old.use_empty())
        return node.emitError() << "output " << old.getResultNumber()
                                << " does not exist in the newest form";
      continue;
    }
    if (result.getDefiningOp()) {
      Type joined = joinTypes(old.getType(), result.getType());
      if (isSeenAcrossCalls(old))
        result.setType(old.getType());
      else if (joined)
        result.setType(joined);
    }
    old.replaceAllUsesWith(result);
  }
  // One value may stand for several absent inputs.
  llvm::SmallSetVector<Value, 4> inputs(op.getInputs().begin(),
                                        op.getInputs().end());
  op.erase();
  for (Value input : inputs)
    if (auto none = input.getDefiningOp<NoneOp>(); none && none.use_empty())
      none.erase();
  return success();
}

NodeParts onnxc::takeParts(NodeUpgrade &node) {
  NodeParts parts;
  parts.inputs = node.inputs;
  while (!parts.inputs.empty() && !parts.inputs.back())
    parts.inputs.pop_back();
  parts.attributes = node.attributes;
  parts.outputs = node.outputs;
  // What is finished after the op has other types than the op itself.
  if (!node.finish.empty())
    for (Type &type : parts.outputs)
      if (type)
        type = UnknownType::get(node.builder.getContext());
  for (auto [name, region] :
       llvm::zip_equal(node.op.getRegionNames().getAsValueRange<StringAttr>(),
                       node.op.getGraphs())) {
    auto moved = std::make_unique<Region>();
    moved->takeBody(region);
    parts.graphs.emplace_back(name.str(), std::move(moved));
  }
  return parts;
}

LogicalResult onnxc::runFinish(NodeUpgrade &node, SmallVector<Value> &results) {
  results.resize(std::max<size_t>(results.size(), node.op.getNumResults()));
  for (const NodeUpgrade::Finish &finish : llvm::reverse(node.finish))
    if (failed(finish(results)))
      return failure();
  return success();
}

LogicalResult onnxc::finishNode(NodeUpgrade &node, SmallVector<Value> results) {
  return failed(runFinish(node, results)) ? failure()
                                          : replaceNode(node, results);
}

FailureOr<SmallVector<Value>> onnxc::buildNewest(NodeUpgrade &node,
                                                 const UpgradeRule &rule,
                                                 OpBuilder &builder) {
  builder.setInsertionPoint(node.op);
  if (failed(applySteps(node, rule.steps)))
    return failure();
  SmallVector<Value> results = node.make(*node.record, takeParts(node));
  if (node.hasFailed())
    return failure();
  return results;
}

FailureOr<Operation *> onnxc::upgradeNode(NodeOp op,
                                          const OperatorHistory::Version &form,
                                          OpBuilder &builder) {
  NodeUpgrade node(op, form.record, builder);
  FailureOr<SmallVector<Value>> results =
      buildNewest(node, *form.rule, builder);
  if (failed(results))
    return failure();
  Operation *made = op->getPrevNode();
  if (failed(finishNode(node, std::move(*results))))
    return failure();
  return made;
}

void onnxc::eraseBetween(Operation *before, Operation *op) {
  while (op->getPrevNode() != before)
    op->getPrevNode()->erase();
}

/// Replaces the node by the ops that `expand` makes.
static LogicalResult expandNode(NodeOp op, const Expansion &expand,
                                OpBuilder &builder) {
  builder.setInsertionPoint(op);
  NodeUpgrade node(op, std::nullopt, builder);
  SmallVector<Value> results;
  if (failed(expand(node, results)))
    return failure();
  results.resize(std::max<size_t>(results.size(), op.getNumResults()));
  return replaceNode(node, results);
}

LogicalResult onnxc::upgradeToNewest(NodeOp node, const SchemaTable &schemas,
                                     bool keepUnknown,
                                     UnsupportedOps &unsupported,
                                     OpBuilder &builder) {
  const OperatorHistory *history =
      schemas.lookup(node.getDomain(), node.getOpType());
  const OperatorHistory::Version *form =
      history ? history->lookup(node.getVersion()) : nullptr;
  Expansion expand;
  if (!form)
    expand = lookupContribOp(node.getDomain(), node.getOpType());
  if (!form && !expand)
    expand = lookupExperimentalOp(node.getDomain(), node.getOpType());
  if (expand)
    return expandNode(node, expand, builder);
  if (const VersionSchema *schema =
          lookupSchema(normalizeDomain(node.getDomain()), node.getOpType(),
                       node.getVersion());
      schema && schema->isReplaced())
    return reportReplaced(node, schema->getVersion());
  if (!form || !form->rule || !isImplemented(*form->rule)) {
    if (!keepUnknown || form)
      unsupported.add(node.getOpType(), node.getDomain(), node.getVersion(),
                      node.getLoc(),
                      lookupRefusal(node.getDomain(), node.getOpType()));
    return success();
  }
  std::optional<OperatorHistory::Version> found =
      findForm(node, *history, getOpset(node, node.getDomain()));
  if (!found)
    return failure();
  return LogicalResult(upgradeNode(node, *found, builder));
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// The entry's results have the types of what it returns.
static void updateResultTypes(func::FuncOp func) {
  if (!func->hasAttr(model::entry) || func.isExternal())
    return;
  auto terminator =
      dyn_cast<func::ReturnOp>(func.getBody().back().getTerminator());
  if (terminator)
    func.setFunctionType(FunctionType::get(func.getContext(),
                                           func.getArgumentTypes(),
                                           terminator.getOperandTypes()));
}

LogicalResult
onnxc::visitNodes(ModuleOp module,
                  llvm::function_ref<LogicalResult(NodeOp)> visit) {
  bool isGood = true;
  module.walk([&](Operation *op) {
    if (auto node = dyn_cast<NodeOp>(op))
      isGood &= succeeded(visit(node));
    else
      refineResults(op);
  });
  for (auto func : module.getOps<func::FuncOp>())
    updateResultTypes(func);
  return success(isGood);
}
