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
  return attributes.getDictionary(context);
}

DictionaryAttr Importer::describeGraph(const onnx::GraphProto &graph,
                                       ArrayAttr defaultedInputs) {
  NamedAttrList attributes;
  auto describeAll = [&](const Repeated<onnx::ValueInfoProto> &infos) {
    SmallVector<Attribute> values;
    for (const onnx::ValueInfoProto &info : infos)
      values.push_back(describeValue(info, /*withType=*/true, ""));
    return builder.getArrayAttr(values);
  };
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
       graph.quantization_annotation())
    annotations.push_back(builder.getArrayAttr(
        {builder.getStringAttr(annotation.tensor_name()),
         describeEntries(annotation.quant_parameter_tensor_names())}));
  if (!annotations.empty())
    attributes.append("quantization", builder.getArrayAttr(annotations));
  return attributes.getDictionary(context);
}
