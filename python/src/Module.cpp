//===- Module.cpp - The Python module onnxc._onnxc ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value crosses as a tuple (element type, dims, elements). The elements of a
// tensor are its bytes, in a numpy array of uint8; of a tensor of strings, a
// list of bytes; of a sequence, optional or map, a list of values. What numpy's
// types mean is the Python side's business (python/onnxc/values.py). Plain
// arrays have a shorter way (Arrays.h).
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Driver.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>

namespace nb = nanobind;
using namespace onnxc::python;

using Bytes = nb::ndarray<nb::numpy, const uint8_t, nb::ndim<1>, nb::c_contig,
                          nb::device::cpu>;

namespace {

/// The inputs of a call, and what they point to.
class Inputs {
public:
  explicit Inputs(nb::list values) : tensors(convert(values)) {}

  const onnxc_tensor *data() const { return tensors.data(); }
  int32_t size() const { return static_cast<int32_t>(tensors.size()); }

private:
  std::vector<onnxc_tensor> convert(nb::list values) {
    std::vector<onnxc_tensor> result;
    // None is what has its default value.
    for (nb::handle value : values)
      result.push_back(value.is_none()
                           ? onnxc_tensor()
                           : convertOne(nb::cast<nb::tuple>(value)));
    return result;
  }

  onnxc_tensor convertOne(nb::tuple value) {
    int dtype = nb::cast<int>(value[0]);
    auto dims = nb::cast<std::vector<int64_t>>(value[1]);
    // An empty array has no data.
    alignas(std::max_align_t) static const uint64_t nothing = 0;
    const void *data = &nothing;
    uint64_t bytes = 0;
    nb::object elements = value[2];
    if (dtype == ONNXC_STRING) {
      std::vector<const char *> &texts = strings.emplace_back();
      for (nb::handle text : nb::cast<nb::list>(elements))
        texts.push_back(nb::cast<nb::bytes>(text).c_str());
      bytes = texts.size() * sizeof(char *);
      data = texts.data();
    } else if (nb::isinstance<nb::list>(elements)) {
      const std::vector<onnxc_tensor> &parts =
          composites.emplace_back(convert(nb::cast<nb::list>(elements)));
      bytes = parts.size() * sizeof(onnxc_tensor);
      data = parts.data();
    } else {
      auto array = nb::cast<Bytes>(elements);
      bytes = array.size();
      data = aligned(array, onnxc_dtype_size(dtype));
    }
    return onnxc_tensor_of(bytes ? data : &nothing, bytes, dtype,
                           static_cast<int>(dims.size()), dims.data());
  }

  /// Its bytes, where a model may read elements of this size: numpy aligns
  /// less, and a view of another object's buffer not at all.
  const void *aligned(const Bytes &array, size_t size) {
    if (!size || reinterpret_cast<uintptr_t>(array.data()) % size == 0)
      return array.data();
    std::vector<std::max_align_t> &copy =
        copies.emplace_back(array.size() / sizeof(std::max_align_t) + 1);
    return std::memcpy(copy.data(), array.data(), array.size());
  }

  std::deque<std::vector<const char *>> strings;
  std::deque<std::vector<onnxc_tensor>> composites;
  std::deque<std::vector<std::max_align_t>> copies;
  std::vector<onnxc_tensor> tensors;
};

} // namespace

static nb::object bytesOf(const onnxc_tensor &tensor) {
  size_t bytes = onnxc_tensor_bytes(&tensor);
  auto *copy = new uint8_t[bytes];
  if (bytes)
    std::memcpy(copy, tensor.data, bytes);
  nb::capsule owner(copy, [](void *memory) noexcept {
    delete[] static_cast<uint8_t *>(memory);
  });
  return nb::cast(
      nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>>(copy, {bytes}, owner));
}

static nb::tuple convertOutput(const onnxc_tensor &tensor) {
  nb::list dims;
  uint64_t count = 1;
  for (int32_t i = 0; i < tensor.rank; ++i) {
    dims.append(tensor.dims[i]);
    count *= tensor.dims[i];
  }
  nb::object elements;
  if (tensor.dtype == ONNXC_STRING) {
    nb::list texts;
    auto *pointers = static_cast<const char *const *>(tensor.data);
    for (uint64_t i = 0; i < count; ++i)
      texts.append(nb::bytes(pointers[i]));
    elements = texts;
  } else if (!onnxc_dtype_size(tensor.dtype)) {
    nb::list parts;
    auto *values = static_cast<const onnxc_tensor *>(tensor.data);
    uint64_t numParts = tensor.dtype == ONNXC_MAP ? 2 : count;
    for (uint64_t i = 0; i < numParts; ++i)
      parts.append(convertOutput(values[i]));
    elements = parts;
  } else {
    elements = bytesOf(tensor);
  }
  return nb::make_tuple(static_cast<int>(tensor.dtype), dims, elements);
}

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

static nb::list runSession(Session &session, nb::list values) {
  Inputs inputs(values);
  std::unique_ptr<Session::Results> results;
  {
    nb::gil_scoped_release release;
    results =
        checked([&] { return session.run(inputs.data(), inputs.size()); });
  }
  nb::list outputs;
  for (int32_t i = 0; i < session.model().num_outputs; ++i)
    outputs.append(convertOutput(results->outputs()[i]));
  return outputs;
}

