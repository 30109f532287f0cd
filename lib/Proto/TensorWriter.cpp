//===- TensorWriter.cpp - Tensors as protobuf -----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Proto/ProtoWriter.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/PackedElements.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/Endian.h"
#include <cstring>

using namespace mlir;
using namespace onnxc;
using onnx::TensorProto;

static_assert(llvm::endianness::native == llvm::endianness::little,
              "elements are written as they stand in memory");

//===----------------------------------------------------------------------===//
// Headers
//===----------------------------------------------------------------------===//

TensorProto onnxc::makeTensorHeader(ElementsAttr value, StringRef name) {
  TensorProto header;
  auto type = cast<ShapedType>(value.getType());
  for (int64_t dim : type.getShape())
    header.add_dims(dim);
  header.set_data_type(getDataType(type.getElementType()));
  if (!name.empty())
    header.set_name(name.str());
  if (!isa<onnxc::StringType>(type.getElementType()))
    header.set_raw_data("");
  return header;
}

onnx::SparseTensorProto onnxc::makeSparseHeader(onnxc::SparseElementsAttr value,
                                                StringRef name) {
  onnx::SparseTensorProto header;
  *header.mutable_values() = makeTensorHeader(value.getValues(), name);
  *header.mutable_indices() = makeTensorHeader(value.getIndices());
  for (int64_t dim : cast<ShapedType>(value.getType()).getShape())
    header.add_dims(dim);
  return header;
}

TensorProto onnxc::getTensorHeader(const TensorProto &proto, bool isRaw) {
  TensorProto header;
  *header.mutable_dims() = proto.dims();
  if (proto.has_data_type())
    header.set_data_type(proto.data_type());
  if (proto.has_name())
    header.set_name(proto.name());
  if (proto.has_doc_string())
    header.set_doc_string(proto.doc_string());
  *header.mutable_external_data() = proto.external_data();
  if (proto.has_data_location())
    header.set_data_location(proto.data_location());
  *header.mutable_metadata_props() = proto.metadata_props();
  if (isRaw)
    header.set_raw_data("");
  if (!proto.unknown_fields().empty())
    *header.mutable_unknown_fields() = proto.unknown_fields();
  return header;
}

bool onnxc::isHeaderOf(const TensorProto &header, ElementsAttr value) {
  auto type = cast<ShapedType>(value.getType());
  return header.data_type() == getDataType(type.getElementType()) &&
         llvm::equal(header.dims(), type.getShape());
}

bool onnxc::isHeaderOf(const onnx::SparseTensorProto &header,
                       onnxc::SparseElementsAttr value) {
  bool hasIndices = header.has_indices();
  return isHeaderOf(header.values(), value.getValues()) &&
         (hasIndices ? isHeaderOf(header.indices(), value.getIndices())
                     : value.getIndices().getNumElements() == 0);
}

bool onnxc::hasElements(const TensorProto &header) {
  return !header.raw_data().empty() || header.float_data_size() ||
         header.int32_data_size() || header.int64_data_size() ||
         header.double_data_size() || header.uint64_data_size() ||
         header.string_data_size();
}

bool onnxc::hasElements(const onnx::SparseTensorProto &header) {
  return hasElements(header.values()) || hasElements(header.indices());
}

void onnxc::clearElements(TensorProto &tensor) {
  tensor.clear_raw_data();
  tensor.clear_float_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
  tensor.clear_double_data();
  tensor.clear_uint64_data();
  tensor.clear_string_data();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Elements of less than a byte share bytes; in memory each has its own.
static void packBits(ArrayRef<char> elements, unsigned bits,
                     std::string &packed) {
  uint32_t pending = 0;
  unsigned count = 0;
  for (char element : elements) {
    pending |= (static_cast<unsigned char>(element) & ((1u << bits) - 1))
               << count;
    for (count += bits; count >= 8; count -= 8, pending >>= 8)
      packed.push_back(static_cast<char>(pending));
  }
  if (count)
    packed.push_back(static_cast<char>(pending));
}

/// The elements as they stand in memory, a byte at least for each.
static std::optional<ArrayRef<char>> getBytesInMemory(ElementsAttr value,
                                                      std::string &storage) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    if (std::optional<ArrayRef<char>> packed = getPackedData(resource)) {
      std::vector<char> elements = unpackElements(
          *packed, getPackedBits(resource.getType().getElementType()),
          static_cast<size_t>(value.getNumElements()));
      storage.assign(elements.begin(), elements.end());
      return ArrayRef<char>(storage.data(), storage.size());
    }
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    return blob->getData();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || isa<DenseStringElementsAttr>(value))
    return std::nullopt;
  if (dense.getElementType().isInteger(1)) {
    for (bool element : dense.getValues<bool>())
      storage.push_back(element);
    return ArrayRef<char>(storage.data(), storage.size());
  }
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat() || dense.getNumElements() == 1)
    return dense.getNumElements() ? raw : ArrayRef<char>();
  storage.reserve(raw.size() * static_cast<size_t>(dense.getNumElements()));
  for (int64_t i = 0; i < dense.getNumElements(); ++i)
    storage.append(raw.data(), raw.size());
  return ArrayRef<char>(storage.data(), storage.size());
}

