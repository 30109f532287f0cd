//===- Runtime.cpp - The Python module onnxc._runtime ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running compiled models, without the compiler: nothing here may need LLVM.
// What numpy's types mean is the Python side's business (values.py).
//
//===----------------------------------------------------------------------===//

#include "RaiseError.h"
#include "Runner.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace onnxc::python;

/// (name, type, dims): a dim is an int, a symbol's name, or None; the dims are
/// None if the rank is unknown.
static nb::list describeValues(const onnxc_value_info *values, int32_t count) {
  nb::list result;
  for (const onnxc_value_info *value = values; value != values + count;
       ++value) {
    nb::object dims = nb::none();
    if (value->rank >= 0) {
      nb::list known;
      for (int32_t i = 0; i < value->rank; ++i) {
        const char *symbol = value->symbols ? value->symbols[i] : "";
        if (value->dims[i] >= 0)
          known.append(value->dims[i]);
        else if (*symbol)
          known.append(symbol);
        else
          known.append(nb::none());
      }
      dims = known;
    }
    result.append(nb::make_tuple(value->name, value->type, dims));
  }
  return result;
}

static nb::list describeInputs(const Runner &runner) {
  return describeValues(runner.model().inputs, runner.model().num_inputs);
}

static nb::list describeOverridable(const Runner &runner) {
  const onnxc_model &model = runner.model();
  return describeValues(model.inputs + model.num_inputs, model.num_overridable);
}

static nb::list describeOutputs(const Runner &runner) {
  return describeValues(runner.model().outputs, runner.model().num_outputs);
}

/// (name, type, dims, output, axis) of each state; the axis is None for one
/// that does not grow.
static nb::list describeStates(const Runner &runner) {
  const onnxc_model &model = runner.model();
  nb::list result;
  for (int32_t i = 0; i < model.num_states; ++i) {
    const onnxc_state_info &state = model.states[i];
    nb::object axis = nb::none();
    if (state.axis >= 0)
      axis = nb::int_(state.axis);
    nb::object value = describeValues(&state.value, 1)[0];
    result.append(
        nb::make_tuple(value[0], value[1], value[2], state.output, axis));
  }
  return result;
}

NB_MODULE(_runtime, m) {
  m.doc() = "What runs models in the package onnxc";
  m.attr("__version__") = ONNXC_VERSION;
  m.attr("MAX_RANK") = ONNXC_MAX_RANK;
  nb::object error = nb::steal(
      PyErr_NewException("onnxc._runtime.Error", PyExc_RuntimeError, nullptr));
  if (!error)
    nb::raise_python_error();
  m.attr("Error") = error;
  nb::register_exception_translator(&raiseError, error.ptr());
  m.def("dtype_name", &onnxc_dtype_name, nb::arg("dtype"),
        "An element type as ONNX spells it");
  nb::class_<Runner>(m, "Session", "A compiled model, loaded")
      .def(
          "__init__",
          [](Runner *self, const std::string &path, const std::string &prefix,
             unsigned threads) { new (self) Runner(path, prefix, threads); },
          nb::arg("path"), nb::arg("prefix"), nb::arg("threads"))
      .def_prop_ro("inputs", &describeInputs)
      .def_prop_ro("overridable", &describeOverridable)
      .def_prop_ro("outputs", &describeOutputs)
      .def_prop_ro("states", &describeStates)
      .def_prop_ro("graph_name",
                   [](const Runner &self) { return self.model().name; })
      .def_prop_ro("producer",
                   [](const Runner &self) { return self.model().producer; })
      .def_prop_ro(
          "workspace_bytes",
          [](const Runner &self) { return self.model().workspace_bytes; })
      .def_prop_ro("weight_bytes",
                   [](const Runner &self) { return self.model().weight_bytes; })
      .def("run", &Runner::run, nb::arg("names").none(), nb::arg("feed").none(),
           "Values by name in, a list of values out; None if the names are not "
           "the model's")
      .def("reset", &Runner::reset)
      .def("state_length", &Runner::getStateLength)
      .def("get_state", &Runner::getState, nb::arg("state"))
      .def("set_state", &Runner::setState, nb::arg("state"), nb::arg("value"))
      .def("truncate_states", &Runner::truncateStates, nb::arg("state"),
           nb::arg("length"))
      .def("save_states", &Runner::saveStates)
      .def("load_states", &Runner::loadStates, nb::arg("bytes"))
      .def(
          "fork", [](Runner &self) { return new Runner(self); },
          nb::rv_policy::take_ownership, "Another session with these states");
}