static std::string compileForPython(
    const std::string &input, const std::string &output, int optLevel,
    const std::string &cpu, const std::string &features,
    const std::string &triple, const std::string &prefix, bool fastMath,
    const std::string &sanitize, const std::vector<std::string> &shapes,
    const std::vector<std::string> &dims, bool freeze,
    const std::vector<std::string> &frozen, const Limits &limits) {
  CompileOptions options;
  options.optLevel = optLevel;
  options.cpu = cpu;
  options.features = features;
  options.triple = triple;
  options.prefix = prefix;
  options.fastMath = fastMath;
  options.sanitize = sanitize;
  options.shapes = shapes;
  options.dims = dims;
  options.freeze = freeze;
  options.frozen = frozen;
  options.limits = limits;
  nb::gil_scoped_release release;
  return checked([&] { return compileFile(input, output, options); });
}

/// `function` as it is, of which what it throws may leave its library.
template <typename Result, typename... Parameters>
static auto calling(Result (*function)(Parameters...)) {
  return [function](Parameters... values) {
    return checked([&] { return function(values...); });
  };
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
    result = checked(
        [&] { return optimizeBytes(model.c_str(), model.size(), options); });
  }
  return describeResult(result);
}

static nb::tuple optimizeFileForPython(const std::string &input,
                                       const std::string &output,
                                       const OptimizeOptions &options) {
  OptimizeResult result;
  {
    nb::gil_scoped_release release;
    result = checked([&] { return optimizeFile(input, output, options); });
  }
  return describeResult(result);
}

static nb::tuple convertForPython(nb::bytes model,
                                  const std::vector<std::string> &opsets) {
  std::pair<std::string, std::string> result;
  {
    nb::gil_scoped_release release;
    result = checked(
        [&] { return convertBytes(model.c_str(), model.size(), opsets); });
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

NB_MODULE(_onnxc, m) {
  m.doc() = "The C++ side of the package onnxc";
  m.attr("__version__") = ONNXC_VERSION;
  m.attr("MAX_RANK") = ONNXC_MAX_RANK;
  nb::exception<Error>(m, "Error", PyExc_RuntimeError);
  m.def("dtype_name", &onnxc_dtype_name, nb::arg("dtype"),
        "An element type as ONNX spells it");
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
        nb::arg("mtriple"), nb::arg("prefix"), nb::arg("fast_math"),
        nb::arg("sanitize"), nb::arg("shapes"), nb::arg("dims"),
        nb::arg("freeze"), nb::arg("frozen"), nb::arg("limits"),
        "Compiles a file to a file; the warnings");
  m.def("check", calling(&checkFile), nb::arg("input"), nb::arg("opt_level"),
        nb::arg("shapes"), nb::arg("dims"), nb::arg("freeze"),
        nb::arg("frozen"), nb::arg("limits"),
        nb::call_guard<nb::gil_scoped_release>(), "A report, as JSON");
  m.def("inspect", calling(&inspectFile), nb::arg("input"), nb::arg("form"),
        nb::arg("shapes"), nb::arg("dims"), nb::arg("limits"),
        nb::call_guard<nb::gil_scoped_release>(), "json, text, dot, svg, html");
  nb::class_<Session>(m, "Session", "A compiled model, loaded")
      .def(
          "__init__",
          [](Session *self, const std::string &path, const std::string &prefix,
             unsigned threads) {
            checked([&] { return new (self) Session(path, prefix, threads); });
          },
          nb::arg("path"), nb::arg("prefix"), nb::arg("threads"))
      .def_prop_ro("inputs",
                   [](Session &self) {
                     return describeValues(self.model().inputs,
                                           self.model().num_inputs);
                   })
      .def_prop_ro("overridable",
                   [](Session &self) {
                     const onnxc_model &model = self.model();
                     return describeValues(model.inputs + model.num_inputs,
                                           model.num_overridable);
                   })
      .def_prop_ro("outputs",
                   [](Session &self) {
                     return describeValues(self.model().outputs,
                                           self.model().num_outputs);
                   })
      .def_prop_ro("graph_name",
                   [](Session &self) { return self.model().name; })
      .def_prop_ro("producer",
                   [](Session &self) { return self.model().producer; })
      .def_prop_ro("workspace_bytes",
                   [](Session &self) { return self.model().workspace_bytes; })
      .def_prop_ro("weight_bytes",
                   [](Session &self) { return self.model().weight_bytes; })
      .def("run", &runSession, nb::arg("inputs"), "Values in, values out");
  nb::class_<Arrays>(m, "Arrays", "The short way into a session")
      .def(
          "__init__",
          [](Arrays *self, Session &session) {
            new (self) Arrays(session.model());
          },
          nb::arg("session"))
      .def("run", &Arrays::run, nb::arg("session"), nb::arg("feed"),
           "Arrays by name in, arrays out; None for what is not plain");
  defineOptimizer(m);
}
