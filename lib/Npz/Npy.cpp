//===- Npy.cpp - Arrays in numpy's files ----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Npz/Npz.h"
#include "onnxc/Npz/Zip.h"
#include "onnxc/runtime.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace llvm;
using namespace onnxc;

namespace {

/// What numpy calls an element type, without the byte order.
struct TypeName {
  const char *name;
  int32_t dtype;
};
// The first line of a dtype is how it is written.
constexpr TypeName typeNames[] = {
    {"f4", ONNXC_FLOAT},      {"f8", ONNXC_DOUBLE},
    {"f2", ONNXC_FLOAT16},    {"b1", ONNXC_BOOL},
    {"i1", ONNXC_INT8},       {"i2", ONNXC_INT16},
    {"i4", ONNXC_INT32},      {"i8", ONNXC_INT64},
    {"u1", ONNXC_UINT8},      {"u2", ONNXC_UINT16},
    {"u4", ONNXC_UINT32},     {"u8", ONNXC_UINT64},
    {"c8", ONNXC_COMPLEX64},  {"c16", ONNXC_COMPLEX128},
    {"i1", ONNXC_INT4},       {"i1", ONNXC_INT2},
    {"u1", ONNXC_UINT4},      {"u1", ONNXC_UINT2},
    {"V2", ONNXC_BFLOAT16},   {"V1", ONNXC_FLOAT8E4M3FN},
    {"V1", ONNXC_FLOAT8E5M2}, {"V1", ONNXC_FLOAT8E4M3FNUZ},
    {"V1", ONNXC_FLOAT8E8M0}, {"V1", ONNXC_FLOAT8E5M2FNUZ},
    {"V1", ONNXC_FLOAT4E2M1}, {"V1", ONNXC_FLOAT6E2M3},
    {"V1", ONNXC_FLOAT6E3M2},
};

/// The header of a .npy file.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Parses the header, the text of a Python dictionary of three known keys.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  bool parse(Header &header) {
    bool seenDescr = false, seenOrder = false, seenShape = false;
    if (!consume("{"))
      return false;
    while (!consume("}")) {
      std::string key;
      if (!parseString(key) || !consume(":"))
        return false;
      if (key == "descr")
        seenDescr = parseString(header.descr);
      else if (key == "fortran_order")
        seenOrder = parseBool(header.fortranOrder);
      else if (key == "shape")
        seenShape = parseTuple(header.shape);
      else
        return false;
      if (!consume(",") && !rest.ltrim().starts_with("}"))
        return false;
    }
    return seenDescr && seenOrder && seenShape && rest.trim().empty();
  }

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  bool parseString(std::string &out) {
    rest = rest.ltrim();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return false;
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos)
      return false;
    out = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return true;
  }
  bool parseBool(bool &out) {
    out = consume("True");
    return out || consume("False");
  }
  bool parseTuple(std::vector<int64_t> &out) {
    if (!consume("("))
      return false;
    while (!consume(")")) {
      int64_t dim;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, dim) || dim < 0)
        return false;
      rest.consume_front("L"); // Python 2 wrote long integers so
      out.push_back(dim);
      if (!consume(",") && !rest.ltrim().starts_with(")"))
        return false;
    }
    return true;
  }

  StringRef rest;
};

Error badNpy(const Twine &what) {
  return createStringError("not a readable .npy array: " + what);
}

/// Elements of the array in bytes, or nothing where the product overflows.
std::optional<uint64_t> byteSize(ArrayRef<int64_t> shape, uint64_t itemSize) {
  uint64_t size = itemSize;
  if (is_contained(shape, 0))
    return 0;
  for (int64_t dim : shape)
    if (__builtin_mul_overflow(size, static_cast<uint64_t>(dim), &size))
      return std::nullopt;
  return size;
}

/// Copies elements from column-major to row-major order.
std::vector<char> toRowMajor(ArrayRef<char> source, ArrayRef<int64_t> shape,
                             uint64_t itemSize) {
  std::vector<char> result(source.size());
  std::vector<uint64_t> strides(shape.size());
  uint64_t stride = itemSize;
  for (auto [i, dim] : enumerate(shape)) {
    strides[i] = stride;
    stride *= dim;
  }
  std::vector<int64_t> index(shape.size());
  for (uint64_t at = 0; at < result.size(); at += itemSize) {
    uint64_t from = 0;
    for (size_t i = 0; i < shape.size(); ++i)
      from += index[i] * strides[i];
    std::memcpy(result.data() + at, source.data() + from, itemSize);
    for (size_t i = shape.size(); i-- > 0 && ++index[i] == shape[i];)
      index[i] = 0;
  }
  return result;
}

