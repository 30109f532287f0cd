//===- Inputs.cpp - Values of Python as a model takes them ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "Error.h"
#include "SeenAddresses.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <type_traits>

namespace nb = nanobind;
using namespace onnxc::python;

/// An empty array has no data.
alignas(std::max_align_t) static const uint64_t nothing = 0;

std::string Inputs::Place::describe() const {
  return outer ? outer->describe() + "[" + std::to_string(index) + "]"
               : "input '" + std::string(name) + "'";
}

static std::string nameType(nb::handle value) {
  return nb::cast<std::string>(nb::handle(value.type()).attr("__name__"));
}

/// The items of a list or a tuple; null for what is neither.
static PyObject *getItem(nb::handle list, Py_ssize_t i) {
  return PyList_Check(list.ptr()) ? PyList_GetItem(list.ptr(), i)
                                  : PyTuple_GetItem(list.ptr(), i);
}

static bool isList(nb::handle value) {
  return PyList_Check(value.ptr()) || PyTuple_Check(value.ptr());
}

static onnxc_tensor makeTensor(const void *data, uint64_t bytes, int32_t dtype,
                               int rank, const int64_t *dims) {
  return onnxc_tensor_of(bytes ? data : &nothing, bytes, dtype, rank, dims);
}

void Inputs::add(nb::handle value, const ValueType &type, const char *name) {
  bool isUsual = value.is_none() || isList(value) ||
                 PyDict_Check(value.ptr()) || numpy.isArray(value);
  nb::object held = isUsual ? nb::borrow(value) : numpy.unwrap(value);
  converted.push_back(convert(held, type, {name}));
  if (!isUsual)
    kept.push_back(std::move(held));
}

onnxc_tensor Inputs::convert(nb::handle value, const ValueType &type,
                             const Place &place) {
  switch (type.dtype) {
  case ONNXC_OPTIONAL: {
    std::vector<onnxc_tensor> parts;
    if (!value.is_none())
      parts.push_back(convertPart(value, type.parts.front(), place));
    int64_t count = static_cast<int64_t>(parts.size());
    return takeParts(std::move(parts), type.dtype, count);
  }
  case ONNXC_SEQUENCE:
    return convertSequence(value, type, place);
  case ONNXC_MAP:
    return convertMap(value, type, place);
  }
  return convertTensor(value, type, place);
}

onnxc_tensor Inputs::convertPart(nb::handle value, const ValueType &type,
                                 const Place &place) {
  onnxc_tensor part = convert(value, type, place);
  // Unlike an input's own, its type is known here only.
  if (part.dtype != type.dtype)
    throw Error(place.describe() + ": expected " +
                    onnxc_dtype_name(type.dtype) + ", got " +
                    onnxc_dtype_name(part.dtype),
                "invalid-input");
  return part;
}

onnxc_tensor Inputs::convertSequence(nb::handle value, const ValueType &type,
                                     const Place &place) {
  if (!isList(value))
    throw Error(place.describe() + ": is " + nameType(value) +
                    ", expected a list, for " + type.text,
                "invalid-input");
  size_t count = nb::len(value);
  std::vector<onnxc_tensor> parts;
  parts.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    // A list may be changed while an item is converted.
    nb::object item = nb::borrow(getItem(value, static_cast<Py_ssize_t>(i)));
    if (!item)
      nb::raise_python_error();
    parts.push_back(
        convertPart(item, type.parts.front(), {place.name, &place, i}));
    kept.push_back(std::move(item));
  }
  return takeParts(std::move(parts), type.dtype, static_cast<int64_t>(count));
}

onnxc_tensor Inputs::convertMap(nb::handle value, const ValueType &type,
                                const Place &place) {
  if (!PyDict_Check(value.ptr()))
    throw Error(place.describe() + ": is " + nameType(value) +
                    ", expected a dict, for " + type.text,
                "invalid-input");
  nb::object keys = check(PyDict_Keys(value.ptr()));
  nb::object elements = check(PyDict_Values(value.ptr()));
  std::vector<onnxc_tensor> parts = {
      convertList(keys, type.parts[0], place),
      convertList(elements, type.parts[1], place)};
  return takeParts(std::move(parts), type.dtype,
                   static_cast<int64_t>(nb::len(keys)));
}

/// The numbers of a list in `to`; false if one is not plainly a number of the
/// type.
template <typename T>
static bool readNumbers(nb::handle list, T *to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    PyObject *item = PyList_GetItem(list.ptr(), static_cast<Py_ssize_t>(i));
    if constexpr (std::is_floating_point_v<T>) {
      if (!PyFloat_CheckExact(item))
        return false;
      to[i] = static_cast<T>(PyFloat_AsDouble(item));
    } else {
      int overflow = 0;
      if (!PyLong_CheckExact(item))
        return false;
      to[i] = PyLong_AsLongLongAndOverflow(item, &overflow);
      if (overflow)
        return false;
    }
  }
  return true;
}

onnxc_tensor Inputs::convertList(nb::handle list, const ValueType &type,
                                 const Place &place) {
  size_t count = nb::len(list);
  int64_t dim = static_cast<int64_t>(count);
  if (type.dtype == ONNXC_STRING) {
    std::vector<PyObject *> items(count);
    for (size_t i = 0; i < count; ++i)
      items[i] = PyList_GetItem(list.ptr(), static_cast<Py_ssize_t>(i));
    return takeTexts(items.data(), count, 1, &dim, place);
  }
  std::vector<std::max_align_t> numbers(
      count * sizeof(int64_t) / sizeof(std::max_align_t) + 1);
  void *data = numbers.data();
  bool isRead = type.dtype == ONNXC_INT64
                    ? readNumbers(list, static_cast<int64_t *>(data), count)
                : type.dtype == ONNXC_FLOAT
                    ? readNumbers(list, static_cast<float *>(data), count)
                : type.dtype == ONNXC_DOUBLE
                    ? readNumbers(list, static_cast<double *>(data), count)
                    : false;
  if (!isRead)
    return convertOther(list, type, place);
  copies.push_back(std::move(numbers));
  return makeTensor(data, count * onnxc_dtype_size(type.dtype), type.dtype, 1,
                    &dim);
}

