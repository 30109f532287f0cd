//===- OriginalForm.cpp - What the exporter could not know ----------------===//
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
// Payloads that stayed in the file
//===----------------------------------------------------------------------===//

namespace {
/// Puts the payloads that stayed in the file back into tensors.
struct PayloadRestorer {
  const llvm::DenseMap<uint64_t, Payload> &payloads;

  void restore(onnx::TensorProto &tensor);
  void restore(onnx::SparseTensorProto &tensor) {
    if (tensor.has_values())
      restore(*tensor.mutable_values());
    if (tensor.has_indices())
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

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Whether raw bytes are what would be written for `value`: all are but bools
/// of more than one bit, and bits behind the last element that are not 0.
static bool isPlain(ArrayRef<char> bytes, ElementsAttr value) {
  Type element = getElementTypeOrSelf(value.getType());
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 8;
  if (bits == 1)
    return llvm::all_of(bytes, [](char c) { return c == 0 || c == 1; });
  unsigned used = static_cast<uint64_t>(value.getNumElements()) * bits % 8;
  return bits >= 8 || used == 0 || bytes.empty() ||
         static_cast<unsigned char>(bytes.back()) >> used == 0;
}

/// The tensor without its elements; or whole, where the elements are not
/// spelled as the exporter would: a bool of 2, bits that fill up the last byte,
/// -1 for a byte of 255, an empty raw_data beside another field.
onnx::TensorProto Importer::getHeader(const onnx::TensorProto &tensor,
                                      ElementsAttr value) {
  auto payload = tensor.has_segment()
                     ? file.payloads.find(tensor.segment().begin())
                     : file.payloads.end();
  bool isInFile = payload != file.payloads.end();
  onnx::TensorProto header = getTensorHeader(
      tensor, isInFile ? payload->second.field == Payload::RawData
                       : tensor.has_raw_data());
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return header;
  if (isInFile && isPlain(payload->second.bytes, value))
    return header;
  // Nor is there another way to spell strings, or raw bytes, alone.
  bool isTyped = tensor.float_data_size() || tensor.int32_data_size() ||
                 tensor.int64_data_size() || tensor.double_data_size() ||
                 tensor.uint64_data_size();
  bool isRaw = !tensor.raw_data().empty();
  if (!isInFile && !isTyped &&
      (isa<DenseStringElementsAttr>(value)
           ? !tensor.has_raw_data()
           : isRaw && !tensor.string_data_size() &&
                 isPlain({tensor.raw_data().data(), tensor.raw_data().size()},
                         value)))
    return header;
  onnx::TensorProto whole = tensor, written = header;
  PayloadRestorer{file.payloads}.restore(whole);
  if (succeeded(fillTensor(value, written)) &&
      written.SerializeAsString() == whole.SerializeAsString())
    return header;
  return whole;
}

onnx::SparseTensorProto
Importer::getHeader(const onnx::SparseTensorProto &tensor,
                    onnxc::SparseElementsAttr value) {
  onnx::SparseTensorProto header;
  if (tensor.has_values())
    *header.mutable_values() = getHeader(tensor.values(), value.getValues());
  if (tensor.has_indices())
    *header.mutable_indices() = getHeader(tensor.indices(), value.getIndices());
  *header.mutable_dims() = tensor.dims();
  setUnknownFields(builder.getStringAttr(tensor.unknown_fields()), header);
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

/// Adds to `metadata` the header that is not what would be `written`.
template <typename Proto, typename Value>
static void keepHeader(Builder &builder, const Proto &header,
                       const Proto &written, Value value,
                       NamedAttrList &metadata) {
  StringAttr kept = keepUnless(builder, header, written);
  if (!kept)
    return;
  metadata.set("header", kept);
  if (hasElements(header))
    metadata.set("value", value);
}

void Importer::describeHeader(const onnx::TensorProto &tensor,
                              ElementsAttr value, NamedAttrList &metadata) {
  keepHeader(builder, getHeader(tensor, value),
             makeTensorHeader(value, tensor.name()), value, metadata);
}

void Importer::describeHeader(const onnx::SparseTensorProto &tensor,
                              onnxc::SparseElementsAttr value,
                              NamedAttrList &metadata) {
  keepHeader(builder, getHeader(tensor, value),
             makeSparseHeader(value, tensor.values().name()), value, metadata);
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
      *header.mutable_t() = getHeader(proto.t(), cast<ElementsAttr>(value));
    if (proto.has_sparse_tensor())
      *header.mutable_sparse_tensor() = getHeader(
          proto.sparse_tensor(), cast<onnxc::SparseElementsAttr>(value));
    auto list = dyn_cast<ArrayAttr>(value);
    for (auto [i, tensor] : llvm::enumerate(proto.tensors()))
      *header.add_tensors() = getHeader(tensor, cast<ElementsAttr>(list[i]));
    for (auto [i, tensor] : llvm::enumerate(proto.sparse_tensors()))
      *header.add_sparse_tensors() =
          getHeader(tensor, cast<onnxc::SparseElementsAttr>(list[i]));
    setUnknownFields(builder.getStringAttr(proto.unknown_fields()), header);
  }
  onnx::AttributeProto written;
  if (failed(writeAttribute(proto.name(), value, written)))
    return serialize(header);
  return keepUnless(builder, header, written);
}

Location Importer::addAttributeForms(Location loc, const onnx::NodeProto &node,
                                     const NamedAttrList &attributes) {
  NamedAttrList forms;
  // They are in the order of the node's, and a node may have any number.
  const NamedAttribute *next = attributes.begin();
  for (const onnx::AttributeProto &proto : node.attribute()) {
    Attribute value;
    if (next != attributes.end() && next->getName() == proto.name())
      value = (next++)->getValue();
    if (!proto.ref_attr_name().empty())
      continue; // the function is kept as it is
    if (value) {
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