void swapBytes(std::vector<char> &data, uint64_t size) {
  for (auto at = data.begin(); at != data.end(); at += size)
    std::reverse(at, at + size);
}

/// numpy pads strings with zeros: 'U' has 32-bit characters, 'S' bytes.
Error decodeStrings(Array &array, char kind) {
  for (uint64_t at = 0; at < array.data.size(); at += array.itemSize) {
    StringRef bytes(array.data.data() + at, array.itemSize);
    std::string text;
    if (kind == 'S') {
      text = bytes.rtrim('\0').str();
    } else {
      for (size_t i = 0; i < bytes.size(); i += 4) {
        uint32_t character = support::endian::read32le(bytes.data() + i);
        char utf8[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
        char *end = utf8;
        if (!ConvertCodePointToUTF8(character, end))
          return badNpy("a string has a character that is not Unicode");
        text.append(utf8, end);
      }
      text = StringRef(text).rtrim('\0').str();
    }
    array.strings.push_back(std::move(text));
  }
  array.data.clear();
  return Error::success();
}

} // namespace

uint64_t Array::size() const { return byteSize(shape, 1).value_or(0); }

Expected<Array> onnxc::parseNpy(StringRef bytes) {
  if (bytes.starts_with("PK\3\4"))
    return badNpy("it is an archive of arrays, a .npz file (--inputs)");
  if (!bytes.consume_front("\x93NUMPY") || bytes.size() < 4)
    return badNpy("it does not begin as one, which numpy.save writes");
  unsigned version = static_cast<unsigned char>(bytes[0]);
  if (version < 1 || version > 3)
    return badNpy("version " + Twine(version) + " of the format is unknown");
  unsigned lengthSize = version == 1 ? 2 : 4;
  bytes = bytes.drop_front(2);
  if (bytes.size() < lengthSize)
    return badNpy("the header is cut short");
  uint64_t length = lengthSize == 2 ? support::endian::read16le(bytes.data())
                                    : support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(lengthSize);
  if (bytes.size() < length)
    return badNpy("the header is cut short");
  Header header;
  if (!HeaderParser(bytes.take_front(length)).parse(header))
    return badNpy("the header is not of an array of one simple type");
  bytes = bytes.drop_front(length);

  StringRef descr = header.descr;
  bool bigEndian = descr.consume_front(">");
  if (!bigEndian && !descr.consume_front("<") && !descr.consume_front("|") &&
      !descr.consume_front("="))
    return badNpy("the element type '" + descr + "' is unknown");
  if (descr.starts_with("O"))
    return createStringError(
        "an array of Python objects; save strings with dtype=str, which gives "
        "a fixed width");
  Array array;
  array.shape = std::move(header.shape);
  if (descr.empty())
    return badNpy("the element type '" + header.descr + "' is unknown");
  char kind = descr.front();
  if (descr.drop_front().getAsInteger(10, array.itemSize) ||
      array.itemSize > (1u << 30))
    return badNpy("the element type '" + descr + "' is unknown");
  const TypeName *type = find_if(
      typeNames, [&](const TypeName &name) { return descr == name.name; });
  if (kind == 'U' || kind == 'S') {
    array.dtype = ONNXC_STRING;
    if (kind == 'U')
      array.itemSize *= 4;
  } else if (kind == 'V') {
    array.dtype = ONNXC_UNDEFINED;
  } else if (type != std::end(typeNames)) {
    array.dtype = type->dtype;
  } else {
    return badNpy("ONNX has no element type for '" + descr + "'");
  }

  // Elements of no bytes are counted, too: '<U0' of any shape has 0 bytes.
  std::optional<uint64_t> count = byteSize(array.shape, 1);
  if (!count)
    return badNpy("its shape has more than 2^64 elements");
  std::optional<uint64_t> size = byteSize(array.shape, array.itemSize);
  if (!size || *size > bytes.size())
    return badNpy("the elements are cut short");
  if (array.itemSize == 0 && *count > (1u << 20))
    return badNpy("too many empty elements");
  array.data.assign(bytes.begin(), bytes.begin() + *size);
  if (header.fortranOrder && array.shape.size() > 1)
    array.data = toRowMajor(array.data, array.shape, array.itemSize);
  if (bigEndian && array.itemSize > 1 && kind != 'S' && kind != 'V') {
    bool parts = kind == 'c'; // real and imaginary swap each
    swapBytes(array.data, kind == 'U' ? 4 : array.itemSize / (parts ? 2 : 1));
  }
  if (array.dtype == ONNXC_STRING) {
    if (array.itemSize == 0)
      array.strings.resize(array.size());
    else if (Error error = decodeStrings(array, kind))
      return error;
  }
  return array;
}

