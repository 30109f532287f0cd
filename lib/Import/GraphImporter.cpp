//===- GraphImporter.cpp - Nodes, initializers, subgraphs -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "TypeReader.h"

#include "onnxc/Dialect/ONNX/LegacyForms.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::optional<Value> Importer::Scope::lookup(StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->outer) {
    auto found = scope->values.find(name);
    if (found != scope->values.end())
      return found->second;
  }
  return std::nullopt;
}

static bool isHole(Value value) {
  return value && value.getDefiningOp<UnrealizedConversionCastOp>();
}

LogicalResult Importer::defineValue(StringRef name, Value value, Scope &scope,
                                    Location loc) {
  auto [known, isNew] = scope.values.try_emplace(name, value);
  // After an error, a placeholder may already stand for this name.
  if (isNew || (hasHoles && isHole(known->second))) {
    known->second = value;
    return success();
  }
  return emitError(loc) << "the value '" << name << "' is defined twice";
}

const onnx::NodeProto *
Importer::findProducer(const Repeated<onnx::NodeProto> *nodes, StringRef name) {
  if (!nodes)
    return nullptr;
  auto [known, isNew] = producers.try_emplace(nodes);
  if (isNew)
    for (const onnx::NodeProto &node : *nodes)
      for (const std::string &output : node.output())
        known->second.try_emplace(output, &node);
  return known->second.lookup(name);
}

FailureOr<Value> Importer::useValue(StringRef name, const llvm::Twine &what,
                                    const Scope &scope, Location loc) {
  if (std::optional<Value> value = scope.lookup(name))
    return *value;
  InFlightDiagnostic error = emitError(loc);
  error << what << " '" << name << "' ";
  for (const Scope *in = &scope; in; in = in->outer)
    if (const onnx::NodeProto *node = findProducer(in->nodes, name))
      return error << "is computed by node '"
                   << (node->name().empty() ? node->output(0) : node->name())
                   << "' (" << node->op_type()
                   << ") further on; nodes must come after those whose "
                      "results they use, and form no cycle";
  return error << "is not defined: no input, initializer or earlier node has "
                  "that name";
}

Location Importer::getNodeLocation(const onnx::NodeProto &node, int index,
                                   const Body &body) {
  auto strings = [&](const auto &range) -> ArrayAttr {
    if (range.empty())
      return nullptr;
    return builder.getStrArrayAttr(
        SmallVector<StringRef>(range.begin(), range.end()));
  };
  SmallVector<StringRef> attributes;
  for (const onnx::AttributeProto &attribute : node.attribute())
    attributes.push_back(attribute.name());
  NamedAttrList metadata;
  if (node.metadata_props_size())
    metadata.append("metadata_props", describeEntries(node.metadata_props()));
  if (!node.overload().empty())
    metadata.append("overload", builder.getStringAttr(node.overload()));
  if (node.domain() == "ai.onnx")
    metadata.append("domain", builder.getStringAttr(node.domain()));
  if (node.input_size() && node.input(node.input_size() - 1).empty())
    metadata.append("inputs", builder.getI64IntegerAttr(node.input_size()));
  if (ArrayAttr names = describeExplicitDefaults(node))
    metadata.append("explicit", names);
  if (!node.unknown_fields().empty())
    metadata.append("unknown_fields",
                    builder.getStringAttr(node.unknown_fields()));
  // The model has the name more than once, and is to be written so.
  if (!node.name().empty() && !body.function &&
      !nodeNames.insert(node.name()).second)
    metadata.append("repeated", builder.getUnitAttr());
  if (node.device_configurations_size()) {
    SmallVector<Attribute> configurations;
    for (const auto &configuration : node.device_configurations())
      configurations.push_back(
          builder.getStringAttr(configuration.SerializeAsString()));
    metadata.append("device_configurations",
                    builder.getArrayAttr(configurations));
  }
  auto source = SourceAttr::get(
      context, builder.getStringAttr(node.name()),
      builder.getStringAttr(node.op_type()), strings(node.output()),
      strings(attributes),
      node.doc_string().empty() ? StringAttr()
                                : builder.getStringAttr(node.doc_string()),
      metadata.empty() ? DictionaryAttr() : metadata.getDictionary(context));
  return FusedLoc::get(
      context,
      {FileLineColLoc::get(filename, static_cast<unsigned>(index) + 1,
                           /*column=*/0)},
      source);
}

