//===- TensorReader.cpp - TensorProto to ElementsAttr ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorReader.h"

#include "TypeReader.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/PackedElements.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <cstring>

using namespace mlir;
using namespace onnxc;
using onnx::TensorProto;

static_assert(llvm::endianness::native == llvm::endianness::little,
              "payloads are used as they stand in the file");

/// Bits of an element in raw_data. Strings have no raw form.
static int64_t getBitsPerElement(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * int64_t(complex.getElementType().getIntOrFloatBitWidth());
  if (type.isInteger(1))
    return 8; // a byte per bool
  return type.getIntOrFloatBitWidth();
}

//===----------------------------------------------------------------------===//
// Bytes from the typed fields
//===----------------------------------------------------------------------===//

namespace {
/// The field that elements of a type stand in, if not in raw_data.
enum class Field { Float, Int32, Int64, Double, UInt64 };
} // namespace

static Field getTypedField(int32_t dataType) {
  switch (dataType) {
  case TensorProto::FLOAT:
  case TensorProto::COMPLEX64:
    return Field::Float;
  case TensorProto::DOUBLE:
  case TensorProto::COMPLEX128:
    return Field::Double;
  case TensorProto::INT64:
    return Field::Int64;
  case TensorProto::UINT32:
  case TensorProto::UINT64:
    return Field::UInt64;
  default:
    return Field::Int32;
  }
}

static int getFieldSize(const TensorProto &proto, Field field) {
  switch (field) {
  case Field::Float:
    return proto.float_data_size();
  case Field::Int32:
    return proto.int32_data_size();
  case Field::Int64:
    return proto.int64_data_size();
  case Field::Double:
    return proto.double_data_size();
  case Field::UInt64:
    return proto.uint64_data_size();
  }
  return 0;
}

/// Appends the low `size` bytes of each of `values`, which must be what an
/// integer of that size can be, signed or as a bit pattern.
template <typename Values>
static LogicalResult appendIntegers(const Values &values, unsigned size,
                                    std::vector<char> &bytes, ErrorSink error) {
  bytes.reserve(bytes.size() + static_cast<size_t>(values.size()) * size);
  for (auto value : values) {
    uint64_t bits = static_cast<uint64_t>(value);
    if (size < 8) {
      uint64_t high = bits >> (8 * size - 1);
      bool isUnsigned = (bits >> (8 * size)) == 0;
      bool isNegative = high == ~uint64_t(0) >> (8 * size - 1);
      if (!isUnsigned && !isNegative) {
        error("has the element " + llvm::Twine(value) +
              ", which does not fit " + llvm::Twine(8 * size) + " bits");
        return failure();
      }
    }
    const char *begin = reinterpret_cast<const char *>(&bits);
    bytes.insert(bytes.end(), begin, begin + size);
  }
  return success();
}

template <typename Values>
static void appendRaw(const Values &values, std::vector<char> &bytes) {
  const char *begin = reinterpret_cast<const char *>(values.data());
  bytes.insert(bytes.end(), begin,
               begin +
                   sizeof(*values.data()) * static_cast<size_t>(values.size()));
}