/// The 'U' form of strings: the longest gives the width.
static std::string encodeStrings(const Array &array, uint64_t &width) {
  std::vector<std::vector<UTF32>> decoded;
  width = 1;
  for (const std::string &text : array.strings) {
    std::vector<UTF32> wide(text.size());
    const auto *from = reinterpret_cast<const UTF8 *>(text.data());
    UTF32 *to = wide.data();
    ConvertUTF8toUTF32(&from, from + text.size(), &to, to + wide.size(),
                       lenientConversion);
    wide.resize(to - wide.data());
    width = std::max<uint64_t>(width, wide.size());
    decoded.push_back(std::move(wide));
  }
  std::string data(decoded.size() * width * 4, '\0');
  for (auto [i, wide] : enumerate(decoded))
    for (auto [j, character] : enumerate(wide))
      support::endian::write32le(data.data() + (i * width + j) * 4, character);
  return data;
}

std::string onnxc::formatNpy(const Array &array) {
  std::string descr, data;
  if (array.dtype == ONNXC_STRING) {
    uint64_t width;
    data = encodeStrings(array, width);
    descr = "<U" + std::to_string(width);
  } else {
    const TypeName *type = find_if(typeNames, [&](const TypeName &name) {
      return array.dtype == name.dtype;
    });
    descr = type != std::end(typeNames) ? type->name
                                        : "V" + std::to_string(array.itemSize);
    descr.insert(0, array.itemSize == 1 ? "|" : "<");
    data.assign(array.data.begin(), array.data.end());
  }
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
      join(map_range(array.shape,
                     [](int64_t dim) { return std::to_string(dim); }),
           ", ") +
      (array.shape.size() == 1 ? ",), }" : "), }");
  // The elements begin at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  char length[2];
  support::endian::write16le(length, header.size());
  return out + std::string(length, 2) + header + data;
}

static Error inFile(StringRef path, Error error) {
  return createStringError(path + ": " + toString(std::move(error)));
}

static Expected<std::unique_ptr<MemoryBuffer>> open(StringRef path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError(path + ": " + file.getError().message());
  return std::move(*file);
}

Expected<Array> onnxc::readNpyFile(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> file = open(path);
  if (!file)
    return file.takeError();
  Expected<Array> array = parseNpy((*file)->getBuffer());
  if (!array)
    return inFile(path, array.takeError());
  return array;
}

Expected<NamedArrays> onnxc::readNpzFile(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> file = open(path);
  if (!file)
    return file.takeError();
  if ((*file)->getBuffer().starts_with("\x93NUMPY"))
    return createStringError(path + ": is one array, a .npy file (--input), "
                                    "expected an archive of arrays (.npz)");
  Expected<ZipEntries> entries = unpackZip((*file)->getBuffer());
  if (!entries)
    return inFile(path, entries.takeError());
  NamedArrays arrays;
  for (const auto &[name, content] : *entries) {
    StringRef arrayName = name;
    if (!arrayName.consume_back(".npy"))
      continue;
    Expected<Array> array = parseNpy(content);
    if (!array)
      return inFile(path, inFile(arrayName, array.takeError()));
    arrays.emplace_back(arrayName.str(), std::move(*array));
  }
  return arrays;
}

Error onnxc::writeNpzFile(StringRef path, const NamedArrays &arrays) {
  ZipEntries entries;
  for (const auto &[name, array] : arrays)
    entries.emplace_back(name + ".npy", formatNpy(array));
  Expected<std::string> bytes = packZip(entries);
  if (!bytes)
    return inFile(path, bytes.takeError());
  return writeToOutput(path, [&](raw_ostream &os) {
    os << *bytes;
    return Error::success();
  });
}