//===----------------------------------------------------------------------===//
// What a graph has besides nodes
//===----------------------------------------------------------------------===//

LogicalResult Importer::declareValues(const onnx::GraphProto &graph,
                                      Scope &scope) {
  scope.nodes = &graph.node();
  for (const Repeated<onnx::ValueInfoProto> *infos :
       {&graph.value_info(), &graph.output()})
    for (const onnx::ValueInfoProto &info : *infos) {
      FailureOr<Type> type = readType(
          context, info.type(), sink(fileLoc, "value '" + info.name() + "' "));
      if (failed(type)) {
        if (failed(goOn()))
          return failure();
        continue;
      }
      Type &declared = scope.declared[info.name()];
      // The outputs, which come last, are what callers see.
      if (!declared || !isa<UnknownType>(*type))
        declared = *type;
    }
  return success();
}

LogicalResult Importer::importInitializers(const onnx::GraphProto &graph,
                                           Scope &scope) {
  auto define = [&](StringRef name, Location loc, StringRef attributeName,
                    Attribute value, Type type) {
    OperationState state(loc, "onnx.Constant");
    state.addAttribute(attributeName, value);
    state.addTypes(type);
    return defineValue(name, builder.create(state)->getResult(0), scope, loc);
  };
  auto importDense = [&](size_t index,
                         const onnx::TensorProto &tensor) -> LogicalResult {
    if (tensor.name().empty())
      return emitError(fileLoc) << "initializer " << index << " has no name";
    if (!scope.outer && defaultedNames.erase(tensor.name()))
      return success();
    FailureOr<ElementsAttr> value = readInitializer(tensor);
    if (failed(value))
      return failure();
    return define(
        tensor.name(),
        getInitializerLocation(tensor, *value, static_cast<int>(index)),
        "value", *value, value->getType());
  };
  for (auto [index, tensor] : llvm::enumerate(graph.initializer())) {
    if (succeeded(importDense(index, tensor)))
      continue;
    if (failed(goOn()))
      return failure();
    scope.values.try_emplace(tensor.name(), makeHole(fileLoc));
  }
  auto importSparse = [&](size_t index, const onnx::SparseTensorProto &tensor,
                          const std::string &name) -> LogicalResult {
    if (name.empty())
      return emitError(fileLoc)
             << "sparse initializer " << index << " has no name";
    auto value = tensors.readSparse(
        tensor, name, sink(fileLoc, "sparse initializer '" + name + "' "));
    if (failed(value))
      return failure();
    NamedAttrList metadata;
    describeHeader(tensor, *value, metadata);
    auto source = SourceAttr::get(
        context, builder.getStringAttr(name),
        builder.getStringAttr("Initializer"), builder.getStrArrayAttr({name}),
        nullptr, nullptr,
        metadata.empty() ? DictionaryAttr() : metadata.getDictionary(context));
    return define(name, FusedLoc::get(context, {fileLoc}, source),
                  "sparse_value", *value, value->getType());
  };
  for (auto [index, tensor] : llvm::enumerate(graph.sparse_initializer())) {
    const std::string &name = tensor.values().name();
    if (succeeded(importSparse(index, tensor, name)))
      continue;
    if (failed(goOn()))
      return failure();
    scope.values.try_emplace(name, makeHole(fileLoc));
  }
  return success();
}

FailureOr<ElementsAttr>
Importer::readInitializer(const onnx::TensorProto &tensor) {
  auto error = sink(fileLoc, "initializer '" + tensor.name() + "' ");
  auto value = tensors.read(tensor, tensor.name(), error);
  if (succeeded(value) &&
      isa<Float6E2M3FNType, Float6E3M2FNType>((*value).getElementType())) {
    error("is " + getOnnxTypeName((*value).getShapedType()) +
          ", a type that only a Cast can give");
    return failure();
  }
  return value;
}