onnxc_tensor Inputs::convertTensor(nb::handle value, const ValueType &type,
                                   const Place &place) {
  Buffer buffer;
  if (numpy.isArray(value) && buffer.open(value, type.dtype,
                                          /*isWritten=*/false))
    return take(std::move(buffer), type.dtype, place);
  return convertOther(value, type, place);
}

onnxc_tensor Inputs::convertOther(nb::handle value, const ValueType &type,
                                  const Place &place) {
  auto [dtype, dims, array] =
      nb::cast<std::tuple<int, std::vector<int64_t>, nb::object>>(
          numpy.prepare(value, type.text, place.describe()));
  bool isText = dtype == ONNXC_STRING;
  Buffer buffer;
  if (!buffer.open(array, isText ? ONNXC_STRING : ONNXC_UINT8,
                   /*isWritten=*/false))
    throw Error(place.describe() + ": the array is not in one piece",
                "invalid-input");
  int rank = static_cast<int>(dims.size());
  if (isText) {
    kept.push_back(array);
    return takeTexts(static_cast<PyObject **>(buffer.data()),
                     buffer.bytes() / sizeof(PyObject *), rank, dims.data(),
                     place);
  }
  // numpy aligns less than a model may read, and a view of another object's
  // buffer not at all.
  size_t bytes = buffer.bytes(), size = onnxc_dtype_size(dtype);
  const void *data = buffer.data();
  if (size && reinterpret_cast<uintptr_t>(data) % size) {
    auto &copy = copies.emplace_back(bytes / sizeof(std::max_align_t) + 1);
    data = std::memcpy(copy.data(), data, bytes);
  }
  buffers.push_back(std::move(buffer));
  return makeTensor(data, bytes, dtype, rank, dims.data());
}

onnxc_tensor Inputs::take(Buffer buffer, int32_t dtype, const Place &place) {
  int64_t dims[ONNXC_MAX_RANK];
  for (int axis = 0; axis < buffer.rank(); ++axis)
    dims[axis] = buffer.dim(axis);
  if (dtype == ONNXC_STRING)
    return takeTexts(static_cast<PyObject **>(buffer.data()),
                     buffer.bytes() / sizeof(PyObject *), buffer.rank(), dims,
                     place);
  onnxc_tensor tensor =
      makeTensor(buffer.data(), buffer.bytes(), dtype, buffer.rank(), dims);
  buffers.push_back(std::move(buffer));
  return tensor;
}

onnxc_tensor Inputs::takeParts(std::vector<onnxc_tensor> parts, int32_t dtype,
                               int64_t count) {
  const std::vector<onnxc_tensor> &owned =
      composites.emplace_back(std::move(parts));
  return makeTensor(owned.data(), owned.size() * sizeof(onnxc_tensor), dtype, 1,
                    &count);
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static std::string quote(nb::handle value) {
  return nb::cast<std::string>(nb::steal<nb::str>(PyObject_ASCII(value.ptr())));
}

/// The bytes of a text, which live as long as what is put into `kept`.
const char *Inputs::textOf(PyObject *item, const Place &place) {
  nb::object text = nb::borrow(item);
  if (item && !PyUnicode_Check(item) && !PyBytes_Check(item))
    text = check(PyObject_Str(item));
  const char *bytes = "";
  Py_ssize_t size = 0;
  if (text && PyUnicode_Check(text.ptr())) {
    bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!bytes) {
      // Bytes that are not UTF-8 came in as escapes.
      PyErr_Clear();
      nb::object encoded = nb::steal(
          PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
      if (!encoded) {
        PyErr_Clear();
        throw Error(
            place.describe() + ": " + quote(text) +
                " has half of a surrogate pair, expected text that UTF-8 "
                "can have",
            "invalid-input");
      }
      text = std::move(encoded);
    }
  }
  if (text && PyBytes_Check(text.ptr())) {
    bytes = PyBytes_AsString(text.ptr());
    size = PyBytes_Size(text.ptr());
  }
  if (std::strlen(bytes) != static_cast<size_t>(size))
    throw Error(place.describe() + ": " + quote(item) +
                    " has a NUL, which strings of a model cannot have",
                "invalid-input");
  kept.push_back(std::move(text));
  return bytes;
}

onnxc_tensor Inputs::takeTexts(PyObject *const *items, size_t count, int rank,
                               const int64_t *dims, const Place &place) {
  SeenAddresses<const char *> seen;
  std::vector<const char *> pointers(count);
  for (size_t i = 0; i < count; ++i) {
    auto &known = seen[items[i]];
    if (!items[i] || known.from != items[i]) {
      const char *bytes = textOf(items[i], place);
      // The address of another object, of which a text was made, may come
      // again.
      if (kept.back().ptr() != items[i]) {
        pointers[i] = bytes;
        continue;
      }
      known = {items[i], bytes};
    }
    pointers[i] = known.made;
  }
  const std::vector<const char *> &owned =
      texts.emplace_back(std::move(pointers));
  return makeTensor(owned.data(), count * sizeof(char *), ONNXC_STRING, rank,
                    dims);
}
