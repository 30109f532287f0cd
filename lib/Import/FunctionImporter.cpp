//===- FunctionImporter.cpp - Model functions -----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is read once for each set of attributes and argument types that
// calls give it: attribute references are resolved then, and an argument that a
// call leaves out is absent in the body, too.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "TypeReader.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

static std::string describeFunction(const onnx::FunctionProto &function) {
  std::string text = "function '" + function.name() + "'";
  if (!function.domain().empty())
    text += " of domain '" + function.domain() + "'";
  if (!function.overload().empty())
    text += " overload '" + function.overload() + "'";
  return text;
}

/// Whether all operators of the domain are ONNX's. A function there does not
/// define one and replaces none, as for the checker and for ONNX Runtime
/// (onnx.proto leaves the choice to the runtime).
static bool hasOperatorsOnly(StringRef domain) {
  domain = normalizeDomain(domain);
  return domain.empty() || domain == "ai.onnx.ml";
}

LogicalResult Importer::indexFunction(const onnx::FunctionProto &function) {
  auto fail = [&](const llvm::Twine &message) {
    emitError(fileLoc) << describeFunction(function) << ' ' << message;
    return failure();
  };
  if (function.name().empty())
    return fail("has no name");
  llvm::StringSet<> names;
  for (const std::string &input : function.input())
    if (input.empty() || !names.insert(input).second)
      return fail("has the input '" + toStringRef(input) +
                  (input.empty() ? "', which has no name" : "' twice"));
  names.clear();
  for (const std::string &output : function.output())
    if (output.empty() || !names.insert(output).second)
      return fail("has the output '" + toStringRef(output) +
                  (output.empty() ? "', which has no name" : "' twice"));
  names.clear();
  SmallVector<StringRef> attributes(function.attribute().begin(),
                                    function.attribute().end());
  for (const onnx::AttributeProto &attribute : function.attribute_proto())
    attributes.push_back(attribute.name());
  for (StringRef attribute : attributes)
    if (attribute.empty() || !names.insert(attribute).second)
      return fail("has the attribute '" + attribute +
                  (attribute.empty() ? "', which has no name" : "' twice"));
  for (const onnx::OperatorSetIdProto &opset : function.opset_import())
    if (failed(checkOpset(opset, describeFunction(function) + " imports ")))
      return failure();
  if (!functions
           .try_emplace(getFunctionKey(function.domain(), function.name(),
                                       function.overload()),
                        &function)
           .second)
    return fail("is defined twice");
  if (hasOperatorsOnly(function.domain()))
    emitWarning(fileLoc) << describeFunction(function)
                         << " is never called: the operators of its domain are "
                            "those of ONNX";
  return success();
}

LogicalResult Importer::indexFunctions() {
  for (const onnx::FunctionProto &function : file.proto.functions())
    if (failed(indexFunction(function)) && failed(goOn()))
      return failure();
  return success();
}

const onnx::FunctionProto *
Importer::findFunction(const onnx::NodeProto &node) const {
  if (hasOperatorsOnly(node.domain()))
    return nullptr;
  return functions.lookup(
      getFunctionKey(node.domain(), node.op_type(), node.overload()));
}

bool Importer::hasFunction(StringRef domain, StringRef name) const {
  return !hasOperatorsOnly(domain) &&
         llvm::any_of(file.proto.functions(),
                      [&](const onnx::FunctionProto &function) {
                        return normalizeDomain(function.domain()) == domain &&
                               function.name() == name;
                      });
}

/// Adds the defaults of what the call does not give. What it gives must be an
/// attribute of the function.
LogicalResult Importer::completeAttributes(const onnx::FunctionProto &function,
                                           NodeParts &parts,
                                           GraphArguments &graphs,
                                           Location loc) {
  llvm::StringSet<> names;
  for (const std::string &name : function.attribute())
    names.insert(name);
  for (const onnx::AttributeProto &proto : function.attribute_proto())
    names.insert(proto.name());
  auto require = [&](StringRef name) -> LogicalResult {
    if (names.contains(name))
      return success();
    return emitError(loc) << describeFunction(function) << " has no attribute '"
                          << name << "'";
  };
  for (NamedAttribute attribute : parts.attributes)
    if (failed(require(attribute.getName())))
      return failure();
  for (StringRef key : graphs.keys())
    if (failed(require(key.take_front(key.find('[')))))
      return failure();
  for (const onnx::AttributeProto &proto : function.attribute_proto()) {
    if (parts.attributes.get(proto.name()) || graphs.contains(proto.name()) ||
        graphs.contains(proto.name() + "[0]"))
      continue;
    auto report = sink(loc, describeFunction(function) +
                                " has a default for its attribute '" +
                                proto.name() + "', which ");
    FailureOr<Attribute> value = readAttribute(proto, report);
    if (failed(value))
      return failure();
    parts.attributes.append(proto.name(), *value);
  }
  return success();
}