/// The typed field's elements in the form of raw_data.
static LogicalResult appendTyped(const TensorProto &proto, Field field,
                                 Type elementType, std::vector<char> &bytes,
                                 ErrorSink error) {
  switch (field) {
  case Field::Float:
    appendRaw(proto.float_data(), bytes);
    return success();
  case Field::Double:
    appendRaw(proto.double_data(), bytes);
    return success();
  case Field::Int64:
    return appendIntegers(proto.int64_data(), 8, bytes, error);
  case Field::UInt64:
    return appendIntegers(proto.uint64_data(),
                          elementType.getIntOrFloatBitWidth() / 8, bytes,
                          error);
  case Field::Int32:
    break;
  }
  unsigned bits = elementType.getIntOrFloatBitWidth();
  if (bits == 6) {
    // One element per entry here, but packed in raw_data.
    uint32_t pending = 0;
    unsigned count = 0;
    for (int32_t value : proto.int32_data()) {
      if (value < 0 || value > 63) {
        error("has the element " + llvm::Twine(value) +
              ", which does not fit 6 bits");
        return failure();
      }
      pending |= static_cast<uint32_t>(value) << count;
      for (count += 6; count >= 8; count -= 8, pending >>= 8)
        bytes.push_back(static_cast<char>(pending));
    }
    if (count)
      bytes.push_back(static_cast<char>(pending));
    return success();
  }
  if (bits == 1) {
    for (int32_t value : proto.int32_data())
      bytes.push_back(value != 0);
    return success();
  }
  // Elements of less than a byte share an entry as they share a byte.
  return appendIntegers(proto.int32_data(), std::max(bits / 8, 1u), bytes,
                        error);
}

//===----------------------------------------------------------------------===//
// Where the bytes are
//===----------------------------------------------------------------------===//

/// The entry of that key.
static const std::string *findExternal(const TensorProto &proto,
                                       llvm::StringRef key) {
  for (const onnx::StringStringEntryProto &entry : proto.external_data())
    if (entry.key() == key)
      return &entry.value();
  return nullptr;
}

/// Readers disagree on which of two entries of one key counts, and a key that
/// is misspelled would be taken for one that is not there. ONNX Runtime writes
/// where it keeps packed weights.
static LogicalResult checkExternalKeys(const TensorProto &proto,
                                       ErrorSink error) {
  constexpr StringLiteral known[] = {"location", "offset", "length", "checksum",
                                     "basepath"};
  for (const onnx::StringStringEntryProto &entry : proto.external_data())
    if (!llvm::is_contained(known, entry.key()) &&
        !toStringRef(entry.key()).starts_with("prepacked")) {
      error("has an external key '" + llvm::Twine(toStringRef(entry.key())) +
            "', expected location, offset, length or checksum");
      return failure();
    }
  for (llvm::StringRef key : {"location", "offset", "length"}) {
    auto isKey = [&](const onnx::StringStringEntryProto &entry) {
      return entry.key() == key;
    };
    if (llvm::count_if(proto.external_data(), isKey) <= 1)
      continue;
    error("names its external " + key + " twice");
    return failure();
  }
  return success();
}

FailureOr<TensorReader::Bytes>
TensorReader::readExternal(const TensorProto &proto, int64_t expected,
                           ErrorSink error) {
  auto fail = [&](const llvm::Twine &message) {
    error(message);
    return failure();
  };
  if (failed(checkExternalKeys(proto, error)))
    return failure();
  const std::string *location = findExternal(proto, "location");
  if (!location)
    return fail("is external, but has no location");
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  // An empty number says nothing.
  if (const std::string *text = findExternal(proto, "offset"))
    if (!text->empty() && llvm::StringRef(*text).getAsInteger(10, offset))
      return fail("its external offset '" + llvm::Twine(toStringRef(*text)) +
                  "' is not a number");
  if (const std::string *text = findExternal(proto, "length"))
    if (!text->empty() &&
        llvm::StringRef(*text).getAsInteger(10, length.emplace()))
      return fail("its external length '" + llvm::Twine(toStringRef(*text)) +
                  "' is not a number");
  // A length of 0 stands for the one that the type and the shape give.
  if (length && *length && *length != static_cast<uint64_t>(expected))
    return fail("its external length is " + llvm::Twine(*length) + ", " +
                llvm::Twine(expected) + " bytes were expected");
  FailureOr<MappedFile> external = file.externalFiles.get(*location, error);
  if (failed(external))
    return failure();
  uint64_t size = (*external)->getBufferSize();
  if (offset > size || static_cast<uint64_t>(expected) > size - offset)
    return fail("its " + llvm::Twine(expected) + " bytes at offset " +
                llvm::Twine(offset) + " reach past the end of external file '" +
                toStringRef(*location) + "', which has " + llvm::Twine(size));
  Bytes bytes;
  bytes.data = llvm::ArrayRef<char>((*external)->getBufferStart() + offset,
                                    static_cast<size_t>(expected));
  bytes.mapping = *external;
  return bytes;
}

