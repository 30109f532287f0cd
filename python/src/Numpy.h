//===- Numpy.h - Arrays of numpy, and the types of models ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_NUMPY_H
#define ONNXC_PYTHON_SRC_NUMPY_H

#include "onnxc/runtime.h"

#include <nanobind/nanobind.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onnxc::python {

/// A type that a model states: "tensor(float)",
/// "seq(map(int64,tensor(float)))".
struct ValueType {
  static ValueType parse(std::string_view text);

  bool isTensor() const { return parts.empty(); }

  /// The element type of a tensor; or ONNXC_SEQUENCE, ONNXC_OPTIONAL,
  /// ONNXC_MAP.
  int32_t dtype = ONNXC_UNDEFINED;
  /// What a sequence or an optional is of; the keys and the values of a map.
  std::vector<ValueType> parts;
  std::string text;
};

/// Whether numpy itself has the element type, and lends arrays of it as
/// buffers.
bool isPlain(int32_t dtype);

/// The memory of an array as long as this lives.
class Buffer {
public:
  Buffer() { view.obj = nullptr; }
  Buffer(Buffer &&other) : view(other.view) { other.view.obj = nullptr; }
  Buffer &operator=(Buffer &&other) {
    std::swap(view, other.view);
    return *this;
  }
  ~Buffer() {
    if (view.obj)
      PyBuffer_Release(&view);
  }

  /// False, without a Python error, if `array` is not in one piece, in the
  /// order of the interface, aligned, and of the element type, which is plain,
  /// or ONNXC_STRING for Python's objects.
  bool open(nanobind::handle array, int32_t dtype, bool isWritten);

  void *data() const { return view.buf; }
  size_t bytes() const { return static_cast<size_t>(view.len); }
  int rank() const { return view.ndim; }
  int64_t dim(int axis) const { return view.shape[axis]; }

private:
  Py_buffer view;
};

/// What numpy and values.py do here.
class Numpy {
public:
  Numpy();

  bool isArray(nanobind::handle value) const {
    return PyObject_TypeCheck(
        value.ptr(), reinterpret_cast<PyTypeObject *>(arrayType.ptr()));
  }
  /// numpy's dtype of an element type.
  nanobind::handle getType(int32_t dtype) const;
  /// A new array, whose elements have any value.
  nanobind::object newArray(nanobind::handle type,
                            nanobind::handle shape) const;
  /// The array that a tensor is, copied.
  nanobind::object copy(const onnxc_tensor &tensor) const;

  /// binding.as_array: what an OrtValue or another library's tensor holds.
  nanobind::object unwrap;
  /// values.prepare: a value that is not an array of the declared type as one,
  /// or an error.
  nanobind::object prepare;

private:
  nanobind::object arrayType, empty, makeType;
  mutable std::array<nanobind::object, 32> types;
};

/// Dims as a tuple.
nanobind::object tupleOf(const int64_t *dims, int32_t rank);

/// A new reference, or the Python error that kept it from being made.
inline nanobind::object check(PyObject *made) {
  if (!made)
    nanobind::raise_python_error();
  return nanobind::steal(made);
}

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_NUMPY_H