/// Bits of an element in raw_data.
static unsigned getBits(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  return element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth();
}

std::optional<ArrayRef<char>> onnxc::getRawBytes(ElementsAttr value,
                                                 std::string &storage) {
  auto type = cast<ShapedType>(value.getType());
  if (isa<onnxc::StringType>(type.getElementType()) ||
      !getDataType(type.getElementType()))
    return std::nullopt;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    if (std::optional<ArrayRef<char>> packed = getPackedData(resource))
      return packed;
  unsigned bits = getBits(type.getElementType());
  std::string unpacked;
  std::optional<ArrayRef<char>> bytes =
      getBytesInMemory(value, bits < 8 ? unpacked : storage);
  size_t expected =
      static_cast<size_t>(type.getNumElements()) * std::max(bits / 8, 1u);
  if (!bytes || bytes->size() != expected)
    return std::nullopt;
  if (bits >= 8)
    return bytes;
  packBits(*bytes, bits, storage);
  return ArrayRef<char>(storage.data(), storage.size());
}

//===----------------------------------------------------------------------===//
// Typed fields
//===----------------------------------------------------------------------===//

/// The bytes as numbers of type `From`, each an entry of `field`.
template <typename From, typename Field>
static void appendAs(ArrayRef<char> bytes, Field &field) {
  field.Reserve(static_cast<int>(bytes.size() / sizeof(From)));
  for (size_t i = 0; i + sizeof(From) <= bytes.size(); i += sizeof(From)) {
    From number;
    std::memcpy(&number, bytes.data() + i, sizeof(From));
    field.AddAlreadyReserved(number);
  }
}

/// The field that elements of the type stand in, if not in raw_data.
static void fillTypedField(ArrayRef<char> bytes, TensorProto &proto) {
  switch (proto.data_type()) {
  case TensorProto::FLOAT:
  case TensorProto::COMPLEX64:
    return appendAs<float>(bytes, *proto.mutable_float_data());
  case TensorProto::DOUBLE:
  case TensorProto::COMPLEX128:
    return appendAs<double>(bytes, *proto.mutable_double_data());
  case TensorProto::INT64:
    return appendAs<int64_t>(bytes, *proto.mutable_int64_data());
  case TensorProto::UINT64:
    return appendAs<uint64_t>(bytes, *proto.mutable_uint64_data());
  case TensorProto::UINT32:
    return appendAs<uint32_t>(bytes, *proto.mutable_uint64_data());
  case TensorProto::INT32:
    return appendAs<int32_t>(bytes, *proto.mutable_int32_data());
  case TensorProto::INT16:
    return appendAs<int16_t>(bytes, *proto.mutable_int32_data());
  case TensorProto::UINT16:
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return appendAs<uint16_t>(bytes, *proto.mutable_int32_data());
  case TensorProto::INT8:
    return appendAs<int8_t>(bytes, *proto.mutable_int32_data());
  default:
    return appendAs<uint8_t>(bytes, *proto.mutable_int32_data());
  }
}

/// Elements of 6 bits have an entry each, though they share bytes of raw_data.
static bool isUnpackedInTypedField(const TensorProto &proto) {
  return proto.data_type() == TensorProto::FLOAT6E2M3 ||
         proto.data_type() == TensorProto::FLOAT6E3M2;
}

LogicalResult onnxc::fillTensor(ElementsAttr value, TensorProto &header) {
  if (header.data_location() == TensorProto::EXTERNAL || hasElements(header))
    return success();
  if (auto strings = dyn_cast<DenseStringElementsAttr>(value)) {
    header.clear_raw_data();
    for (StringRef text : strings.getValues<StringRef>())
      header.add_string_data(text.str());
    return success();
  }
  std::string storage;
  bool isRaw = header.has_raw_data();
  std::optional<ArrayRef<char>> bytes = !isRaw && isUnpackedInTypedField(header)
                                            ? getBytesInMemory(value, storage)
                                            : getRawBytes(value, storage);
  if (!bytes)
    return failure();
  if (!isRaw)
    fillTypedField(*bytes, header);
  else if (bytes->data() == storage.data())
    header.set_raw_data(std::move(storage));
  else
    header.set_raw_data(bytes->data(), bytes->size());
  return success();
}

LogicalResult onnxc::fillSparse(onnxc::SparseElementsAttr value,
                                onnx::SparseTensorProto &header) {
  if (failed(fillTensor(value.getValues(), *header.mutable_values())))
    return failure();
  // A tensor of zeros may have none.
  if (!header.has_indices())
    return success();
  return fillTensor(value.getIndices(), *header.mutable_indices());
}