FailureOr<TensorReader::Bytes> TensorReader::readBytes(const TensorProto &proto,
                                                       RankedTensorType type,
                                                       ErrorSink error) {
  auto fail = [&](const llvm::Twine &message) {
    error(message);
    return failure();
  };
  int64_t elements = type.getNumElements();
  int64_t expected =
      (elements * getBitsPerElement(type.getElementType()) + 7) / 8;
  Field field = getTypedField(proto.data_type());
  int typed = getFieldSize(proto, field);
  for (Field other :
       {Field::Float, Field::Int32, Field::Int64, Field::Double, Field::UInt64})
    if (other != field && getFieldSize(proto, other) != 0)
      return fail("its data is in a field that does not match element "
                  "type " +
                  getOnnxTypeName(type.getElementType()));
  if (proto.string_data_size() != 0)
    return fail("has strings, but its element type is " +
                getOnnxTypeName(type.getElementType()));

  if (proto.data_location() == TensorProto::EXTERNAL) {
    if (typed || proto.segment().has_begin() || !proto.raw_data().empty())
      return fail("is external, but has data of its own");
    return readExternal(proto, expected, error);
  }

  Bytes bytes;
  // An empty segment is not part of anything.
  if (proto.segment().has_begin() || proto.segment().has_end()) {
    auto payload = file.payloads.find(proto.segment().begin());
    if (payload == file.payloads.end() ||
        proto.segment().end() - proto.segment().begin() !=
            static_cast<int64_t>(payload->second.bytes.size()))
      return fail("is a segment of a tensor; segments are not supported");
    bool belongs = payload->second.field == Payload::RawData ||
                   (payload->second.field == Payload::FloatData &&
                    field == Field::Float) ||
                   (payload->second.field == Payload::DoubleData &&
                    field == Field::Double);
    if (!belongs)
      return fail("its data is in a field that does not match element "
                  "type " +
                  getOnnxTypeName(type.getElementType()));
    if (typed || proto.has_raw_data())
      return fail("its data is given twice");
    bytes.data = payload->second.bytes;
    bytes.mapping = file.mapping;
  } else if (proto.has_raw_data() && !(proto.raw_data().empty() && typed)) {
    if (typed)
      return fail("its data is given twice");
    bytes.storage.assign(proto.raw_data().begin(), proto.raw_data().end());
    bytes.own();
  } else {
    if (failed(appendTyped(proto, field, type.getElementType(), bytes.storage,
                           error)))
      return failure();
    bytes.own();
  }
  if (static_cast<int64_t>(bytes.data.size()) != expected)
    return fail("has " + llvm::Twine(bytes.data.size()) + " bytes of data, " +
                llvm::Twine(expected) + " expected for " +
                llvm::Twine(elements) + " elements of type " +
                getOnnxTypeName(type.getElementType()));
  return bytes;
}

FailureOr<std::vector<char>> TensorReader::readPlain(const TensorProto &proto,
                                                     RankedTensorType type,
                                                     ErrorSink error) {
  FailureOr<Bytes> bytes = readBytes(proto, type, error);
  if (failed(bytes))
    return failure();
  return std::vector<char>(bytes->data.begin(), bytes->data.end());
}

//===----------------------------------------------------------------------===//
// From bytes to attributes
//===----------------------------------------------------------------------===//

/// Small tensors, and those that look like shapes, are printed and uniqued.
static bool isPrinted(RankedTensorType type, size_t bytes) {
  if (bytes <= 64)
    return true;
  return type.getRank() <= 1 && type.getElementType().isInteger() &&
         bytes <= 1024;
}

