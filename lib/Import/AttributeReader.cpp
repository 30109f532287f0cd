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
  // Nobody can give what the function does not declare, either: it is absent,
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

LogicalResult Importer::readAttributes(const onnx::NodeProto &node,
                                       NodeParts &parts, GraphArguments *graphs,
                                       Location loc, const Scope &scope,
                                       Body &body) {
  llvm::StringSet<> seen;
  auto addGraph = [&](const GraphArgument &argument, std::string key) {
    if (graphs) {
      graphs->try_emplace(key, argument);
      return success();
    }
    auto region = std::make_unique<Region>();
    if (failed(importGraphArgument(argument, loc, *region, body)))
      return failure();
    parts.graphs.emplace_back(std::move(key), std::move(region));
    return success();
  };
  for (const AttributeProto &proto : node.attribute()) {
    const std::string &name = proto.name();
    auto report = sink(loc, "attribute '" + name + "' ");
    auto fail = [&](const llvm::Twine &message) {
      report(message);
      return failure();
    };
    if (name.empty())
      return fail("has no name");
    if (!seen.insert(name).second)
      return fail("is given twice");
    auto given = body.graphs.find(proto.ref_attr_name());
    if (given != body.graphs.end()) {
      if (failed(addGraph(given->second, name)))
        return failure();
      continue;
    }
    // Of a list of graphs each has a key.
    auto findInList = [&](unsigned index) {
      return body.graphs.find(
          (proto.ref_attr_name() + "[" + llvm::Twine(index) + "]").str());
    };
    unsigned listed = 0;
    for (auto element = findInList(0); element != body.graphs.end();
         element = findInList(++listed))
      if (failed(addGraph(element->second,
                          (name + "[" + llvm::Twine(listed) + "]").str())))
        return failure();
    if (listed)
      continue;
    if (!proto.ref_attr_name().empty()) {
      FailureOr<Attribute> value = readReference(proto, body, report);
      if (failed(value))
        return failure();
      if (*value)
        parts.attributes.append(name, *value);
      continue;
    }
    FailureOr<AttributeProto::AttributeType> type =
        getAttributeType(proto, report);
    if (failed(type))
      return failure();
    if (*type == AttributeProto::GRAPH || *type == AttributeProto::GRAPHS) {
      auto here = [&](const onnx::GraphProto &graph) {
        return GraphArgument{&graph, &scope, &body, activeFunctions.size()};
      };
      if (*type == AttributeProto::GRAPH) {
        if (failed(addGraph(here(proto.g()), name)))
          return failure();
        continue;
      }
      if (proto.graphs_size() == 0)
        parts.attributes.append(name, builder.getArrayAttr({}));
      for (int i = 0; i < proto.graphs_size(); ++i)
        if (failed(addGraph(here(proto.graphs(i)),
                            name + "[" + std::to_string(i) + "]")))
          return failure();
      continue;
    }
    FailureOr<Attribute> value = readAttribute(proto, report);
    if (failed(value))
      return failure();
    parts.attributes.append(name, *value);
  }
  return success();
}