/// Initializers stand in column `index` + 1 of line 0, nodes in lines from 1
/// on.
Location Importer::getInitializerLocation(const onnx::TensorProto &tensor,
                                          ElementsAttr value, int index) {
  NamedAttrList metadata;
  if (tensor.metadata_props_size())
    metadata.append("metadata_props", describeEntries(tensor.metadata_props()));
  if (tensor.external_data_size()) {
    metadata.append("external_data", describeEntries(tensor.external_data()));
    metadata.append("value", value);
  }
  describeHeader(tensor, value, metadata);
  auto source = SourceAttr::get(
      context, builder.getStringAttr(tensor.name()),
      builder.getStringAttr("Initializer"),
      builder.getStrArrayAttr({tensor.name()}), nullptr,
      tensor.doc_string().empty() ? StringAttr()
                                  : builder.getStringAttr(tensor.doc_string()),
      metadata.empty() ? DictionaryAttr() : metadata.getDictionary(context));
  auto position =
      FileLineColLoc::get(filename, 0, static_cast<unsigned>(index) + 1);
  return FusedLoc::get(context, {position}, source);
}

LogicalResult Importer::importSubgraph(const onnx::GraphProto &graph,
                                       Location loc, Region &region,
                                       const Scope &outer, Body &body) {
  if (body.depth >= options.maxDepth) {
    isOver = true;
    return emitError(loc) << "subgraphs are nested more than "
                          << options.maxDepth << " deep";
  }
  ++body.depth;
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&region);
  Scope scope(&outer);
  if (failed(declareValues(graph, scope)))
    return failure();
  SmallVector<Attribute> inputs, outputs;
  for (const onnx::ValueInfoProto &input : graph.input()) {
    if (input.name().empty())
      return emitError(loc) << "an input of the subgraph has no name";
    FailureOr<Type> type =
        readType(context, input.type(),
                 sink(loc, "input '" + input.name() + "' of the subgraph "));
    if (failed(type)) {
      if (failed(goOn()))
        return failure();
      type = Type(UnknownType::get(context));
    }
    Location argumentLoc =
        NameLoc::get(builder.getStringAttr(input.name()), fileLoc);
    if (failed(defineValue(input.name(), block->addArgument(*type, argumentLoc),
                           scope, loc)))
      return failure();
    inputs.push_back(describeValue(input, /*withType=*/true, ""));
  }
  if (failed(importInitializers(graph, scope)) ||
      failed(importNodes(graph.node(), scope, body)))
    return failure();

  OperationState state(loc, "onnx.yield");
  for (const onnx::ValueInfoProto &output : graph.output()) {
    FailureOr<Value> value =
        useValue(output.name(), "output of the subgraph", scope, loc);
    if (failed(value)) {
      if (failed(goOn()))
        return failure();
      value = makeHole(loc);
    }
    if (!*value)
      return emitError(loc) << "output '" << output.name()
                            << "' of the subgraph is an input of the function "
                               "that its call leaves out";
    state.addOperands(*value);
    outputs.push_back(describeValue(output, /*withType=*/true, ""));
  }
  NamedAttrList description(describeGraph(graph, nullptr));
  if (!inputs.empty())
    description.append("inputs", builder.getArrayAttr(inputs));
  if (!outputs.empty())
    description.append("outputs", builder.getArrayAttr(outputs));
  state.addAttribute(model::graph, description.getDictionary(context));
  builder.create(state);
  --body.depth;
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Whether an older form may be what was meant where the newest does not have
/// the attributes.
static bool mayBeForm(const OperatorHistory::Version &form,
                      const NodeParts &parts) {
  if (!form.rule)
    return false;
  return llvm::any_of(form.rule->steps, [&](const UpgradeStep &step) {
    return step.kind == UpgradeStep::Kind::Custom ||
           parts.attributes.get(step.name);
  });
}

/// Operators that were in use before they got their first version.
static bool wasExperimental(StringRef name) {
  return name == "LayerNormalization" || name == "MeanVarianceNormalization" ||
         name == "ThresholdedRelu";
}

