//===- Module.cpp - The Python module onnxc._onnxc ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler. Running, and onnxc.Error, are of the module onnxc._runtime.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "RaiseError.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>

namespace nb = nanobind;
using namespace onnxc::python;

/// Lets Python handle signals; whether a handler raised, as that of Ctrl-C
/// does.
static bool hasSignal() {
  nb::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

static std::string compileForPython(
    const std::string &input, const std::string &output, int optLevel,
    const std::string &cpu, const std::string &features,
    const std::string &triple, const std::string &prefix, bool standaloneHeader,
    bool fastMath, bool noWinograd, const std::string &activationInt8,
    const std::string &tuning, const std::string &sanitize,
    const std::vector<std::string> &shapes,
    const std::vector<std::string> &dims, bool freeze,
    const std::vector<std::string> &frozen, const std::string &lastLogits,
    const std::vector<std::string> &states,
    const std::vector<std::string> &pulses,
    std::optional<int64_t> stateCapacity, const Limits &limits, bool inProcess,
    const std::string &scratch) {
  CompileOptions options;
  options.optLevel = optLevel;
  options.cpu = cpu;
  options.features = features;
  options.triple = triple;
  options.prefix = prefix;
  options.standaloneHeader = standaloneHeader;
  options.fastMath = fastMath;
  options.noWinograd = noWinograd;
  options.activationInt8 = activationInt8;
  options.tuning = tuning;
  options.sanitize = sanitize;
  options.shapes = shapes;
  options.dims = dims;
  options.freeze = freeze;
  options.frozen = frozen;
  options.lastLogits = lastLogits;
  options.states = states;
  options.pulses = pulses;
  options.stateCapacity = stateCapacity;
  options.limits = limits;
  options.inProcess = inProcess;
  try {
    nb::gil_scoped_release release;
    return take(compileFile(input, output, options, scratch, &hasSignal));
  } catch (const Interrupted &) {
    // What the handler of the signal raised.
    throw nb::python_error();
  }
}

/// `function`, throwing where it gives no result.
template <typename Result, typename... Parameters>
static auto calling(Outcome<Result> (*function)(Parameters...)) {
  return [function](Parameters... values) { return take(function(values...)); };
}

/// What optimize and optimize_file return: (model, changes, before, after,
/// warnings).
static nb::tuple describeResult(const OptimizeResult &result) {
  return nb::make_tuple(nb::bytes(result.model.data(), result.model.size()),
                        result.changes, result.before, result.after,
                        result.warnings);
}

static nb::tuple optimizeForPython(nb::bytes model,
                                   const OptimizeOptions &options) {
  OptimizeResult result;
  {
    nb::gil_scoped_release release;
    result = take(optimizeBytes(model.c_str(), model.size(), options));
  }
  return describeResult(result);
}

static nb::tuple optimizeFileForPython(const std::string &input,
                                       const std::string &output,
                                       const OptimizeOptions &options) {
  OptimizeResult result;
  {
    nb::gil_scoped_release release;
    result = take(optimizeFile(input, output, options));
  }
  return describeResult(result);
}

static nb::tuple convertForPython(nb::bytes model,
                                  const std::vector<std::string> &opsets) {
  std::pair<std::string, std::string> result;
  {
    nb::gil_scoped_release release;
    result = take(convertBytes(model.c_str(), model.size(), opsets));
  }
  return nb::make_tuple(nb::bytes(result.first.data(), result.first.size()),
                        result.second);
}

static void defineOptimizer(nb::module_ &m) {
  nb::class_<OptimizeOptions>(m, "OptimizeOptions", "As onnx-optimize's")
      .def(nb::init<>())
      .def_rw("passes", &OptimizeOptions::passes, nb::arg().none())
      .def_rw("disabled", &OptimizeOptions::disabled)
      .def_rw("fixed_point", &OptimizeOptions::fixedPoint)
      .def_rw("upstream_compatible", &OptimizeOptions::upstreamCompatible)
      .def_rw("freeze", &OptimizeOptions::freeze)
      .def_rw("inline_functions", &OptimizeOptions::inlineFunctions)
      .def_rw("input_shapes", &OptimizeOptions::inputShapes)
      .def_rw("nsz", &OptimizeOptions::nsz, nb::arg().none())
      .def_rw("keep_interface", &OptimizeOptions::keepInterface,
              nb::arg().none())
      .def_rw("nnan", &OptimizeOptions::nnan)
      .def_rw("ninf", &OptimizeOptions::ninf)
      .def_rw("assume_strictly_monotone",
              &OptimizeOptions::assumeStrictlyMonotone)
      .def_rw("fold_budget", &OptimizeOptions::foldBudget, nb::arg().none())
      .def_rw("unroll_budget", &OptimizeOptions::unrollBudget, nb::arg().none())
      .def_rw("max_nodes", &OptimizeOptions::maxNodes, nb::arg().none())
      .def_rw("max_depth", &OptimizeOptions::maxDepth, nb::arg().none())
      .def_rw("save_external", &OptimizeOptions::saveExternal);
  m.def("optimize", &optimizeForPython, nb::arg("model"), nb::arg("options"),
        "Optimizes a serialized model");
  m.def("optimize_file", &optimizeFileForPython, nb::arg("input"),
        nb::arg("output"), nb::arg("options"), "Optimizes a file to a file");
  m.def("convert", &convertForPython, nb::arg("model"), nb::arg("opsets"),
        "A serialized model at other opsets: (model, warnings)");
  m.def("optimizer_passes", &describePasses, "What there is");
  m.def("upstream_default_passes", &upstreamDefaultPasses,
        "What onnx-optimizer runs by default");
}

static nb::tuple quantizeForPython(const std::string &input,
                                   const std::string &output,
                                   const QuantizeOptions &options) {
  std::pair<std::string, std::string> result;
  {
    nb::gil_scoped_release release;
    result = take(quantizeFile(input, output, options));
  }
  return nb::make_tuple(result.first, result.second);
}

static void defineQuantizer(nb::module_ &m) {
  nb::class_<QuantizeOptions>(m, "QuantizeOptions", "As onnxc quantize's")
      .def(nb::init<>())
      .def_rw("bits", &QuantizeOptions::bits)
      .def_rw("weight_only", &QuantizeOptions::weightOnly)
      .def_rw("zero_points", &QuantizeOptions::zeroPoints)
      .def_rw("embeddings", &QuantizeOptions::embeddings)
      .def_rw("block_size", &QuantizeOptions::blockSize, nb::arg().none())
      .def_rw("format", &QuantizeOptions::format)
      .def_rw("calibration_method", &QuantizeOptions::calibrationMethod)
      .def_rw("activations", &QuantizeOptions::activations)
      .def_rw("percentile", &QuantizeOptions::percentile, nb::arg().none())
      .def_rw("max_error", &QuantizeOptions::maxError, nb::arg().none())
      .def_rw("calibrate", &QuantizeOptions::calibrate)
      .def_rw("exclude", &QuantizeOptions::exclude)
      .def_rw("shapes", &QuantizeOptions::shapes)
      .def_rw("sensitivity", &QuantizeOptions::sensitivity)
      .def_rw("freeze", &QuantizeOptions::freeze)
      .def_rw("max_nodes", &QuantizeOptions::maxNodes, nb::arg().none())
      .def_rw("max_depth", &QuantizeOptions::maxDepth, nb::arg().none())
      .def_rw("threads", &QuantizeOptions::threads)
      .def_rw("save_external", &QuantizeOptions::saveExternal);
  m.def("quantize_file", &quantizeForPython, nb::arg("input"),
        nb::arg("output"), nb::arg("options"),
        "Quantizes a file to a file: (report as JSON, warnings)");
}

NB_MODULE(_onnxc, m) {
  m.doc() = "The C++ side of the package onnxc";
  m.attr("__version__") = ONNXC_VERSION;
  // The class that the module for running has made.
  nb::object error = nb::module_::import_("onnxc._runtime").attr("Error");
  m.attr("Error") = error;
  nb::register_exception_translator(&raiseError, error.ptr());
  using Limit = std::optional<int64_t>;
  nb::class_<Limits>(m, "Limits", "What a model may ask for")
      .def(
          "__init__",
          [](Limits *self, Limit maxNodes, Limit maxDepth, Limit maxTensorBytes,
             Limit foldBudget) {
            new (self) Limits{maxNodes, maxDepth, maxTensorBytes, foldBudget};
          },
          nb::arg("max_nodes").none(), nb::arg("max_depth").none(),
          nb::arg("max_tensor_bytes").none(), nb::arg("fold_budget").none());
  m.def("compile", &compileForPython, nb::arg("input"), nb::arg("output"),
        nb::arg("opt_level"), nb::arg("mcpu"), nb::arg("mattr"),
        nb::arg("mtriple"), nb::arg("prefix"), nb::arg("standalone_header"),
        nb::arg("fast_math"), nb::arg("no_winograd"),
        nb::arg("activation_int8"), nb::arg("tuning"), nb::arg("sanitize"),
        nb::arg("shapes"), nb::arg("dims"), nb::arg("freeze"),
        nb::arg("frozen"), nb::arg("last_logits"), nb::arg("states"),
        nb::arg("pulses"), nb::arg("state_capacity").none(), nb::arg("limits"),
        nb::arg("in_process"), nb::arg("scratch"),
        "Compiles a file to a file; the warnings");
  m.def("check", calling(&checkFile), nb::arg("input"), nb::arg("opt_level"),
        nb::arg("shapes"), nb::arg("dims"), nb::arg("freeze"),
        nb::arg("frozen"), nb::arg("limits"),
        nb::call_guard<nb::gil_scoped_release>(), "A report, as JSON");
  m.def("inspect", calling(&inspectFile), nb::arg("input"), nb::arg("form"),
        nb::arg("shapes"), nb::arg("dims"), nb::arg("limits"),
        nb::call_guard<nb::gil_scoped_release>(), "json, text, dot, svg, html");
  defineOptimizer(m);
  defineQuantizer(m);
}
