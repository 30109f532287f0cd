//===- Runner.cpp - A session on values of Python -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"

#include "Inputs.h"
#include "Outputs.h"

#include <numeric>
#include <optional>

namespace nb = nanobind;
using namespace onnxc::python;

static nb::object intern(const char *name) {
  return check(PyUnicode_InternFromString(name));
}

Runner::Runner(const std::string &path, const std::string &prefix,
               unsigned threads)
    : session(path, prefix, threads) {
  describe();
}

Runner::Runner(Runner &other) : session(other.session) { describe(); }

void Runner::describe() {
  const onnxc_model &model = session.model();
  for (int32_t i = 0; i < model.num_inputs + model.num_overridable; ++i)
    inputs.push_back({intern(model.inputs[i].name),
                      ValueType::parse(model.inputs[i].type),
                      i >= model.num_inputs});
  for (int32_t i = 0; i < model.num_outputs; ++i)
    addOutput(model.outputs[i]);
}

void Runner::addOutput(const onnxc_value_info &info) {
  Output &output = outputs.emplace_back();
  output.name = intern(info.name);
  if (info.rank < 0 || !isPlain(info.dtype))
    return;
  for (int32_t axis = 0; axis < info.rank; ++axis)
    if (info.dims[axis] < 0)
      return;
  output.type = nb::borrow(numpy.getType(info.dtype));
  output.shape = tupleOf(info.dims, info.rank);
}

bool Runner::choose(nb::handle names, std::vector<size_t> &chosen) const {
  if (names.is_none()) {
    chosen.resize(outputs.size());
    std::iota(chosen.begin(), chosen.end(), 0);
    return true;
  }
  if (!PyList_Check(names.ptr()))
    return false;
  for (nb::handle name : nb::borrow<nb::list>(names)) {
    size_t i = 0;
    while (i < outputs.size() && !name.equal(outputs[i].name))
      ++i;
    if (i == outputs.size())
      return false;
    chosen.push_back(i);
  }
  return true;
}

/// What `feed` has under the name; null without a Python error if nothing.
static nb::object find(nb::handle feed, nb::handle name) {
  PyObject *value = PyDict_GetItemWithError(feed.ptr(), name.ptr());
  if (!value && PyErr_Occurred())
    nb::raise_python_error();
  return nb::borrow(value);
}

bool Runner::hasInputs(nb::handle feed) const {
  if (!PyDict_Check(feed.ptr()))
    return false;
  Py_ssize_t known = 0;
  for (const Input &input : inputs) {
    if (find(feed, input.name))
      ++known;
    else if (!input.isOverridable && input.type.dtype != ONNXC_OPTIONAL)
      return false;
  }
  return known == PyDict_Size(feed.ptr());
}

nb::object Runner::run(nb::handle names, nb::handle feed) {
  std::vector<size_t> chosen;
  if (!choose(names, chosen) || !hasInputs(feed))
    return nb::none();

  Inputs given(numpy, inputs.size());
  std::vector<nb::object> held;
  held.reserve(inputs.size());
  for (const Input &input : inputs) {
    nb::object value = find(feed, input.name);
    if (!value)
      value = nb::none();
    if (input.isOverridable && value.is_none())
      given.addDefault();
    else
      given.add(value, input.type, nb::borrow<nb::str>(input.name).c_str());
    held.push_back(std::move(value));
  }

  std::vector<onnxc_tensor> buffers(outputs.size(),
                                    onnxc_output_buffer(nullptr, 0));
  std::vector<nb::object> arrays(outputs.size());
  std::vector<Buffer> written(outputs.size());
  for (size_t i : chosen) {
    const Output &output = outputs[i];
    if (!output.shape || arrays[i])
      continue;
    nb::object array = numpy.newArray(output.type, output.shape);
    if (!written[i].open(array, model().outputs[i].dtype, /*isWritten=*/true))
      continue;
    buffers[i] = onnxc_output_buffer(written[i].data(), written[i].bytes());
    arrays[i] = std::move(array);
  }

  std::optional<Session::Run> ran;
  {
    nb::gil_scoped_release release;
    ran.emplace(session, given.tensors(), std::move(buffers));
  }
  nb::object results =
      check(PyList_New(static_cast<Py_ssize_t>(chosen.size())));
  Outputs converter(numpy);
  for (size_t place = 0; place < chosen.size(); ++place) {
    size_t i = chosen[place];
    nb::object &array = arrays[i];
    if (!array)
      array = converter.convert(ran->outputs()[i]);
    PyList_SetItem(results.ptr(), static_cast<Py_ssize_t>(place),
                   nb::object(array).release().ptr());
  }
  return results;
}
