//===- UpgradeNodes.cpp - Older forms to the newest -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Upgrade/Passes.h"

#include "CustomRules.h"

#include "onnxc/Contrib/Expansion.h"
#include "onnxc/Upgrade/VersionForm.h"

#include "onnxc/Dialect/ONNX/LegacyForms.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc {
#define GEN_PASS_DEF_UPGRADENODES
#include "onnxc/Upgrade/Passes.h.inc"
} // namespace onnxc

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
    return node.createInts(integers.asArrayRef());
  }
  if (auto floats = dyn_cast<DenseF32ArrayAttr>(attribute))
    return node.createFloats(floats.asArrayRef());
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return node.createInt(integer.getInt());
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    Value first = node.getInput(0);
    if (!first)
      return failure();
    if (!isLikeFirst && !getElementType(first))
      return node.createConstant(DenseElementsAttr::get(
          RankedTensorType::get({}, node.builder.getF32Type()),
          static_cast<float>(number.getValueAsDouble())));
    return node.createScalarLike(first, number.getValueAsDouble());
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

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Whether lib/Upgrade can do all of the rule.
static bool isImplemented(const UpgradeRule &rule) {
  return llvm::all_of(rule.steps, [](const UpgradeStep &step) {
    return step.kind != UpgradeStep::Kind::Custom ||
           lookupCustomRule(step.name);
  });
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// What is wrong with the node as one of version `schema`; empty if nothing.
static std::string findFault(NodeOp node, const VersionSchema &schema) {
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

/// The form that the node has: that of its version, or at opsets where it may
/// have another one (LegacyForms.h), an older or the next. `opset`: by which
/// the node was read; where a conversion has put another in its place, its
/// version bounds that from below. Nullopt if it has none, with an error.
static std::optional<OperatorHistory::Version>
findForm(NodeOp node, const OperatorHistory &history,
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
    if (!findFault(node, *schema).empty())
      continue;
    if (!isNewer)
      return found;
    static const UpgradeRule asItIs{};
    newer = {form.record, form.rule ? form.rule : &asItIs};
  }
  if (newer)
    return newer;
  std::string fault = stated ? findFault(node, *stated) : "";
  if (fault.empty())
    return *history.lookup(node.getVersion());
  mlir::emitError(node.getLoc()) << fault;
  return std::nullopt;
}

/// Of an operator that is not there any more at the opset of the model.
static LogicalResult reportReplaced(Operation *op, int version) {
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

//===----------------------------------------------------------------------===//
// Replacement
//===----------------------------------------------------------------------===//

/// Gives the uses of the node's outputs to `results` (null: none), and erases
/// it.
static LogicalResult replaceNode(NodeUpgrade &node,
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

/// What the node has become, with its graphs.
static NodeParts takeParts(NodeUpgrade &node) {
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

/// Makes of the new op's results what the old ones are.
static LogicalResult runFinish(NodeUpgrade &node, SmallVector<Value> &results) {
  results.resize(std::max<size_t>(results.size(), node.op.getNumResults()));
  for (const NodeUpgrade::Finish &finish : llvm::reverse(node.finish))
    if (failed(finish(results)))
      return failure();
  return success();
}

/// Makes of the new op's results what the old ones are, and replaces the node.
static LogicalResult finishNode(NodeUpgrade &node, SmallVector<Value> results) {
  return failed(runFinish(node, results)) ? failure()
                                          : replaceNode(node, results);
}

/// Takes all steps of `rule`, and makes the op that the node is then, before
/// it.
static FailureOr<SmallVector<Value>>
buildNewest(NodeUpgrade &node, const UpgradeRule &rule, OpBuilder &builder) {
  builder.setInsertionPoint(node.op);
  for (const UpgradeStep &step : rule.steps)
    if (failed(applyStep(node, step)))
      return failure();
  FailureOr<SmallVector<Value>> results =
      buildNode(builder, node.getLoc(), *node.record, takeParts(node));
  if (failed(results))
    return failure();
  Operation *made = node.op->getPrevNode();
  if (failed(verifyBuiltNode(made, [](OpResult, Type) {})))
    return failure();
  refineResults(made);
  return results;
}

/// Replaces `op` by the op of `form`'s record, and gives that.
static FailureOr<Operation *> upgradeNode(NodeOp op,
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

/// Erases what stands between `before` (null: the block's start) and `op`.
static void eraseBetween(Operation *before, Operation *op) {
  while (op->getPrevNode() != before)
    op->getPrevNode()->erase();
}

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
  for (const UpgradeStep &step :
       ArrayRef(form.rule->steps).take_front(numSteps))
    if (failed(applyStep(node, step)))
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
static bool upgradeReversibly(NodeOp op, const OperatorHistory &history,
                              const OperatorHistory::Version &form,
                              OpBuilder &builder) {
  if (!op.getGraphs().empty() || !hasInverse(*form.rule))
    return false;
  // What a rule has against the node is for others to report.
  ScopedDiagnosticHandler drop(op.getContext(),
                               [](Diagnostic &) { return success(); });
  std::optional<OperatorHistory::Version> found =
      findForm(op, history, std::nullopt);
  if (!found || found->rule != form.rule)
    return false;
  Operation *before = op->getPrevNode();
  auto undo = [&] {
    eraseBetween(before, op);
    return false;
  };
  builder.setInsertionPoint(op);
  NodeUpgrade node(op, form.record, builder);
  for (const UpgradeStep &step : form.rule->steps)
    if (failed(applyStep(node, step)))
      return undo();
  // More than helper constants is more than one op.
  for (Operation *made = op->getPrevNode(); made != before;
       made = made->getPrevNode())
    if (!isa<ConstantOp>(made))
      return undo();
  if (!node.finish.empty())
    return undo();
  NodeParts parts;
  parts.inputs = node.inputs;
  while (!parts.inputs.empty() && !parts.inputs.back())
    parts.inputs.pop_back();
  parts.attributes = node.attributes;
  parts.outputs = node.outputs;
  FailureOr<SmallVector<Value>> results =
      buildNode(builder, op.getLoc(), *node.record, std::move(parts));
  if (failed(results))
    return undo();
  Operation *made = op->getPrevNode();
  if (failed(verifyBuiltNode(made, [](OpResult, Type) {})))
    return undo();
  NodeUpgrade original(op, std::nullopt, builder);
  if (!givesBack(made, *form.rule, original)) {
    made->setAttr(oldAttributesName, op.getOnnxAttributes());
    if (!givesBack(made, *form.rule, original))
      return undo();
  }
  refineResults(made);
  results->resize(std::max<size_t>(results->size(), op.getNumResults()));
  return succeeded(replaceNode(node, *results));
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

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct UpgradeNodes : onnxc::impl::UpgradeNodesBase<UpgradeNodes> {
  using UpgradeNodesBase::UpgradeNodesBase;

  void runOnOperation() override {
    SchemaTable schemas(&getContext());
    OpBuilder builder(&getContext());
    UnsupportedOps unsupported;
    bool hadError = false;
    if (!convert)
      getOperation().walk([&](SchemaOpInterface op) {
        hadError |= failed(checkForm(op, schemas));
      });
    // Graphs before the node that has them, nodes in order: whatever comes
    // before a node is in its newest form, with its types inferred.
    getOperation().walk([&](Operation *op) {
      auto node = dyn_cast<NodeOp>(op);
      if (!node) {
        refineResults(op);
        return;
      }
      const OperatorHistory *history =
          schemas.lookup(node.getDomain(), node.getOpType());
      const OperatorHistory::Version *form =
          history ? history->lookup(node.getVersion()) : nullptr;
      if (reversible) {
        std::optional<int64_t> opset = getOpset(node, node.getDomain());
        if (failed(checkExistence(node, schemas, unsupported)))
          hadError = true;
        if (!form || !form->rule || !opset ||
            history->getVersionAt(*opset) !=
                static_cast<int>(node.getVersion()))
          return;
        // Exporters may have written the form of another opset: it is left.
        if (!findForm(node, *history, *opset))
          hadError = true;
        else if (isImplemented(*form->rule) &&
                 upgradeReversibly(node, *history, *form, builder))
          ++numUpgraded;
        return;
      }
      if (convert) {
        const VersionSchema *inForce =
            history ? getSchemaInForce(node, *history) : nullptr;
        if (inForce &&
            inForce->getVersion() == static_cast<int>(node.getVersion()))
          return refineOldResults(node, *history, builder);
        if (!history && !schemas.isKnownDomain(node.getDomain()))
          return;
      }
      if (convert && form && form->rule) {
        std::optional<OperatorHistory::Version> found =
            findForm(node, *history, std::nullopt);
        if (!found || failed(convertNode(node, *found, *history, builder)))
          hadError = true;
        else
          ++numUpgraded;
        return;
      }
      Expansion expand;
      if (!form)
        expand = lookupContribOp(node.getDomain(), node.getOpType());
      if (!form && !expand)
        expand = lookupExperimentalOp(node.getDomain(), node.getOpType());
      if (expand) {
        if (failed(expandNode(node, expand, builder)))
          hadError = true;
        else
          ++numUpgraded;
        return;
      }
      if (const VersionSchema *schema =
              lookupSchema(normalizeDomain(node.getDomain()), node.getOpType(),
                           node.getVersion());
          schema && schema->isReplaced()) {
        hadError |= failed(reportReplaced(node, schema->getVersion()));
        return;
      }
      if (!form || !form->rule || !isImplemented(*form->rule)) {
        if (!keepUnknown || form)
          unsupported.add(node.getOpType(), node.getDomain(), node.getVersion(),
                          node.getLoc(),
                          lookupRefusal(node.getDomain(), node.getOpType()));
        return;
      }
      std::optional<OperatorHistory::Version> found =
          findForm(node, *history, getOpset(node, node.getDomain()));
      if (!found || failed(upgradeNode(node, *found, builder)))
        hadError = true;
      else
        ++numUpgraded;
    });
    for (auto func : getOperation().getOps<func::FuncOp>())
      updateResultTypes(func);
    if (failed(unsupported.report(getOperation().getLoc())) || hadError)
      signalPassFailure();
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

  /// The version that the opset has of the node's operator; null if that is
  /// none, or another operator has taken its place.
  const VersionSchema *getSchemaInForce(NodeOp node,
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
  LogicalResult convertNode(NodeOp node, const OperatorHistory::Version &form,
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
    (*made)->setAttr(oldVersionName, builder.getI64IntegerAttr(oldVersion));
    return success();
  }

  /// The entry's results have the types of what it returns.
  void updateResultTypes(func::FuncOp func) {
    if (!func->hasAttr("onnx.entry") || func.isExternal())
      return;
    auto terminator =
        dyn_cast<func::ReturnOp>(func.getBody().back().getTerminator());
    if (terminator)
      func.setFunctionType(FunctionType::get(func.getContext(),
                                             func.getArgumentTypes(),
                                             terminator.getOperandTypes()));
  }
};
} // namespace
