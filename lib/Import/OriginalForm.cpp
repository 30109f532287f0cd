//===- OriginalForm.cpp - What the exporter could not know
//-----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that nothing was changed in is to be written as it was read. Most of
// it follows from the ops; what does not is compared here with what would be
// written, and kept where it differs.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include <cstring>

using namespace mlir;
using namespace onnxc;

StringAttr Importer::serialize(const google::protobuf::MessageLite &proto) {
  return builder.getStringAttr(proto.SerializeAsString());
}

/// The domains as they are spelled, in the order of the file; a unit for a
/// domain that is not said.
ArrayAttr
Importer::describeOpsetOrder(const Repeated<onnx::OperatorSetIdProto> &imports,
                             const Opsets &opsets) {
  SmallVector<Attribute> spelled, written;
  for (const onnx::OperatorSetIdProto &opset : imports)
    spelled.push_back(opset.has_domain()
                          ? Attribute(builder.getStringAttr(opset.domain()))
                          : Attribute(builder.getUnitAttr()));
  for (const auto &[domain, version] : opsets)
    written.push_back(builder.getStringAttr(domain));
  return spelled == written ? ArrayAttr() : builder.getArrayAttr(spelled);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

onnx::TensorProto Importer::getHeader(const onnx::TensorProto &tensor) {
  bool isRaw = tensor.has_raw_data();
  if (tensor.has_segment()) {
    auto payload = file.payloads.find(tensor.segment().begin());
    isRaw |= payload != file.payloads.end() &&
             payload->second.field == Payload::RawData;
  }
  return getTensorHeader(tensor, isRaw);
}

onnx::SparseTensorProto
Importer::getHeader(const onnx::SparseTensorProto &tensor) {
  onnx::SparseTensorProto header;
  if (tensor.has_values())
    *header.mutable_values() = getHeader(tensor.values());
  if (tensor.has_indices())
    *header.mutable_indices() = getHeader(tensor.indices());
  *header.mutable_dims() = tensor.dims();
  return header;
}

/// The serialized message; null if it says no more than `written`.
static StringAttr keepUnless(Builder &builder,
                             const google::protobuf::MessageLite &proto,
                             const google::protobuf::MessageLite &written) {
  std::string bytes = proto.SerializeAsString();
  if (bytes == written.SerializeAsString())
    return nullptr;
  return builder.getStringAttr(bytes);
}

StringAttr Importer::describeHeader(const onnx::TensorProto &tensor,
                                    ElementsAttr value) {
  return keepUnless(builder, getHeader(tensor),
                    makeTensorHeader(value, tensor.name()));
}

StringAttr Importer::describeHeader(const onnx::SparseTensorProto &tensor,
                                    onnxc::SparseElementsAttr value) {
  return keepUnless(builder, getHeader(tensor),
                    makeSparseHeader(value, tensor.values().name()));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

StringAttr Importer::describeAttribute(const onnx::AttributeProto &proto,
                                       Attribute value) {
  onnx::AttributeProto header;
  const bool hasTensors = proto.has_t() || proto.has_sparse_tensor() ||
                          proto.tensors_size() || proto.sparse_tensors_size();
  if (!hasTensors) {
    header = proto;
  } else {
    if (proto.has_name())
      header.set_name(proto.name());
    if (proto.has_type())
      header.set_type(proto.type());
    if (proto.has_doc_string())
      header.set_doc_string(proto.doc_string());
    if (proto.has_t())
      *header.mutable_t() = getHeader(proto.t());
    if (proto.has_sparse_tensor())
      *header.mutable_sparse_tensor() = getHeader(proto.sparse_tensor());
    for (const onnx::TensorProto &tensor : proto.tensors())
      *header.add_tensors() = getHeader(tensor);
    for (const onnx::SparseTensorProto &tensor : proto.sparse_tensors())
      *header.add_sparse_tensors() = getHeader(tensor);
  }
  onnx::AttributeProto written;
  if (failed(writeAttribute(proto.name(), value, written)))
    return serialize(header);
  return keepUnless(builder, header, written);
}

Location Importer::addAttributeForms(Location loc, const onnx::NodeProto &node,
                                     const NamedAttrList &attributes) {
  NamedAttrList forms;
  for (const onnx::AttributeProto &proto : node.attribute()) {
    if (!proto.ref_attr_name().empty())
      continue; // the function is kept as it is
    if (Attribute value = attributes.get(proto.name())) {
      if (StringAttr kept = describeAttribute(proto, value))
        forms.append(proto.name(), builder.getArrayAttr({value, kept}));
    } else if (proto.has_doc_string() ||
               proto.type() == onnx::AttributeProto::UNDEFINED) {
      // Of graphs, which stand in regions.
      onnx::AttributeProto header;
      header.set_name(proto.name());
      if (proto.has_type())
        header.set_type(proto.type());
      if (proto.has_doc_string())
        header.set_doc_string(proto.doc_string());
      forms.append(proto.name(), builder.getArrayAttr({serialize(header)}));
    }
  }
  if (forms.empty())
    return loc;
  auto fused = cast<FusedLoc>(loc);
  auto source = cast<SourceAttr>(fused.getMetadata());
  NamedAttrList metadata(source.getMetadata());
  metadata.set("attributes", forms.getDictionary(context));
  return FusedLoc::get(context, fused.getLocations(),
                       SourceAttr::get(context, source.getName(),
                                       source.getOp(), source.getOutputs(),
                                       source.getAttributes(), source.getDoc(),
                                       metadata.getDictionary(context)));
}

//===----------------------------------------------------------------------===//
// Whole messages
//===----------------------------------------------------------------------===//

namespace {
/// Puts the payloads that stayed in the file back into tensors.
struct PayloadRestorer {
  const llvm::DenseMap<uint64_t, Payload> &payloads;

  void restore(onnx::TensorProto &tensor);
  void restore(onnx::SparseTensorProto &tensor) {
    restore(*tensor.mutable_values());
    restore(*tensor.mutable_indices());
  }
  void restore(onnx::AttributeProto &attribute);
  void restore(onnx::NodeProto &node) { restoreAll(*node.mutable_attribute()); }
  void restore(onnx::GraphProto &graph) {
    restoreAll(*graph.mutable_node());
    restoreAll(*graph.mutable_initializer());
    restoreAll(*graph.mutable_sparse_initializer());
  }
  void restore(onnx::FunctionProto &function) {
    restoreAll(*function.mutable_node());
    restoreAll(*function.mutable_attribute_proto());
  }
  void restore(onnx::TrainingInfoProto &training) {
    if (training.has_initialization())
      restore(*training.mutable_initialization());
    if (training.has_algorithm())
      restore(*training.mutable_algorithm());
  }
  template <typename Proto> void restoreAll(Repeated<Proto> &protos) {
    for (Proto &proto : protos)
      restore(proto);
  }
};
} // namespace

void PayloadRestorer::restore(onnx::AttributeProto &attribute) {
  if (attribute.has_t())
    restore(*attribute.mutable_t());
  if (attribute.has_g())
    restore(*attribute.mutable_g());
  if (attribute.has_sparse_tensor())
    restore(*attribute.mutable_sparse_tensor());
  restoreAll(*attribute.mutable_tensors());
  restoreAll(*attribute.mutable_graphs());
  restoreAll(*attribute.mutable_sparse_tensors());
}

void PayloadRestorer::restore(onnx::TensorProto &tensor) {
  auto payload = tensor.has_segment() ? payloads.find(tensor.segment().begin())
                                      : payloads.end();
  if (payload == payloads.end())
    return;
  tensor.clear_segment();
  ArrayRef<char> bytes = payload->second.bytes;
  auto append = [&](auto &field, auto number) {
    for (size_t i = 0; i + sizeof(number) <= bytes.size();
         i += sizeof(number)) {
      std::memcpy(&number, bytes.data() + i, sizeof(number));
      field.Add(number);
    }
  };
  // The very field that they stood in.
  switch (payload->second.field) {
  case Payload::RawData:
    tensor.set_raw_data(bytes.data(), bytes.size());
    return;
  case Payload::FloatData:
    return append(*tensor.mutable_float_data(), 0.0f);
  case Payload::DoubleData:
    return append(*tensor.mutable_double_data(), 0.0);
  }
}

template <typename Proto> StringAttr Importer::serializeWhole(Proto proto) {
  PayloadRestorer{file.payloads}.restore(proto);
  return serialize(proto);
}

ArrayAttr Importer::describeTrainingInfo() {
  SmallVector<Attribute> kept;
  for (const onnx::TrainingInfoProto &training : file.proto.training_info())
    kept.push_back(serializeWhole(training));
  return kept.empty() ? ArrayAttr() : builder.getArrayAttr(kept);
}

DictionaryAttr
Importer::describeModelFunction(const onnx::FunctionProto &function) {
  NamedAttrList description;
  description.append("name", builder.getStringAttr(function.name()));
  description.append("domain", builder.getStringAttr(function.domain()));
  if (!function.overload().empty())
    description.append("overload", builder.getStringAttr(function.overload()));
  description.append("proto", serializeWhole(function));
  if (usedFunctions.contains(&function))
    description.append("used", builder.getUnitAttr());
  return description.getDictionary(context);
}
