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

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

static std::string getFunctionKey(StringRef domain, StringRef name,
                                  StringRef overload) {
  std::string key = normalizeDomain(domain).str();
  key += '\0';
  key += name;
  key += '\0';
  key += overload;
  return key;
}

static std::string describeFunction(const onnx::FunctionProto &function) {
  std::string text = "function '" + function.name() + "'";
  if (!function.domain().empty())
    text += " of domain '" + function.domain() + "'";
  if (!function.overload().empty())
    text += " overload '" + function.overload() + "'";
  return text;
}

LogicalResult Importer::indexFunctions() {
  for (const onnx::FunctionProto &function : file.proto.functions()) {
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
    SmallVector<StringRef> attributes(function.attribute().begin(),
                                      function.attribute().end());
    for (const onnx::AttributeProto &attribute : function.attribute_proto())
      attributes.push_back(attribute.name());
    for (StringRef attribute : attributes)
      if (attribute.empty() || !names.insert(attribute).second)
        return fail("has the attribute '" + attribute +
                    (attribute.empty() ? "', which has no name" : "' twice"));
    if (!functions
             .try_emplace(getFunctionKey(function.domain(), function.name(),
                                         function.overload()),
                          &function)
             .second)
      return fail("is defined twice");
  }
  return success();
}

const onnx::FunctionProto *
Importer::findFunction(const onnx::NodeProto &node) const {
  return functions.lookup(
      getFunctionKey(node.domain(), node.op_type(), node.overload()));
}

FailureOr<SmallVector<Value>>
Importer::importCall(const onnx::NodeProto &node,
                     const onnx::FunctionProto &function, NodeParts parts,
                     Location loc, Body &body) {
  auto fail = [&](const llvm::Twine &message) {
    emitError(loc) << describeFunction(function) << ' ' << message;
    return failure();
  };
  if (!parts.graphs.empty())
    return fail("cannot be given the graph '" + parts.graphs.front().first +
                "': graphs as attributes of functions are not supported");
  if (static_cast<int>(parts.inputs.size()) > function.input_size())
    return fail("takes " + llvm::Twine(function.input_size()) +
                " inputs, but is called with " +
                llvm::Twine(parts.inputs.size()));
  if (static_cast<int>(parts.outputs.size()) > function.output_size())
    return fail("gives " + llvm::Twine(function.output_size()) +
                " outputs, but is called for " +
                llvm::Twine(parts.outputs.size()));
  for (NamedAttribute attribute : parts.attributes) {
    StringRef name = attribute.getName();
    bool isDefaulted = llvm::any_of(function.attribute_proto(),
                                    [&](const onnx::AttributeProto &proto) {
                                      return proto.name() == name;
                                    });
    if (!isDefaulted && !llvm::is_contained(function.attribute(), name))
      return fail("has no attribute '" + name + "'");
  }
  for (const onnx::AttributeProto &proto : function.attribute_proto()) {
    if (parts.attributes.get(proto.name()))
      continue;
    auto report = sink(loc, describeFunction(function) +
                                " has a default for its attribute '" +
                                proto.name() + "', which ");
    FailureOr<Attribute> value = readAttribute(proto, report);
    if (failed(value))
      return failure();
    parts.attributes.append(proto.name(), *value);
  }
  parts.inputs.resize(function.input_size());

  FailureOr<Instance *> instance =
      getInstance(function, parts.attributes.getDictionary(context),
                  parts.inputs, loc, body.depth);
  if (failed(instance))
    return failure();
  body.nodes = llvm::SaturatingAdd(static_cast<uint64_t>(body.nodes),
                                   static_cast<uint64_t>((*instance)->nodes));
  SmallVector<Value> operands(
      llvm::make_filter_range(parts.inputs, [](Value v) { return bool(v); }));
  auto call = func::CallOp::create(builder, loc, (*instance)->op, operands);
  SmallVector<Value> outputs;
  for (auto [index, type] : llvm::enumerate(parts.outputs))
    outputs.push_back(type ? Value(call.getResult(index)) : Value());
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

  auto fail = [&](const llvm::Twine &message) {
    emitError(loc) << describeFunction(function) << ' ' << message;
    return failure();
  };
  if (llvm::is_contained(activeFunctions, &function))
    return fail("calls itself");
  if (depth >= options.maxDepth)
    return fail("is called within more than " + llvm::Twine(options.maxDepth) +
                " other calls or subgraphs");

  std::string symbol;
  for (char c : (function.domain().empty() ? "" : function.domain() + ".") +
                    function.name())
    symbol += llvm::isAlnum(c) || c == '.' || c == '_' ? c : '_';
  if (symbol == "main_graph")
    symbol += '.';
  std::string unique = symbol;
  while (unsigned uses = symbolUses[unique]++)
    unique = symbol + "." + std::to_string(uses);

  Opsets functionOpsets;
  for (const onnx::OperatorSetIdProto &opset : function.opset_import())
    functionOpsets[normalizeDomain(opset.domain()).str()] = opset.version();

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
  if (failed(imported))
    return failure();
  return &instances.try_emplace(key, Instance{func, body.nodes}).first->second;
}

LogicalResult Importer::importFunctionBody(const onnx::FunctionProto &function,
                                           ArrayRef<Value> inputs, Body &body,
                                           func::FuncOp func) {
  Location loc = func.getLoc();
  Block *block = func.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  Scope scope(nullptr);
  scope.nodes = &function.node();
  unsigned argument = 0;
  for (auto [name, input] : llvm::zip_equal(function.input(), inputs)) {
    if (input)
      func.setArgAttr(argument, "onnx.name", builder.getStringAttr(name));
    scope.values[name] =
        input ? Value(block->getArgument(argument++)) : Value();
  }
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
    if (failed(value))
      return failure();
    if (!*value)
      return emitError(loc)
             << "output '" << name << "' is an input that the call leaves out";
    results.push_back(*value);
  }
  func::ReturnOp::create(builder, loc, results);
  func.setFunctionType(builder.getFunctionType(
      func.getFunctionType().getInputs(), ValueRange(results).getTypes()));
  for (auto [index, name] : llvm::enumerate(function.output()))
    func.setResultAttr(index, "onnx.name", builder.getStringAttr(name));

  NamedAttrList description;
  description.append("name", builder.getStringAttr(function.name()));
  description.append("domain", builder.getStringAttr(function.domain()));
  if (!function.overload().empty())
    description.append("overload", builder.getStringAttr(function.overload()));
  if (!body.attributes.empty())
    description.append("attributes", body.attributes);
  if (function.metadata_props_size())
    description.append("metadata", describeEntries(function.metadata_props()));
  SmallVector<NamedAttribute> imports;
  for (const auto &[domain, version] : body.opsets)
    imports.push_back(builder.getNamedAttr(domain.empty() ? "ai.onnx" : domain,
                                           builder.getI64IntegerAttr(version)));
  description.append("opset_imports", builder.getDictionaryAttr(imports));
  func->setAttr("onnx.function", description.getDictionary(context));
  return success();
}