/// What a resource may be called in the text form.
static std::string sanitizeName(llvm::StringRef name) {
  std::string text;
  for (char c : name)
    text += llvm::isAlnum(c) || c == '.' || c == '$' || c == '_' ? c : '_';
  if (text.empty() || llvm::isDigit(text.front()) || text.front() == '.')
    text.insert(text.begin(), '_');
  return text;
}

ElementsAttr TensorReader::makeAttribute(RankedTensorType type, Bytes bytes,
                                         llvm::StringRef name) {
  Type element = type.getElementType();
  if (element.isInteger(1)) {
    // Whatever is not 0 is true, but consumers may rely on 1.
    if (llvm::any_of(bytes.data, [](char c) { return c != 0 && c != 1; })) {
      bytes.storage.assign(bytes.data.begin(), bytes.data.end());
      for (char &c : bytes.storage)
        c = c != 0;
      bytes.mapping.reset();
      bytes.own();
    }
  }
  const unsigned packed = getPackedBits(element);
  const auto count = static_cast<size_t>(type.getNumElements());
  if (isPrinted(type, packed ? count : bytes.data.size())) {
    if (element.isInteger(1))
      return DenseElementsAttr::get(
          type, SmallVector<bool>(bytes.data.begin(), bytes.data.end()));
    if (packed) {
      bytes.storage = unpackElements(bytes.data, packed, count);
      bytes.own();
    }
    if (bytes.data.empty())
      return DenseElementsAttr::get(type, ArrayRef<Attribute>());
    return DenseElementsAttr::getFromRawBuffer(type, bytes.data);
  }

  std::string key = sanitizeName(name);
  if (!bytes.mapping) {
    AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(
        bytes.data, /*align=*/64, /*dataIsMutable=*/false);
    return DenseResourceElementsAttr::get(type, key, std::move(blob));
  }
  // What the place in the file gives. Files begin at a multiple of 16 at least:
  // more would depend on the address, and dumps of one model would differ.
  size_t address = reinterpret_cast<size_t>(bytes.data.data());
  size_t alignment = std::min<size_t>(address & (~address + 1), 16);
  AsmResourceBlob blob = UnmanagedAsmResourceBlob::allocateWithAlign(
      bytes.data, alignment, [mapping = bytes.mapping](void *, size_t, size_t) {
        // The mapping lives as long as the blob does.
      });
  return DenseResourceElementsAttr::get(type, key, std::move(blob));
}

/// Whether the elements are in a file that cannot be opened.
bool TensorReader::isMissing(const TensorProto &proto) {
  if (proto.data_location() != TensorProto::EXTERNAL)
    return false;
  const std::string *location = findExternal(proto, "location");
  return location &&
         failed(file.externalFiles.get(*location, [](const llvm::Twine &) {}));
}

FailureOr<ElementsAttr> TensorReader::read(const TensorProto &proto,
                                           llvm::StringRef name,
                                           ErrorSink error) {
  FailureOr<Type> element = readElementType(context, proto.data_type(), error);
  if (failed(element))
    return failure();
  SmallVector<int64_t> dims(proto.dims().begin(), proto.dims().end());
  FailureOr<int64_t> count = countElements(dims, error);
  if (failed(count))
    return failure();
  auto type = RankedTensorType::get(dims, *element);

  if (isa<StringType>(*element)) {
    if (proto.string_data_size() != *count) {
      error("has " + llvm::Twine(proto.string_data_size()) + " strings, " +
            llvm::Twine(*count) + " expected");
      return failure();
    }
    SmallVector<StringRef> values(proto.string_data().begin(),
                                  proto.string_data().end());
    return ElementsAttr(DenseStringElementsAttr::get(type, values));
  }
  if (keepMissing && isMissing(proto)) {
    auto &manager = DenseResourceElementsHandle::getManagerInterface(context);
    return ElementsAttr(DenseResourceElementsAttr::get(
        type, manager.insert(sanitizeName(name))));
  }
  FailureOr<Bytes> bytes = readBytes(proto, type, error);
  if (failed(bytes))
    return failure();
  return makeAttribute(type, std::move(*bytes), name);
}

