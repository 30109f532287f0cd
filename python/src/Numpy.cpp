//===- Numpy.cpp - Arrays of numpy, and the types of models ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numpy.h"

#include "Error.h"

#include <cstring>

namespace nb = nanobind;
using namespace onnxc::python;

namespace {

/// An element type as numpy's buffers describe it.
struct PlainType {
  int32_t dtype;
  /// The letters of C types that may have the size.
  const char *formats;
};

} // namespace

static const PlainType plainTypes[] = {
    {ONNXC_FLOAT, "f"},  {ONNXC_DOUBLE, "d"},  {ONNXC_FLOAT16, "e"},
    {ONNXC_INT8, "b"},   {ONNXC_INT16, "h"},   {ONNXC_INT32, "il"},
    {ONNXC_INT64, "lq"}, {ONNXC_UINT8, "B"},   {ONNXC_UINT16, "H"},
    {ONNXC_BOOL, "?"},   {ONNXC_UINT32, "IL"}, {ONNXC_UINT64, "LQ"},
};

static const char *findFormats(int32_t dtype) {
  if (dtype == ONNXC_STRING)
    return "O";
  for (const PlainType &type : plainTypes)
    if (type.dtype == dtype)
      return type.formats;
  return nullptr;
}

bool onnxc::python::isPlain(int32_t dtype) {
  return dtype != ONNXC_STRING && findFormats(dtype);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static int32_t findType(std::string_view name) {
  for (int32_t dtype = ONNXC_UNDEFINED; dtype <= ONNXC_FLOAT6E3M2; ++dtype)
    if (name == onnxc_dtype_name(dtype))
      return dtype;
  return ONNXC_UNDEFINED;
}

ValueType ValueType::parse(std::string_view text) {
  ValueType type;
  type.text = text;
  size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')')
    return type;
  std::string_view form = text.substr(0, open);
  std::string_view inner = text.substr(open + 1, text.size() - open - 2);
  if (form == "seq" || form == "optional") {
    type.dtype = form == "seq" ? ONNXC_SEQUENCE : ONNXC_OPTIONAL;
    type.parts.push_back(parse(inner));
  } else if (form == "map") {
    type.dtype = ONNXC_MAP;
    size_t comma = std::min(inner.find(','), inner.size() - 1);
    type.parts.push_back(
        parse("tensor(" + std::string(inner.substr(0, comma)) + ")"));
    inner.remove_prefix(comma + 1);
    inner.remove_prefix(std::min(inner.find_first_not_of(' '), inner.size()));
    type.parts.push_back(parse(inner));
  } else {
    type.dtype = findType(inner);
  }
  return type;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

bool Buffer::open(nb::handle array, int32_t dtype, bool isWritten) {
  int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
  if (PyObject_GetBuffer(array.ptr(), &view,
                         isWritten ? flags | PyBUF_WRITABLE : flags) != 0) {
    PyErr_Clear();
    view.obj = nullptr;
    return false;
  }
  size_t size = onnxc_dtype_size(dtype);
  const char *formats = findFormats(dtype), *format = view.format;
  return formats && static_cast<size_t>(view.itemsize) == size && format &&
         *format && !format[1] && std::strchr(formats, *format) &&
         reinterpret_cast<uintptr_t>(view.buf) % size == 0 &&
         view.ndim <= ONNXC_MAX_RANK;
}

nb::object onnxc::python::tupleOf(const int64_t *dims, int32_t rank) {
  nb::object tuple = check(PyTuple_New(rank));
  for (int32_t i = 0; i < rank; ++i)
    PyTuple_SetItem(tuple.ptr(), i,
                    check(PyLong_FromLongLong(dims[i])).release().ptr());
  return tuple;
}

Numpy::Numpy() {
  nb::module_ numpy = nb::module_::import_("numpy");
  arrayType = numpy.attr("ndarray");
  empty = numpy.attr("empty");
  nb::module_ values = nb::module_::import_("onnxc.values");
  makeType = values.attr("numpy_dtype");
  prepare = values.attr("prepare");
  unwrap = nb::module_::import_("onnxc.binding").attr("as_array");
}

nb::handle Numpy::getType(int32_t dtype) const {
  if (dtype < 0 || static_cast<size_t>(dtype) >= types.size())
    throw Error("there is no element type " + std::to_string(dtype));
  nb::object &type = types[dtype];
  if (!type)
    type = makeType(static_cast<int>(dtype));
  return type;
}

nb::object Numpy::newArray(nb::handle type, nb::handle shape) const {
  PyObject *arguments[] = {shape.ptr(), type.ptr()};
  return check(PyObject_Vectorcall(empty.ptr(), arguments, 2, nullptr));
}

/// How many low bits of a byte an element has; 8 for whole bytes.
static int countBits(int32_t dtype) {
  switch (dtype) {
  case ONNXC_UINT2:
  case ONNXC_INT2:
    return 2;
  case ONNXC_UINT4:
  case ONNXC_INT4:
  case ONNXC_FLOAT4E2M1:
    return 4;
  case ONNXC_FLOAT6E2M3:
  case ONNXC_FLOAT6E3M2:
    return 6;
  }
  return 8;
}

/// The same with the other bits as ml_dtypes has them: copies of the sign, or
/// 0.
static void copyBits(uint8_t *to, const uint8_t *from, size_t count,
                     int32_t dtype) {
  int unused = 8 - countBits(dtype);
  bool isSigned = dtype == ONNXC_INT2 || dtype == ONNXC_INT4;
  for (size_t i = 0; i < count; ++i) {
    uint8_t high = static_cast<uint8_t>(from[i] << unused);
    to[i] = isSigned ? static_cast<uint8_t>(static_cast<int8_t>(high) >> unused)
                     : static_cast<uint8_t>(high >> unused);
  }
}

nb::object Numpy::copy(const onnxc_tensor &tensor) const {
  size_t bytes = onnxc_tensor_bytes(&tensor);
  nb::object shape = tupleOf(tensor.dims, tensor.rank);
  nb::handle type = getType(tensor.dtype);
  bool isBuffer = isPlain(tensor.dtype);
  int64_t size = static_cast<int64_t>(bytes);
  // Types of ml_dtypes lend no buffers: bytes, of which there is a view.
  nb::object array = isBuffer
                         ? newArray(type, shape)
                         : newArray(getType(ONNXC_UINT8), tupleOf(&size, 1));
  Buffer buffer;
  if (!buffer.open(array, isBuffer ? tensor.dtype : ONNXC_UINT8,
                   /*isWritten=*/true))
    throw Error("numpy's new array is not in one piece");
  if (bytes && countBits(tensor.dtype) < 8)
    copyBits(static_cast<uint8_t *>(buffer.data()),
             static_cast<const uint8_t *>(tensor.data), bytes, tensor.dtype);
  else if (bytes)
    std::memcpy(buffer.data(), tensor.data, bytes);
  return isBuffer ? array : array.attr("view")(type).attr("reshape")(shape);
}
