//===- TypeWriter.cpp - Types and values as protobuf ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Proto/ProtoWriter.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc;

/// A tensor's part of a type, for dense and sparse ones.
template <typename Proto>
static LogicalResult writeTensorType(Type type, Proto &proto) {
  auto tensor = dyn_cast<TensorType>(type);
  int dataType = tensor ? getDataType(tensor.getElementType()) : 0;
  if (!dataType)
    return failure();
  proto.set_elem_type(dataType);
  if (!tensor.hasRank())
    return success();
  auto &shape = *proto.mutable_shape();
  for (int64_t dim : tensor.getShape()) {
    auto &added = *shape.add_dim();
    if (!ShapedType::isDynamic(dim))
      added.set_dim_value(dim);
  }
  return success();
}

LogicalResult onnxc::writeType(Type type, onnx::TypeProto &proto) {
  return llvm::TypeSwitch<Type, LogicalResult>(type)
      .Case<UnknownType>([](UnknownType) { return success(); })
      .Case<TensorType>([&](TensorType tensor) {
        return writeTensorType(tensor, *proto.mutable_tensor_type());
      })
      .Case<SparseType>([&](SparseType sparse) {
        return writeTensorType(sparse.getDenseType(),
                               *proto.mutable_sparse_tensor_type());
      })
      .Case<SeqType>([&](SeqType seq) {
        return writeType(seq.getElementType(),
                         *proto.mutable_sequence_type()->mutable_elem_type());
      })
      .Case<OptType>([&](OptType opt) {
        return writeType(opt.getElementType(),
                         *proto.mutable_optional_type()->mutable_elem_type());
      })
      .Case<MapType>([&](MapType map) {
        proto.mutable_map_type()->set_key_type(getDataType(map.getKeyType()));
        return writeType(map.getValueType(),
                         *proto.mutable_map_type()->mutable_value_type());
      })
      .Default([](Type) { return failure(); });
}

void onnxc::writeEntries(Attribute pairs,
                         Repeated<onnx::StringStringEntryProto> &entries) {
  auto array = dyn_cast_or_null<ArrayAttr>(pairs);
  if (!array)
    return;
  for (auto pair : array.getAsRange<ArrayAttr>()) {
    onnx::StringStringEntryProto &entry = *entries.Add();
    entry.set_key(cast<StringAttr>(pair[0]).str());
    entry.set_value(cast<StringAttr>(pair[1]).str());
  }
}

LogicalResult onnxc::writeValueInfo(DictionaryAttr description,
                                    StringRef prefix, Type type,
                                    onnx::ValueInfoProto &proto) {
  auto get = [&](StringRef name) {
    return description ? description.get((prefix + name).str()) : Attribute();
  };
  auto getText = [&](StringRef name) {
    auto text = dyn_cast_or_null<StringAttr>(get(name));
    return text ? text.getValue() : StringRef();
  };
  if (StringRef whole = getText("proto"); !whole.empty())
    if (proto.ParseFromArray(whole.data(), static_cast<int>(whole.size())))
      return success();
  proto.set_name(getText("name").str());
  if (failed(writeType(type, *proto.mutable_type())))
    return failure();
  auto &tensor = *proto.mutable_type();
  auto forDims = [&](StringRef name, auto set) {
    auto texts = dyn_cast_or_null<ArrayAttr>(get(name));
    if (!texts || !tensor.has_tensor_type())
      return;
    auto &dims = *tensor.mutable_tensor_type()->mutable_shape()->mutable_dim();
    for (auto [dim, text] :
         llvm::zip(dims, texts.getAsValueRange<StringAttr>()))
      if (!text.empty())
        set(dim, text.str());
  };
  forDims("dim_params", [](auto &dim, std::string text) {
    if (!dim.has_dim_value())
      dim.set_dim_param(std::move(text));
  });
  forDims("dim_denotations", [](auto &dim, std::string text) {
    dim.set_denotation(std::move(text));
  });
  if (StringRef denotation = getText("denotation"); !denotation.empty())
    tensor.set_denotation(denotation.str());
  if (tensor.ByteSizeLong() == 0)
    proto.clear_type();
  if (StringRef doc = getText("doc"); !doc.empty())
    proto.set_doc_string(doc.str());
  writeEntries(get("metadata"), *proto.mutable_metadata_props());
  return success();
}
