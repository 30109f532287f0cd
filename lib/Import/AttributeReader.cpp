//===- AttributeReader.cpp - AttributeProto to Attribute ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "TypeReader.h"

using namespace mlir;
using namespace onnxc;
using onnx::AttributeProto;

namespace {
/// The value fields of AttributeProto that are set.
struct SetFields {
  unsigned mask = 0;

  explicit SetFields(const AttributeProto &proto) {
    auto add = [&](bool isSet, AttributeProto::AttributeType type) {
      mask |= unsigned(isSet) << type;
    };
    add(proto.has_f(), AttributeProto::FLOAT);
    add(proto.has_i(), AttributeProto::INT);
    add(proto.has_s(), AttributeProto::STRING);
    add(proto.has_t(), AttributeProto::TENSOR);
    add(proto.has_g(), AttributeProto::GRAPH);
    add(proto.has_tp(), AttributeProto::TYPE_PROTO);
    add(proto.has_sparse_tensor(), AttributeProto::SPARSE_TENSOR);
    add(proto.floats_size(), AttributeProto::FLOATS);
    add(proto.ints_size(), AttributeProto::INTS);
    add(proto.strings_size(), AttributeProto::STRINGS);
    add(proto.tensors_size(), AttributeProto::TENSORS);
    add(proto.graphs_size(), AttributeProto::GRAPHS);
    add(proto.type_protos_size(), AttributeProto::TYPE_PROTOS);
    add(proto.sparse_tensors_size(), AttributeProto::SPARSE_TENSORS);
  }
};
} // namespace

/// The type of an attribute: the declared one (the first IR version had none),
/// which no field may contradict. A field that is not set has its default.
FailureOr<AttributeProto::AttributeType>
Importer::getAttributeType(const AttributeProto &proto, ErrorSink error) {
  unsigned mask = SetFields(proto).mask;
  auto type = proto.type();
  if (type == AttributeProto::UNDEFINED) {
    if (!llvm::isPowerOf2_32(mask)) {
      error(mask ? "holds values of several types"
                 : "has no type and no value");
      return failure();
    }
    if (file.proto.ir_version() >= 2) {
      error("has no type, which it must have from ir_version 2 on");
      return failure();
    }
    return static_cast<AttributeProto::AttributeType>(llvm::Log2_32(mask));
  }
  if (mask & ~(1u << type)) {
    error("is declared as " +
          toStringRef(AttributeProto::AttributeType_Name(type)) +
          ", but holds a value of another type");
    return failure();
  }
  return type;
}

FailureOr<Attribute> Importer::readAttribute(const AttributeProto &proto,
                                             ErrorSink error) {
  FailureOr<AttributeProto::AttributeType> type =
      getAttributeType(proto, error);
  if (failed(type))
    return failure();
  /// Reads each of `protos` by `read` and gives the array of them.
  auto readAll = [&](const auto &protos, auto read) -> FailureOr<Attribute> {
    SmallVector<Attribute> elements;
    for (const auto &element : protos) {
      auto value = read(element);
      if (failed(value))
        return failure();
      elements.push_back(*value);
    }
    return Attribute(builder.getArrayAttr(elements));
  };
  auto readTensor = [&](const onnx::TensorProto &tensor) {
    return tensors.read(
        tensor, tensor.name().empty() ? proto.name() : tensor.name(), error);
  };
  auto readSparse = [&](const onnx::SparseTensorProto &tensor) {
    return tensors.readSparse(tensor, proto.name(), error);
  };
  auto readTypeAttribute =
      [&](const onnx::TypeProto &proto) -> FailureOr<Attribute> {
    FailureOr<Type> type = readType(context, proto, error);
    if (failed(type))
      return failure();
    return Attribute(TypeAttr::get(*type));
  };

  switch (*type) {
  case AttributeProto::FLOAT:
    return Attribute(builder.getF32FloatAttr(proto.f()));
  case AttributeProto::INT:
    return Attribute(builder.getI64IntegerAttr(proto.i()));
  case AttributeProto::STRING:
    return Attribute(builder.getStringAttr(proto.s()));
  case AttributeProto::FLOATS:
    return Attribute(builder.getDenseF32ArrayAttr(
        SmallVector<float>(proto.floats().begin(), proto.floats().end())));
  case AttributeProto::INTS:
    return Attribute(builder.getDenseI64ArrayAttr(
        SmallVector<int64_t>(proto.ints().begin(), proto.ints().end())));
  case AttributeProto::STRINGS:
    return Attribute(builder.getStrArrayAttr(SmallVector<StringRef>(
        proto.strings().begin(), proto.strings().end())));
  case AttributeProto::TENSOR: {
    FailureOr<ElementsAttr> value = readTensor(proto.t());
    if (failed(value))
      return failure();
    return Attribute(*value);
  }
  case AttributeProto::SPARSE_TENSOR: {
    auto value = readSparse(proto.sparse_tensor());
    if (failed(value))
      return failure();
    return Attribute(*value);
  }
  case AttributeProto::TYPE_PROTO:
    return readTypeAttribute(proto.tp());
  case AttributeProto::TENSORS:
    return readAll(proto.tensors(), readTensor);
  case AttributeProto::SPARSE_TENSORS:
    return readAll(proto.sparse_tensors(), readSparse);
  case AttributeProto::TYPE_PROTOS:
    return readAll(proto.type_protos(), readTypeAttribute);
  case AttributeProto::GRAPH:
  case AttributeProto::GRAPHS:
    error("is a graph, which is not possible here");
    return failure();
  case AttributeProto::UNDEFINED:
    break;
  }
  error("has the type " + llvm::Twine(static_cast<int>(*type)) +
        ", which ONNX does not define");
  return failure();
}

