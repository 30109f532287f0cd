//===- ProtoWriter.h - Attributes and types as protobuf ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What the exporter writes for types, tensors and attributes. The importer asks
// the same functions what would be written for what it read: where that is not
// what the file has, it keeps the file's own message beside the value.
//
// A kept TensorProto is a *header*: without its elements. Whether these stood
// in raw_data is marked by an empty raw_data in the header.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PROTO_PROTOWRITER_H
#define ONNXC_PROTO_PROTOWRITER_H

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

#include <onnx/onnx-ml.pb.h>

namespace onnxc {

template <typename T> using Repeated = google::protobuf::RepeatedPtrField<T>;

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

/// Leaves `proto` without a value for a type that is not known; fails if ONNX
/// has no such type.
llvm::LogicalResult writeType(mlir::Type type, onnx::TypeProto &proto);

/// Writes a value that `description` tells of, in attributes whose names begin
/// with `prefix`: name, dim_params, doc, metadata, denotation, dim_denotations,
/// and proto, the whole message where it is not what the others make.
llvm::LogicalResult writeValueInfo(mlir::DictionaryAttr description,
                                   llvm::StringRef prefix, mlir::Type type,
                                   onnx::ValueInfoProto &proto);

/// Pairs of strings.
void writeEntries(mlir::Attribute pairs,
                  Repeated<onnx::StringStringEntryProto> &entries);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The header of a tensor that nothing else is known of.
onnx::TensorProto makeTensorHeader(mlir::ElementsAttr value,
                                   llvm::StringRef name = {});

onnx::SparseTensorProto makeSparseHeader(SparseElementsAttr value,
                                         llvm::StringRef name = {});

/// The header of a tensor of a model; `isRaw`: its elements stand in raw_data.
onnx::TensorProto getTensorHeader(const onnx::TensorProto &proto, bool isRaw);

/// Whether the header is one of a tensor like `value`.
bool isHeaderOf(const onnx::TensorProto &header, mlir::ElementsAttr value);
bool isHeaderOf(const onnx::SparseTensorProto &header,
                SparseElementsAttr value);

/// Whether a header is a whole tensor: `fillTensor` leaves it as it is.
bool hasElements(const onnx::TensorProto &header);
bool hasElements(const onnx::SparseTensorProto &header);

/// Takes the elements of a whole tensor away.
void clearElements(onnx::TensorProto &tensor);

/// The elements as raw_data has them, in memory of the attribute or `storage`;
/// nullopt for strings, which have no such form, and for attributes whose
/// elements cannot be read.
std::optional<llvm::ArrayRef<char>> getRawBytes(mlir::ElementsAttr value,
                                                std::string &storage);

/// Puts the elements where the header says.
llvm::LogicalResult fillTensor(mlir::ElementsAttr value,
                               onnx::TensorProto &header);
llvm::LogicalResult fillSparse(SparseElementsAttr value,
                               onnx::SparseTensorProto &header);

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The attribute, with tensors as headers; fails if ONNX has no such attribute.
llvm::LogicalResult writeAttribute(llvm::StringRef name, mlir::Attribute value,
                                   onnx::AttributeProto &proto);

/// Fills the tensors of what `writeAttribute` or a model gave for `value`.
llvm::LogicalResult fillAttribute(mlir::Attribute value,
                                  onnx::AttributeProto &proto);

//===----------------------------------------------------------------------===//
// Presence
//===----------------------------------------------------------------------===//

/// The fields of `proto` that are present though they equal the default.
llvm::SmallVector<llvm::StringRef>
listExplicitDefaults(const onnx::ModelProto &proto);
llvm::SmallVector<llvm::StringRef>
listExplicitDefaults(const onnx::GraphProto &proto);
llvm::SmallVector<llvm::StringRef>
listExplicitDefaults(const onnx::NodeProto &proto);

/// Makes the absent ones among the fields `names` (an array of strings, or
/// null) present.
void setExplicitDefaults(mlir::Attribute names, onnx::ModelProto &proto);
void setExplicitDefaults(mlir::Attribute names, onnx::GraphProto &proto);
void setExplicitDefaults(mlir::Attribute names, onnx::NodeProto &proto);

/// Puts back what a reader of this version does not know: `fields` is a string
/// of serialized fields, or null.
template <typename Proto>
void setUnknownFields(mlir::Attribute fields, Proto &proto) {
  if (auto text = mlir::dyn_cast_or_null<mlir::StringAttr>(fields))
    *proto.mutable_unknown_fields() = text.str();
}

} // namespace onnxc

#endif // ONNXC_PROTO_PROTOWRITER_H