/// Checks what the parts of a node do not tell: how many inputs are listed,
/// with those at the end that are left out, and that outputs which are not
/// optional have a name.
static LogicalResult checkArity(const onnx::NodeProto &node,
                                RegisteredOperationName record, Location loc) {
  auto &schema = *record.getInterface<SchemaOpInterface>();
  ArrayRef<ValueSpec> inputs = schema.getOperandSpecs();
  bool isOpen = !inputs.empty() && inputs.back().kind == ValueKind::Variadic;
  if (!isOpen && node.input_size() > static_cast<int>(inputs.size()))
    return emitError(loc) << "has " << node.input_size() << " inputs, at most "
                          << inputs.size() << " expected";
  // What comes before a list is in its place, if only with an empty name.
  if (isOpen && node.input_size() < static_cast<int>(inputs.size()) - 1)
    return emitError(loc) << "has " << node.input_size() << " inputs, at least "
                          << inputs.size() - 1 << " expected";
  for (auto [index, spec] : llvm::enumerate(schema.getResultSpecs()))
    if (spec.kind == ValueKind::Single &&
        (static_cast<int>(index) >= node.output_size() ||
         node.output(static_cast<int>(index)).empty()))
      return emitError(loc)
             << "output " << index << " (" << spec.name << ") has no name";
  return success();
}

FailureOr<SmallVector<Value>> Importer::buildNodeOp(const onnx::NodeProto &node,
                                                    NodeParts parts,
                                                    Location loc, Body &body) {
  StringRef domain = normalizeDomain(node.domain());
  auto generic = [&](int64_t version) {
    return buildGenericNode(builder, loc, node.op_type(), domain, version,
                            std::move(parts));
  };
  // Overloads are of functions alone: of an operator they say nothing.
  if (!node.overload().empty() && (!schemas.lookup(domain, node.op_type()) ||
                                   hasFunction(domain, node.op_type())))
    return emitError(loc) << "overload '" << node.overload()
                          << "' is not a function of the model";
  auto opset = body.opsets.find(domain.str());
  if (!schemas.isKnownDomain(domain))
    return generic(opset == body.opsets.end() ? 0 : opset->second);
  if (opset == body.opsets.end())
    return emitError(loc) << "its domain '"
                          << (domain.empty() ? "ai.onnx" : domain)
                          << "' is not among the imported operator sets";
  const OperatorHistory *history = schemas.lookup(domain, node.op_type());
  if (!history)
    return generic(opset->second);
  std::optional<int> version = history->getVersionAt(opset->second);
  if (!version && wasExperimental(node.op_type()))
    return generic(opset->second);
  if (!version)
    return emitError(loc) << "the operator exists from opset "
                          << history->versions.begin()->first
                          << " on, but the model imports opset "
                          << opset->second;

  const OperatorHistory::Version &form = history->versions.at(*version);
  if (form.rule)
    return generic(*version);
  if (mayHaveOtherForm(domain, opset->second) &&
      failed(checkNodeAttributes(form.record, parts, nullptr)))
    for (auto older = history->versions.rbegin();
         older != history->versions.rend(); ++older)
      if (older->first < *version && mayBeForm(older->second, parts))
        return generic(older->first);
  if (failed(checkArity(node, form.record, loc)))
    return failure();
  return buildNode(builder, loc, form.record, std::move(parts));
}

/// Declared types are kept where the op's shape rule can agree with them; where
/// it cannot, exporters are wrong more often than the rule.
LogicalResult Importer::checkBuiltOp(Operation *op) {
  return verifyBuiltNode(op, [&](OpResult result, Type inferred) {
    // One line is enough: such models have hundreds of them.
    if (overruledTypes++ == 0)
      emitWarning(op->getLoc())
          << describeOutput(result) << " is declared as " << result.getType()
          << ", but is " << inferred << "; such declarations are ignored";
    result.setType(UnknownType::get(context));
  });
}

