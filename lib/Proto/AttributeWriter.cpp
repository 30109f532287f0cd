//===- AttributeWriter.cpp - Attributes as protobuf -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Proto/ProtoWriter.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/Schema.h"

using namespace mlir;
using namespace onnxc;
using onnx::AttributeProto;

/// One attribute that stands for a list of values.
static LogicalResult writeList(ArrayAttr list, AttributeProto &proto) {
  StringRef kind = getAttributeKind(list);
  if (kind == "STRINGS") {
    proto.set_type(AttributeProto::STRINGS);
    for (Attribute element : list) {
      auto text = dyn_cast<StringAttr>(element);
      if (!text)
        return failure();
      proto.add_strings(text.str());
    }
    return success();
  }
  for (Attribute element : list) {
    if (auto tensor = dyn_cast<ElementsAttr>(element)) {
      proto.set_type(AttributeProto::TENSORS);
      *proto.add_tensors() = makeTensorHeader(tensor);
    } else if (auto sparse = dyn_cast<onnxc::SparseElementsAttr>(element)) {
      proto.set_type(AttributeProto::SPARSE_TENSORS);
      *proto.add_sparse_tensors() = makeSparseHeader(sparse);
    } else if (auto type = dyn_cast<TypeAttr>(element)) {
      proto.set_type(AttributeProto::TYPE_PROTOS);
      if (failed(writeType(type.getValue(), *proto.add_type_protos())))
        return failure();
    } else {
      return failure();
    }
  }
  return success();
}

LogicalResult onnxc::writeAttribute(StringRef name, Attribute value,
                                    AttributeProto &proto) {
  proto.set_name(name.str());
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    proto.set_type(AttributeProto::INT);
    proto.set_i(integer.getValue().getSExtValue());
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    proto.set_type(AttributeProto::FLOAT);
    // Of a single, exactly: a conversion through double would quiet a NaN.
    proto.set_f(number.getType().isF32()
                    ? number.getValue().convertToFloat()
                    : static_cast<float>(number.getValueAsDouble()));
  } else if (auto text = dyn_cast<StringAttr>(value)) {
    proto.set_type(AttributeProto::STRING);
    proto.set_s(text.str());
  } else if (auto integers = dyn_cast<DenseI64ArrayAttr>(value)) {
    proto.set_type(AttributeProto::INTS);
    proto.mutable_ints()->Add(integers.asArrayRef().begin(),
                              integers.asArrayRef().end());
  } else if (auto floats = dyn_cast<DenseF32ArrayAttr>(value)) {
    proto.set_type(AttributeProto::FLOATS);
    proto.mutable_floats()->Add(floats.asArrayRef().begin(),
                                floats.asArrayRef().end());
  } else if (auto tensor = dyn_cast<ElementsAttr>(value)) {
    proto.set_type(AttributeProto::TENSOR);
    *proto.mutable_t() = makeTensorHeader(tensor);
  } else if (auto sparse = dyn_cast<onnxc::SparseElementsAttr>(value)) {
    proto.set_type(AttributeProto::SPARSE_TENSOR);
    *proto.mutable_sparse_tensor() = makeSparseHeader(sparse);
  } else if (auto type = dyn_cast<TypeAttr>(value)) {
    proto.set_type(AttributeProto::TYPE_PROTO);
    return writeType(type.getValue(), *proto.mutable_tp());
  } else if (auto list = dyn_cast<ArrayAttr>(value)) {
    return writeList(list, proto);
  } else {
    return failure();
  }
  return success();
}

LogicalResult onnxc::fillAttribute(Attribute value, AttributeProto &proto) {
  if (auto tensor = dyn_cast<ElementsAttr>(value);
      tensor && !isa<DenseArrayAttr>(value))
    return fillTensor(tensor, *proto.mutable_t());
  if (auto sparse = dyn_cast<onnxc::SparseElementsAttr>(value))
    return fillSparse(sparse, *proto.mutable_sparse_tensor());
  auto list = dyn_cast<ArrayAttr>(value);
  if (!list)
    return success();
  int tensors = 0, sparseTensors = 0;
  for (Attribute element : list) {
    if (auto tensor = dyn_cast<ElementsAttr>(element)) {
      if (tensors == proto.tensors_size() ||
          failed(fillTensor(tensor, *proto.mutable_tensors(tensors++))))
        return failure();
    } else if (auto sparse = dyn_cast<onnxc::SparseElementsAttr>(element)) {
      if (sparseTensors == proto.sparse_tensors_size() ||
          failed(fillSparse(sparse,
                            *proto.mutable_sparse_tensors(sparseTensors++))))
        return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Presence
//===----------------------------------------------------------------------===//

// The lite classes of ONNX have no reflection.
#define ONNXC_MODEL_FIELDS(X)                                                  \
  X(producer_name, "")                                                         \
  X(producer_version, "")                                                      \
  X(domain, "")                                                                \
  X(model_version, 0)                                                          \
  X(doc_string, "")
#define ONNXC_GRAPH_FIELDS(X)                                                  \
  X(name, "")                                                                  \
  X(doc_string, "")
#define ONNXC_NODE_FIELDS(X)                                                   \
  X(name, "")                                                                  \
  X(domain, "")                                                                \
  X(overload, "")                                                              \
  X(doc_string, "")

#define ONNXC_LIST_FIELD(field, value)                                         \
  if (proto.has_##field() && proto.field() == value)                           \
    names.push_back(#field);
#define ONNXC_SET_FIELD(field, value)                                          \
  if (name == #field && !proto.has_##field())                                  \
    proto.set_##field(value);

#define ONNXC_PRESENCE(Proto, FIELDS)                                          \
  SmallVector<StringRef> onnxc::listExplicitDefaults(const Proto &proto) {     \
    SmallVector<StringRef> names;                                              \
    FIELDS(ONNXC_LIST_FIELD)                                                   \
    return names;                                                              \
  }                                                                            \
  void onnxc::setExplicitDefaults(Attribute fields, Proto &proto) {            \
    auto array = dyn_cast_or_null<ArrayAttr>(fields);                          \
    if (!array)                                                                \
      return;                                                                  \
    for (StringRef name : array.getAsValueRange<StringAttr>()) {               \
      FIELDS(ONNXC_SET_FIELD)                                                  \
    }                                                                          \
  }

ONNXC_PRESENCE(onnx::ModelProto, ONNXC_MODEL_FIELDS)
ONNXC_PRESENCE(onnx::GraphProto, ONNXC_GRAPH_FIELDS)
ONNXC_PRESENCE(onnx::NodeProto, ONNXC_NODE_FIELDS)
