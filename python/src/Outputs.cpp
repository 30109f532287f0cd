//===- Outputs.cpp - What a model computes as values of Python ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outputs.h"

#include "Error.h"
#include "SeenAddresses.h"

#include <cstring>

namespace nb = nanobind;
using namespace onnxc::python;

/// How many texts are remembered, and how long they may be.
static constexpr size_t numTexts = 256, maxHashed = 64;

nb::object Outputs::convert(const onnxc_tensor &value) {
  switch (value.dtype) {
  case ONNXC_STRING:
    return convertTexts(value);
  case ONNXC_SEQUENCE:
    return convertSequence(value);
  case ONNXC_MAP:
    return convertMap(value);
  case ONNXC_OPTIONAL:
    return value.dims[0]
               ? convert(*static_cast<const onnxc_tensor *>(value.data))
               : nb::none();
  }
  return numpy.copy(value);
}

nb::object Outputs::convertSequence(const onnxc_tensor &value) {
  nb::object list = check(PyList_New(value.dims[0]));
  auto *parts = static_cast<const onnxc_tensor *>(value.data);
  for (int64_t i = 0; i < value.dims[0]; ++i)
    PyList_SetItem(list.ptr(), i, convert(parts[i]).release().ptr());
  return list;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// A slot for a text by its bytes, and how many these are. Texts that are too
/// long to look at have none.
static size_t hashText(const char *text, size_t &size) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size = 0; text[size]; ++size) {
    if (size == maxHashed) {
      size += std::strlen(text + size);
      return numTexts;
    }
    hash = (hash ^ static_cast<uint8_t>(text[size])) * 0x100000001b3;
  }
  return (hash ^ hash >> 32) % numTexts;
}

PyObject *Outputs::newText(const char *text) {
  size_t size = 0, slot = hashText(text, size);
  if (slot < numTexts) {
    if (texts.empty())
      texts.resize(numTexts);
    Text &known = texts[slot];
    if (known.bytes && std::strcmp(known.bytes, text) == 0) {
      Py_INCREF(known.value.ptr());
      return known.value.ptr();
    }
  }
  // Bytes that are not UTF-8 come out as they would go in.
  PyObject *made = PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(size),
                                        "surrogateescape");
  if (made && slot < numTexts)
    texts[slot] = {text, nb::borrow(made)};
  return made;
}

nb::object Outputs::convertTexts(const onnxc_tensor &value) {
  nb::object array = numpy.newArray(numpy.getType(ONNXC_STRING),
                                    tupleOf(value.dims, value.rank));
  Buffer buffer;
  if (!buffer.open(array, ONNXC_STRING, /*isWritten=*/true))
    throw Error("numpy's new array is not in one piece");
  auto **items = static_cast<PyObject **>(buffer.data());
  auto *pointers = static_cast<const onnxc_string *>(value.data);
  size_t count = buffer.bytes() / sizeof *items;
  // The array keeps what is remembered.
  SeenAddresses<PyObject *> seen;
  for (size_t i = 0; i < count; ++i) {
    auto &known = seen[pointers[i].text];
    if (known.from == pointers[i].text)
      Py_INCREF(known.made);
    else
      known = {pointers[i].text,
               check(newText(pointers[i].text)).release().ptr()};
    PyObject *old = items[i];
    items[i] = known.made;
    Py_XDECREF(old);
  }
  return array;
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

template <typename T> static T at(const onnxc_tensor &tensor, int64_t i) {
  return static_cast<const T *>(tensor.data)[i];
}

PyObject *Outputs::newItem(const onnxc_tensor &tensor, int64_t i) {
  switch (tensor.dtype) {
  case ONNXC_FLOAT:
    return PyFloat_FromDouble(at<float>(tensor, i));
  case ONNXC_DOUBLE:
    return PyFloat_FromDouble(at<double>(tensor, i));
  case ONNXC_INT64:
    return PyLong_FromLongLong(at<int64_t>(tensor, i));
  case ONNXC_INT32:
    return PyLong_FromLong(at<int32_t>(tensor, i));
  case ONNXC_STRING:
    return newText(at<onnxc_string>(tensor, i).text);
  }
  return nullptr;
}

std::vector<nb::object> Outputs::listItems(const onnxc_tensor &tensor) {
  std::vector<nb::object> items;
  for (int64_t i = 0; i < tensor.dims[0]; ++i) {
    PyObject *item = newItem(tensor, i);
    if (!item && PyErr_Occurred())
      nb::raise_python_error();
    if (!item)
      break;
    items.push_back(nb::steal(item));
  }
  if (items.empty() && tensor.dims[0])
    for (nb::handle item : numpy.copy(tensor).attr("tolist")())
      items.push_back(nb::borrow(item));
  return items;
}

void Outputs::setKeys(const onnxc_tensor &tensor) {
  if (before && tensor.data == keyTensor.data &&
      tensor.dtype == keyTensor.dtype && tensor.dims[0] == keyTensor.dims[0])
    return;
  keys = listItems(tensor);
  keyTensor = tensor;
  before.reset();
}

nb::object Outputs::convertMap(const onnxc_tensor &value) {
  auto *parts = static_cast<const onnxc_tensor *>(value.data);
  setKeys(parts[0]);
  // With the same keys, a copy has its final size and all places.
  nb::object dict = check(before ? PyDict_Copy(before.ptr()) : PyDict_New());
  const onnxc_tensor &values = parts[1];
  std::vector<nb::object> others;
  for (size_t i = 0; i < keys.size(); ++i) {
    PyObject *item = nullptr;
    if (others.empty() && !(item = newItem(values, static_cast<int64_t>(i)))) {
      if (PyErr_Occurred())
        nb::raise_python_error();
      others = listItems(values);
    }
    int failed = PyDict_SetItem(dict.ptr(), keys[i].ptr(),
                                item ? item : others[i].ptr());
    Py_XDECREF(item);
    if (failed)
      nb::raise_python_error();
  }
  before = dict;
  return dict;
}