LogicalResult Importer::importNode(const onnx::NodeProto &node, int index,
                                   Scope &scope, Body &body) {
  Location loc = getNodeLocation(node, index, body);
  if (node.op_type().empty())
    return emitError(loc) << "node " << index
                          << " of its graph has no operator";
  ++importedNodes;
  if (++body.nodes > options.maxNodes || importedNodes > options.maxNodes) {
    isOver = true;
    return emitError(loc) << "the model has more than " << options.maxNodes
                          << " nodes";
  }

  NodeParts parts;
  for (auto [position, name] : llvm::enumerate(node.input())) {
    if (name.empty()) {
      parts.inputs.push_back({});
      continue;
    }
    FailureOr<Value> value =
        useValue(name, "input " + llvm::Twine(position), scope, loc);
    if (failed(value)) {
      if (failed(goOn()))
        return failure();
      // Not again for each node that uses it.
      value = makeHole(loc);
      scope.values.try_emplace(name, *value);
    }
    parts.inputs.push_back(*value);
  }
  while (!parts.inputs.empty() && !parts.inputs.back())
    parts.inputs.pop_back();
  const onnx::FunctionProto *function = findFunction(node);
  GraphArguments graphs;
  if (failed(readAttributes(node, parts, function ? &graphs : nullptr, loc,
                            scope, body)))
    return failure();
  if (node.attribute_size())
    loc = addAttributeForms(loc, node, parts.attributes);
  for (const std::string &name : node.output()) {
    Type declared = name.empty() ? Type() : scope.declared.lookup(name);
    parts.outputs.push_back(name.empty() ? Type()
                            : declared   ? declared
                                         : UnknownType::get(context));
  }

  FailureOr<SmallVector<Value>> outputs =
      function ? importCall(*function, std::move(parts), std::move(graphs), loc,
                            body)
               : buildNodeOp(node, std::move(parts), loc, body);
  if (failed(outputs))
    return failure();
  for (auto [name, value] : llvm::zip_equal(node.output(), *outputs))
    // Some outputs are made whether they have a name or not.
    if (value && !name.empty()) {
      // Within a graph names are computed once, also those from around it.
      if (scope.outer && scope.outer->lookup(name))
        return emitError(loc) << "the value '" << name
                              << "' is defined twice: around the subgraph, too";
      if (failed(defineValue(name, value, scope, loc)))
        return failure();
    }
  // Where a call is made, so were the ops that it calls.
  return function ? success()
                  : checkBuiltOp(&builder.getInsertionBlock()->back());
}

Value Importer::makeHole(Location loc, Type type) {
  return UnrealizedConversionCastOp::create(
             builder, loc, type ? type : UnknownType::get(context),
             ValueRange())
      .getResult(0);
}

/// Takes back what a faulty node has become, all ops behind `before` (null: of
/// the block), and puts holes into the place of its outputs.
void Importer::skipNode(const onnx::NodeProto &node, Operation *before,
                        Location loc, Scope &scope) {
  Block *block = builder.getInsertionBlock();
  while (!block->empty() && &block->back() != before &&
         !isa<UnrealizedConversionCastOp>(block->back())) {
    Operation *op = &block->back();
    for (const std::string &name : node.output())
      if (Value value = scope.values.lookup(name);
          value && value.getDefiningOp() == op)
        scope.values.erase(name);
    op->dropAllUses();
    op->erase();
  }
  for (const std::string &name : node.output())
    if (!name.empty() && !scope.values.contains(name))
      scope.values[name] = makeHole(loc, scope.declared.lookup(name));
}

LogicalResult Importer::importNodes(const Repeated<onnx::NodeProto> &nodes,
                                    Scope &scope, Body &body) {
  for (auto [index, node] : llvm::enumerate(nodes)) {
    Block *block = builder.getInsertionBlock();
    Operation *before = block->empty() ? nullptr : &block->back();
    unsigned depth = body.depth;
    if (succeeded(importNode(node, static_cast<int>(index), scope, body)))
      continue;
    if (failed(goOn()))
      return failure();
    body.depth = depth;
    skipNode(node, before, fileLoc, scope);
  }
  return success();
}