LogicalResult Importer::checkNesting(const onnx::FunctionProto &function,
                                     Location loc, unsigned depth) {
  if (llvm::is_contained(activeFunctions, &function))
    return emitError(loc) << describeFunction(function) << " calls itself";
  if (depth >= options.maxDepth)
    return emitError(loc) << describeFunction(function)
                          << " is called within more than " << options.maxDepth
                          << " other calls or subgraphs";
  return success();
}

void Importer::collectCalls(
    const Repeated<onnx::NodeProto> &nodes,
    SmallVectorImpl<const onnx::FunctionProto *> &calls) const {
  for (const onnx::NodeProto &node : nodes) {
    if (const onnx::FunctionProto *callee = findFunction(node))
      calls.push_back(callee);
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      collectCalls(attribute.g().node(), calls);
      for (const onnx::GraphProto &graph : attribute.graphs())
        collectCalls(graph.node(), calls);
    }
  }
}

LogicalResult Importer::checkUncalledFunctions() {
  struct Visit {
    const onnx::FunctionProto *function;
    SmallVector<const onnx::FunctionProto *> calls;
  };
  // Whether all that the function calls was looked at.
  llvm::DenseMap<const onnx::FunctionProto *, bool> isDone;
  std::vector<Visit> stack;
  auto enter = [&](const onnx::FunctionProto *function) {
    stack.push_back({function, {}});
    collectCalls(function->node(), stack.back().calls);
    isDone[function] = false;
  };
  for (const onnx::FunctionProto &function : file.proto.functions()) {
    if (usedFunctions.contains(&function) || isDone.count(&function))
      continue;
    enter(&function);
    while (!stack.empty()) {
      if (stack.back().calls.empty()) {
        isDone[stack.back().function] = true;
        stack.pop_back();
        continue;
      }
      const onnx::FunctionProto *callee = stack.back().calls.pop_back_val();
      if (auto known = isDone.find(callee); known == isDone.end())
        enter(callee);
      else if (!known->second)
        return emitError(fileLoc)
               << describeFunction(*callee) << " calls itself";
    }
  }
  return success();
}

static Opsets getOpsets(const onnx::FunctionProto &function) {
  Opsets opsets;
  for (const onnx::OperatorSetIdProto &opset : function.opset_import())
    opsets[normalizeDomain(opset.domain()).str()] = opset.version();
  return opsets;
}

FailureOr<SmallVector<Value>>
Importer::importCall(const onnx::FunctionProto &function, NodeParts parts,
                     GraphArguments graphs, Location loc, Body &body) {
  auto fail = [&](const llvm::Twine &message) {
    emitError(loc) << describeFunction(function) << ' ' << message;
    return failure();
  };
  if (!body.opsets.count(normalizeDomain(function.domain()).str()))
    return fail("cannot be called, since its domain is not among the imported "
                "operator sets");
  if (static_cast<int>(parts.inputs.size()) > function.input_size())
    return fail("takes " + llvm::Twine(function.input_size()) +
                " inputs, but is called with " +
                llvm::Twine(parts.inputs.size()));
  if (static_cast<int>(parts.outputs.size()) > function.output_size())
    return fail("gives " + llvm::Twine(function.output_size()) +
                " outputs, but is called for " +
                llvm::Twine(parts.outputs.size()));
  if (failed(completeAttributes(function, parts, graphs, loc)))
    return failure();
  usedFunctions.insert(&function);
  parts.inputs.resize(function.input_size());
  DictionaryAttr attributes = parts.attributes.getDictionary(context);

  SmallVector<Value> results;
  if (!graphs.empty()) {
    // Graphs see the values around the call, so the function comes here.
    if (failed(checkNesting(function, loc, body.depth)))
      return failure();
    Opsets functionOpsets = getOpsets(function);
    Body inner{functionOpsets, &function,  attributes,
               body.depth + 1, body.nodes, std::move(graphs)};
    activeFunctions.push_back(&function);
    FailureOr<SmallVector<Value>> made =
        importFunctionNodes(function, parts.inputs, loc, inner);
    activeFunctions.pop_back();
    if (failed(made))
      return failure();
    body.nodes = inner.nodes;
    results = std::move(*made);
  } else {
    FailureOr<Instance *> instance =
        getInstance(function, attributes, parts.inputs, loc, body.depth);
    if (failed(instance))
      return failure();
    body.nodes = llvm::SaturatingAdd(static_cast<uint64_t>(body.nodes),
                                     static_cast<uint64_t>((*instance)->nodes));
    SmallVector<Value> operands(
        llvm::make_filter_range(parts.inputs, [](Value v) { return bool(v); }));
    results = func::CallOp::create(builder, loc, (*instance)->op, operands)
                  .getResults();
  }
  SmallVector<Value> outputs;
  for (auto [index, type] : llvm::enumerate(parts.outputs))
    outputs.push_back(type ? results[index] : Value());
  return outputs;
}

