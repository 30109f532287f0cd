//===- GraphAttributes.cpp - What is kept of a model beside its ops -------===//
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

/// Key-value pairs, in order: keys may repeat.
Attribute Importer::describeEntries(
    const Repeated<onnx::StringStringEntryProto> &entries) {
  SmallVector<Attribute> pairs;
  for (const onnx::StringStringEntryProto &entry : entries)
    pairs.push_back(builder.getStrArrayAttr({entry.key(), entry.value()}));
  return builder.getArrayAttr(pairs);
}

DictionaryAttr Importer::describeValue(const onnx::ValueInfoProto &info,
                                       bool withType, llvm::StringRef prefix) {
  NamedAttrList attributes;
  auto set = [&](const llvm::Twine &name, Attribute value) {
    attributes.append((prefix + name).str(), value);
  };
  set("name", builder.getStringAttr(info.name()));
  if (withType) {
    // Whether it can be read at all was said when the value was declared.
    FailureOr<Type> type =
        readType(context, info.type(), [](const llvm::Twine &) {});
    if (succeeded(type))
      set("type", TypeAttr::get(*type));
  }
  SmallVector<StringRef> dimParams = getDimParams(info.type());
  if (!dimParams.empty())
    set("dim_params", builder.getStrArrayAttr(dimParams));
  if (!info.doc_string().empty())
    set("doc", builder.getStringAttr(info.doc_string()));
  if (info.metadata_props_size())
    set("metadata", describeEntries(info.metadata_props()));
  if (!info.type().denotation().empty())
    set("denotation", builder.getStringAttr(info.type().denotation()));
  SmallVector<StringRef> denotations;
  bool anyDenotation = false;
  for (const auto &dim : info.type().tensor_type().shape().dim()) {
    denotations.push_back(dim.denotation());
    anyDenotation |= !dim.denotation().empty();
  }
  if (anyDenotation)
    set("dim_denotations", builder.getStrArrayAttr(denotations));
  DictionaryAttr description = attributes.getDictionary(context);
  FailureOr<Type> type =
      readType(context, info.type(), [](const llvm::Twine &) {});
  onnx::ValueInfoProto written;
  if (failed(type) ||
      failed(writeValueInfo(description, prefix, *type, written)) ||
      written.SerializeAsString() != info.SerializeAsString()) {
    set("proto", serialize(info));
    return attributes.getDictionary(context);
  }
  return description;
}

DictionaryAttr Importer::describeOpsets(const Opsets &opsets) {
  SmallVector<NamedAttribute> imports;
  for (const auto &[domain, version] : opsets)
    imports.push_back(builder.getNamedAttr(domain.empty() ? "ai.onnx" : domain,
                                           builder.getI64IntegerAttr(version)));
  return builder.getDictionaryAttr(imports);
}

/// The names of the graph's values.
static llvm::StringSet<> collectNames(const onnx::GraphProto &graph) {
  llvm::StringSet<> names;
  for (const onnx::ValueInfoProto &input : graph.input())
    names.insert(input.name());
  for (const onnx::TensorProto &tensor : graph.initializer())
    names.insert(tensor.name());
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    names.insert(tensor.values().name());
  for (const onnx::NodeProto &node : graph.node())
    for (const std::string &name : node.output())
      names.insert(name);
  return names;
}

DictionaryAttr Importer::describeGraph(const onnx::GraphProto &graph,
                                       ArrayAttr defaultedInputs) {
  NamedAttrList attributes;
  llvm::StringSet<> names;
  if (graph.value_info_size() || graph.quantization_annotation_size())
    names = collectNames(graph);
  auto describeAll = [&](const Repeated<onnx::ValueInfoProto> &infos) {
    SmallVector<Attribute> values;
    for (const onnx::ValueInfoProto &info : infos) {
      NamedAttrList value(describeValue(info, /*withType=*/true, ""));
      if (!names.contains(info.name()))
        value.append("stray", builder.getUnitAttr());
      values.push_back(value.getDictionary(context));
    }
    return builder.getArrayAttr(values);
  };
  if (ArrayAttr names = describeExplicitDefaults(graph))
    attributes.append("explicit", names);
  if (!graph.unknown_fields().empty())
    attributes.append("unknown_fields",
                      builder.getStringAttr(graph.unknown_fields()));
  if (!graph.name().empty())
    attributes.append("name", builder.getStringAttr(graph.name()));
  if (!graph.doc_string().empty())
    attributes.append("doc", builder.getStringAttr(graph.doc_string()));
  if (graph.metadata_props_size())
    attributes.append("metadata", describeEntries(graph.metadata_props()));
  if (graph.value_info_size())
    attributes.append("value_info", describeAll(graph.value_info()));
  if (defaultedInputs && !defaultedInputs.empty())
    attributes.append("defaulted_inputs", defaultedInputs);
  SmallVector<Attribute> annotations;
  for (const onnx::TensorAnnotation &annotation :
       graph.quantization_annotation()) {
    SmallVector<Attribute> parts = {
        builder.getStringAttr(annotation.tensor_name()),
        describeEntries(annotation.quant_parameter_tensor_names())};
    if (!names.contains(annotation.tensor_name()))
      parts.push_back(builder.getStringAttr("stray"));
    annotations.push_back(builder.getArrayAttr(parts));
  }
  if (!annotations.empty())
    attributes.append("quantization", builder.getArrayAttr(annotations));
  return attributes.getDictionary(context);
}
