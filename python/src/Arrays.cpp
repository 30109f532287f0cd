//===- Arrays.cpp - Running on numpy arrays as they are -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include <cstring>

namespace nb = nanobind;
using namespace onnxc::python;

namespace {

/// An element type, as numpy names it and as its buffers describe it.
struct PlainType {
  int32_t dtype;
  const char *name;
  /// The letters of C types that may have the size.
  const char *formats;
};

/// The memory of an array as long as this lives.
class Buffer {
public:
  Buffer() { view.obj = nullptr; }
  Buffer(const Buffer &) = delete;
  ~Buffer() {
    if (view.obj)
      PyBuffer_Release(&view);
  }

  /// False, without a Python error, if `array` is not in one piece, in the
  /// order of the interface, aligned, and of the element type.
  bool open(PyObject *array, int32_t dtype, bool isWritten);

  Py_buffer view;
};

} // namespace

static const PlainType plainTypes[] = {
    {ONNXC_FLOAT, "float32", "f"},   {ONNXC_DOUBLE, "float64", "d"},
    {ONNXC_FLOAT16, "float16", "e"}, {ONNXC_INT8, "int8", "b"},
    {ONNXC_INT16, "int16", "h"},     {ONNXC_INT32, "int32", "il"},
    {ONNXC_INT64, "int64", "lq"},    {ONNXC_UINT8, "uint8", "B"},
    {ONNXC_UINT16, "uint16", "H"},   {ONNXC_UINT32, "uint32", "IL"},
    {ONNXC_UINT64, "uint64", "LQ"},  {ONNXC_BOOL, "bool", "?"},
};

static const PlainType *findPlain(int32_t dtype) {
  for (const PlainType &type : plainTypes)
    if (type.dtype == dtype)
      return &type;
  return nullptr;
}

bool Buffer::open(PyObject *array, int32_t dtype, bool isWritten) {
  int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
  if (PyObject_GetBuffer(array, &view,
                         isWritten ? flags | PyBUF_WRITABLE : flags) != 0) {
    PyErr_Clear();
    view.obj = nullptr;
    return false;
  }
  size_t size = onnxc_dtype_size(dtype);
  const char *format = view.format;
  return static_cast<size_t>(view.itemsize) == size && format && *format &&
         !format[1] && std::strchr(findPlain(dtype)->formats, *format) &&
         reinterpret_cast<uintptr_t>(view.buf) % size == 0 &&
         view.ndim <= ONNXC_MAX_RANK;
}

static nb::object tupleOf(const int64_t *dims, int32_t rank) {
  nb::object tuple = nb::steal(PyTuple_New(rank));
  if (!tuple)
    nb::raise_python_error();
  for (int32_t i = 0; i < rank; ++i)
    PyTuple_SetItem(tuple.ptr(), i, PyLong_FromLongLong(dims[i]));
  return tuple;
}

Arrays::Arrays(const onnxc_model &model) {
  nb::module_ numpy = nb::module_::import_("numpy");
  arrayType = numpy.attr("ndarray");
  empty = numpy.attr("empty");
  nb::object makeType = numpy.attr("dtype");
  auto check = [&](const onnxc_value_info &info) {
    if (info.rank < 0 || !findPlain(info.dtype))
      arePlain = false;
  };
  for (int32_t i = 0; i < model.num_inputs; ++i) {
    check(model.inputs[i]);
    names.push_back(
        nb::steal(PyUnicode_InternFromString(model.inputs[i].name)));
    inputTypes.push_back(model.inputs[i].dtype);
  }
  for (int32_t i = 0; i < model.num_outputs; ++i) {
    const onnxc_value_info &info = model.outputs[i];
    check(info);
    if (!arePlain)
      return;
    Output &output = outputs.emplace_back();
    output.dtype = makeType(findPlain(info.dtype)->name);
    bool isFixed = true;
    for (int32_t axis = 0; axis < info.rank; ++axis)
      isFixed &= info.dims[axis] >= 0;
    if (isFixed)
      output.shape = tupleOf(info.dims, info.rank);
  }
}

nb::object Arrays::newArray(const Output &output, nb::handle shape) const {
  PyObject *arguments[] = {shape.ptr(), output.dtype.ptr()};
  nb::object array =
      nb::steal(PyObject_Vectorcall(empty.ptr(), arguments, 2, nullptr));
  if (!array)
    nb::raise_python_error();
  return array;
}

nb::object Arrays::run(Session &session, nb::handle feed) const {
  if (!arePlain || !PyDict_Check(feed.ptr()) ||
      static_cast<size_t>(PyDict_Size(feed.ptr())) != names.size())
    return nb::none();

  std::vector<Buffer> read(names.size()), written(outputs.size());
  std::vector<onnxc_tensor> inputs(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    PyObject *value = PyDict_GetItemWithError(feed.ptr(), names[i].ptr());
    if (!value) {
      PyErr_Clear();
      return nb::none();
    }
    if (!PyObject_TypeCheck(value,
                            reinterpret_cast<PyTypeObject *>(arrayType.ptr())))
      return nb::none();
    if (!read[i].open(value, inputTypes[i], /*isWritten=*/false))
      return nb::none();
    const Py_buffer &view = read[i].view;
    onnxc_tensor &input = inputs[i];
    input.data = view.buf;
    input.bytes = view.len;
    input.dtype = inputTypes[i];
    input.rank = view.ndim;
    for (int axis = 0; axis < view.ndim; ++axis)
      input.dims[axis] = view.shape[axis];
  }

  std::vector<onnxc_tensor> buffers(outputs.size());
  nb::object results = nb::steal(PyList_New(outputs.size()));
  if (!results)
    nb::raise_python_error();
  for (size_t i = 0; i < outputs.size(); ++i) {
    buffers[i] = onnxc_output_buffer(nullptr, 0);
    if (!outputs[i].shape)
      continue;
    nb::object array = newArray(outputs[i], outputs[i].shape);
    int32_t dtype = session.model().outputs[i].dtype;
    if (!written[i].open(array.ptr(), dtype, /*isWritten=*/true))
      return nb::none();
    const Py_buffer &view = written[i].view;
    buffers[i] = onnxc_output_buffer(view.buf, view.len);
    PyList_SetItem(results.ptr(), i, array.release().ptr());
  }

  std::unique_ptr<Session::Results> ran;
  {
    nb::gil_scoped_release release;
    ran = checked([&] {
      return session.run(inputs.data(), static_cast<int32_t>(inputs.size()),
                         std::move(buffers));
    });
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].shape)
      continue;
    const onnxc_tensor &tensor = ran->outputs()[i];
    nb::object array = newArray(outputs[i], tupleOf(tensor.dims, tensor.rank));
    if (!written[i].open(array.ptr(), tensor.dtype, /*isWritten=*/true))
      throw Error("numpy's new array is not in one piece");
    if (size_t bytes = onnxc_tensor_bytes(&tensor))
      std::memcpy(written[i].view.buf, tensor.data, bytes);
    PyList_SetItem(results.ptr(), i, array.release().ptr());
  }
  return results;
}