FailureOr<Importer::Instance *>
Importer::getInstance(const onnx::FunctionProto &function,
                      DictionaryAttr attributes, ArrayRef<Value> inputs,
                      Location loc, unsigned depth) {
  InstanceKey key{&function, {attributes.getAsOpaquePointer()}};
  SmallVector<Type> types;
  for (Value input : inputs) {
    key.second.push_back(input ? input.getType().getAsOpaquePointer()
                               : nullptr);
    if (input)
      types.push_back(input.getType());
  }
  if (auto known = instances.find(key); known != instances.end())
    return &known->second;

  if (failed(checkNesting(function, loc, depth)))
    return failure();

  std::string symbol;
  for (char c : (function.domain().empty() ? "" : function.domain() + ".") +
                    function.name())
    symbol += llvm::isAlnum(c) || c == '.' || c == '_' ? c : '_';
  if (symbol == "main_graph")
    symbol += '.';
  std::string unique = symbol;
  while (unsigned uses = symbolUses[unique]++)
    unique = symbol + "." + std::to_string(uses);

  Opsets functionOpsets = getOpsets(function);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module->getBody());
  auto functionLoc = FusedLoc::get(
      context, {fileLoc},
      SourceAttr::get(context, builder.getStringAttr(function.name()),
                      builder.getStringAttr("Function"), nullptr, nullptr,
                      function.doc_string().empty()
                          ? StringAttr()
                          : builder.getStringAttr(function.doc_string()),
                      nullptr));
  auto func = func::FuncOp::create(builder, functionLoc, unique,
                                   builder.getFunctionType(types, {}));
  func.setPrivate();
  Body body{functionOpsets, &function, attributes, depth + 1};
  activeFunctions.push_back(&function);
  LogicalResult imported = importFunctionBody(function, inputs, body, func);
  activeFunctions.pop_back();
  if (failed(imported)) {
    func.erase();
    return failure();
  }
  return &instances.try_emplace(key, Instance{func, body.nodes}).first->second;
}

FailureOr<SmallVector<Value>>
Importer::importFunctionNodes(const onnx::FunctionProto &function,
                              ArrayRef<Value> inputs, Location loc,
                              Body &body) {
  Scope scope(nullptr);
  scope.nodes = &function.node();
  for (auto [name, input] : llvm::zip_equal(function.input(), inputs))
    scope.values[name] = input;
  for (const onnx::ValueInfoProto &info : function.value_info()) {
    FailureOr<Type> type = readType(context, info.type(),
                                    sink(loc, "value '" + info.name() + "' "));
    if (failed(type))
      return failure();
    scope.declared[info.name()] = *type;
  }
  if (failed(importNodes(function.node(), scope, body)))
    return failure();

  SmallVector<Value> results;
  for (const std::string &name : function.output()) {
    FailureOr<Value> value = useValue(name, "output", scope, loc);
    if (failed(value)) {
      if (failed(goOn()))
        return failure();
      value = makeHole(loc);
    }
    if (!*value)
      return emitError(loc)
             << "output '" << name << "' is an input that the call leaves out";
    results.push_back(*value);
  }
  return results;
}

LogicalResult Importer::importFunctionBody(const onnx::FunctionProto &function,
                                           ArrayRef<Value> inputs, Body &body,
                                           func::FuncOp func) {
  Location loc = func.getLoc();
  Block *block = func.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  auto describeName = [&](const std::string &name) {
    return builder.getDictionaryAttr(
        builder.getNamedAttr(model::name, builder.getStringAttr(name)));
  };
  unsigned argument = 0;
  SmallVector<Value> arguments;
  SmallVector<DictionaryAttr> names;
  for (auto [name, input] : llvm::zip_equal(function.input(), inputs)) {
    if (input)
      names.push_back(describeName(name));
    arguments.push_back(input ? Value(block->getArgument(argument++))
                              : Value());
  }
  func.setAllArgAttrs(names);
  FailureOr<SmallVector<Value>> results =
      importFunctionNodes(function, arguments, loc, body);
  if (failed(results))
    return failure();
  func::ReturnOp::create(builder, loc, *results);
  func.setFunctionType(builder.getFunctionType(
      func.getFunctionType().getInputs(), ValueRange(*results).getTypes()));
  names.clear();
  for (const std::string &name : function.output())
    names.push_back(describeName(name));
  func.setAllResultAttrs(names);

  NamedAttrList description;
  description.append("name", builder.getStringAttr(function.name()));
  description.append("domain", builder.getStringAttr(function.domain()));
  if (!function.overload().empty())
    description.append("overload", builder.getStringAttr(function.overload()));
  if (!body.attributes.empty())
    description.append("attributes", body.attributes);
  if (function.metadata_props_size())
    description.append("metadata", describeEntries(function.metadata_props()));
  description.append("opset_imports", describeOpsets(body.opsets));
  func->setAttr(model::function, description.getDictionary(context));
  func->setAttr(model::verbatim, builder.getUnitAttr());
  return success();
}