/// The caller's value of a function's attribute; null if it gives none.
FailureOr<Attribute> Importer::readReference(const AttributeProto &proto,
                                             const Body &body,
                                             ErrorSink error) {
  StringRef name = proto.ref_attr_name();
  auto fail = [&](const llvm::Twine &message) {
    error(message);
    return failure();
  };
  if (!body.function)
    return fail("refers to the attribute '" + name +
                "' of a function, but is not in a function");
  if (Attribute value = body.attributes.get(name)) {
    StringRef kind = getAttributeKind(value);
    const std::string &expected =
        AttributeProto::AttributeType_Name(proto.type());
    bool isEmptyList = isa<ArrayAttr>(value) && cast<ArrayAttr>(value).empty();
    if (proto.type() != AttributeProto::UNDEFINED && kind != expected &&
        !isEmptyList)
      return fail("is declared as " + toStringRef(expected) +
                  ", but refers to '" + name + "', which is of type " + kind);
    return value;
  }
  // What the function does not declare cannot be given, either: it is absent,
  // as for onnx.checker and ONNX Runtime.
  return Attribute();
}

/// With the names and operator sets of where the graph stands.
LogicalResult Importer::importGraphArgument(const GraphArgument &argument,
                                            Location loc, Region &region,
                                            Body &body) {
  Body surroundings = *argument.body;
  surroundings.depth = body.depth;
  surroundings.nodes = body.nodes;
  SmallVector<const onnx::FunctionProto *> active = activeFunctions;
  activeFunctions.truncate(argument.numActive);
  LogicalResult imported = importSubgraph(*argument.graph, loc, region,
                                          *argument.scope, surroundings);
  activeFunctions = std::move(active);
  body.nodes = surroundings.nodes;
  return imported;
}

/// The graphs that a call gives to the attribute that `proto` refers to, with
/// the keys of the attribute of the node: the elements of a list each have one.
SmallVector<std::pair<std::string, Importer::GraphArgument>>
Importer::findGivenGraphs(const AttributeProto &proto, const Body &body) {
  auto given = body.graphs.find(proto.ref_attr_name());
  if (given != body.graphs.end())
    return {{proto.name(), given->second}};
  SmallVector<std::pair<std::string, GraphArgument>> graphs;
  while (true) {
    std::string index = "[" + std::to_string(graphs.size()) + "]";
    auto element = body.graphs.find(proto.ref_attr_name() + index);
    if (element == body.graphs.end())
      return graphs;
    graphs.emplace_back(proto.name() + index, element->second);
  }
}

/// Adds what an attribute of a node is to `parts`, if it is not a graph; else
/// its graphs to `graphs`.
LogicalResult Importer::readNodeAttribute(
    const AttributeProto &proto, const Scope &scope, const Body &body,
    ErrorSink error, NodeParts &parts,
    SmallVectorImpl<std::pair<std::string, GraphArgument>> &graphs) {
  const std::string &name = proto.name();
  graphs = findGivenGraphs(proto, body);
  if (!graphs.empty())
    return success();
  if (!proto.ref_attr_name().empty()) {
    FailureOr<Attribute> value = readReference(proto, body, error);
    if (failed(value))
      return failure();
    if (*value)
      parts.attributes.append(name, *value);
    return success();
  }
  FailureOr<AttributeProto::AttributeType> type =
      getAttributeType(proto, error);
  if (failed(type))
    return failure();
  auto here = [&](const onnx::GraphProto &graph) {
    return GraphArgument{&graph, &scope, &body, activeFunctions.size()};
  };
  if (*type == AttributeProto::GRAPH) {
    graphs.emplace_back(name, here(proto.g()));
    return success();
  }
  if (*type == AttributeProto::GRAPHS) {
    if (proto.graphs_size() == 0)
      parts.attributes.append(name, builder.getArrayAttr({}));
    for (int i = 0; i < proto.graphs_size(); ++i)
      graphs.emplace_back(name + "[" + std::to_string(i) + "]",
                          here(proto.graphs(i)));
    return success();
  }
  FailureOr<Attribute> value = readAttribute(proto, error);
  if (failed(value))
    return failure();
  parts.attributes.append(name, *value);
  return success();
}

LogicalResult Importer::readAttributes(const onnx::NodeProto &node,
                                       NodeParts &parts, GraphArguments *graphs,
                                       Location loc, const Scope &scope,
                                       Body &body) {
  llvm::StringSet<> seen;
  for (const AttributeProto &proto : node.attribute()) {
    auto report = sink(loc, "attribute '" + proto.name() + "' ");
    if (proto.name().empty()) {
      report("has no name");
      return failure();
    }
    if (!seen.insert(proto.name()).second) {
      report("is given twice");
      return failure();
    }
    SmallVector<std::pair<std::string, GraphArgument>> own;
    if (failed(readNodeAttribute(proto, scope, body, report, parts, own)))
      return failure();
    for (auto &[key, argument] : own) {
      if (graphs) {
        graphs->try_emplace(key, argument);
        continue;
      }
      auto region = std::make_unique<Region>();
      if (failed(importGraphArgument(argument, loc, *region, body)))
        return failure();
      parts.graphs.emplace_back(std::move(key), std::move(region));
    }
  }
  return success();
}