/// Checks that `indices` are ascending, and each within the dense tensor.
static LogicalResult checkIndices(DenseElementsAttr indices,
                                  llvm::ArrayRef<int64_t> dims, int64_t size,
                                  ErrorSink error) {
  auto fail = [&](const llvm::Twine &message) {
    error(message);
    return failure();
  };
  bool isLinear = indices.getType().getRank() == 1;
  int64_t previous = -1;
  int64_t linear = 0;
  for (auto [i, index] : llvm::enumerate(indices.getValues<int64_t>())) {
    size_t axis = isLinear ? 0 : i % dims.size();
    int64_t limit = isLinear ? size : dims[axis];
    if (index < 0 || index >= limit)
      return fail("its index " + llvm::Twine(index) + " is not below " +
                  llvm::Twine(limit));
    linear = isLinear || axis == 0 ? index : linear * dims[axis] + index;
    if (!isLinear && axis + 1 != dims.size())
      continue;
    if (linear <= previous)
      return fail("its indices are not in ascending order");
    previous = linear;
  }
  return success();
}

FailureOr<onnxc::SparseElementsAttr>
TensorReader::readSparse(const onnx::SparseTensorProto &proto,
                         llvm::StringRef name, ErrorSink error) {
  auto fail = [&](const llvm::Twine &message) {
    error(message);
    return failure();
  };
  FailureOr<ElementsAttr> values = read(proto.values(), name, error);
  if (failed(values))
    return failure();
  // A tensor of zeros needs no indices.
  TensorProto none;
  none.set_data_type(TensorProto::INT64);
  none.add_dims(0);
  bool isZero = !proto.has_indices() && values->getNumElements() == 0;
  const TensorProto &positions = isZero ? none : proto.indices();
  if (positions.data_type() != TensorProto::INT64)
    return fail("its indices are not of type int64");
  FailureOr<ElementsAttr> indices =
      read(positions, (name + "_indices").str(), error);
  if (failed(indices))
    return failure();
  SmallVector<int64_t> dims(proto.dims().begin(), proto.dims().end());
  FailureOr<int64_t> size = countElements(dims, error);
  if (failed(size))
    return failure();

  auto valuesType = cast<RankedTensorType>(values->getType());
  auto indicesType = cast<RankedTensorType>(indices->getType());
  if (valuesType.getRank() != 1)
    return fail("its values have rank " + llvm::Twine(valuesType.getRank()) +
                ", expected 1");
  int64_t count = valuesType.getDimSize(0);
  bool isLinear = indicesType.getRank() == 1;
  bool isShaped =
      isLinear
          ? indicesType.getDimSize(0) == count
          : indicesType.getRank() == 2 && indicesType.getDimSize(0) == count &&
                indicesType.getDimSize(1) == static_cast<int64_t>(dims.size());
  if (!isShaped)
    return fail("its indices do not have the shape [" + llvm::Twine(count) +
                "] or [" + llvm::Twine(count) + ", " +
                llvm::Twine(dims.size()) + "]");
  DenseElementsAttr plain = dyn_cast<DenseElementsAttr>(*indices);
  if (!plain) {
    // Through an aligned copy: the file need not align them.
    llvm::ArrayRef<char> raw =
        cast<DenseResourceElementsAttr>(*indices).getData();
    plain = DenseElementsAttr::getFromRawBuffer(indicesType, raw);
  }
  if (count && !dims.empty() && failed(checkIndices(plain, dims, *size, error)))
    return failure();
  return onnxc::SparseElementsAttr::get(
      context, *values, *indices,
      RankedTensorType::get(dims, valuesType.getElementType()));
}
