//===- RunMain.cpp - onnxc run model.so -----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "PreparedRun.h"
#include "RunOptions.h"
#include "Verbs.h"

#include "onnxc/Load/LoadedModel.h"
#include "onnxc/Npz/Npz.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace onnxc;

namespace {

struct Options {
  const Arguments &arguments;
  std::string model = arguments.getOperand(0);
  RunOptions run{arguments};
  std::string save = arguments.getString(OPT_save);
};

} // namespace

/// The elements as numbers, where C has the type.
template <typename T> static std::vector<double> asNumbers(const Array &array) {
  std::vector<double> result;
  for (size_t at = 0; at < array.data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, array.data.data() + at, sizeof(T));
    result.push_back(static_cast<double>(value));
  }
  return result;
}

static std::vector<double> asNumbers(const Array &array) {
  switch (array.dtype) {
  case ONNXC_FLOAT:
    return asNumbers<float>(array);
  case ONNXC_DOUBLE:
    return asNumbers<double>(array);
  case ONNXC_BOOL:
  case ONNXC_UINT8:
    return asNumbers<uint8_t>(array);
  case ONNXC_INT8:
    return asNumbers<int8_t>(array);
  case ONNXC_INT16:
    return asNumbers<int16_t>(array);
  case ONNXC_UINT16:
    return asNumbers<uint16_t>(array);
  case ONNXC_INT32:
    return asNumbers<int32_t>(array);
  case ONNXC_UINT32:
    return asNumbers<uint32_t>(array);
  case ONNXC_INT64:
    return asNumbers<int64_t>(array);
  case ONNXC_UINT64:
    return asNumbers<uint64_t>(array);
  default:
    return {};
  }
}

/// All elements of a small array; of a large one, what describes it.
static std::string summarize(const Array &array) {
  std::string text;
  raw_string_ostream os(text);
  if (array.dtype == ONNXC_STRING) {
    for (size_t i = 0; i < array.strings.size() && i < 16; ++i)
      os << " '" << array.strings[i] << "'";
    return text;
  }
  std::vector<double> values = asNumbers(array);
  if (values.size() <= 16) {
    for (double value : values)
      os << format(" %.6g", value);
    return text;
  }
  double low = INFINITY, high = -INFINITY, sum = 0;
  size_t notFinite = 0;
  for (double value : values) {
    if (!std::isfinite(value)) {
      ++notFinite;
      continue;
    }
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  size_t finite = values.size() - notFinite;
  if (finite)
    os << format(" min %.6g max %.6g mean %.6g", low, high,
                 sum / static_cast<double>(finite));
  if (notFinite)
    os << " (" << notFinite << " not finite)";
  return text;
}

static Error run(const Options &options) {
  StringRef path = options.model;
  if (path.ends_with(".onnx"))
    return createStringError(path + ": is a model; compile it first: onnxc " +
                             path + " -o " + path.drop_back(5) + ".so");
  Expected<LoadedModel> loaded =
      LoadedModel::open(options.model, options.run.prefix);
  if (!loaded)
    return loaded.takeError();
  Expected<ContextPtr> context =
      loaded->createContext(options.run.contextOptions());
  if (!context)
    return context.takeError();
  auto prepared = PreparedRun::get(
      options.model, *loaded, std::move(*context),
      [&](const onnxc_model &model) { return options.run.read(model); });
  if (!prepared)
    return prepared.takeError();
  if (Error error = (*prepared)->run())
    return error;
  const onnxc_model &model = loaded->model();
  ArrayRef<onnxc_tensor> inputs = (*prepared)->inputs();
  ArrayRef<onnxc_tensor> outputs = (*prepared)->outputs();

  NamedArrays results;
  // A model may list a value as several outputs; one array says it all.
  StringSet<> names;
  for (int32_t i = 0; i < model.num_outputs; ++i)
    if (names.insert(model.outputs[i].name).second)
      addArrays(model.outputs[i].name, outputs[i], results);
  if (!options.save.empty())
    if (Error error = writeNpzFile(options.save, results))
      return error;
  for (size_t i = 0; i < inputs.size(); ++i)
    // Initializers that are not overridden have no data.
    if (i < static_cast<size_t>(model.num_inputs) || inputs[i].data)
      outs() << "input  " << model.inputs[i].name << ": "
             << describeTensor(inputs[i].dtype,
                               ArrayRef(inputs[i].dims, inputs[i].rank))
             << "\n";
  for (const auto &[name, array] : results)
    outs() << "output " << name << ": "
           << describeTensor(array.dtype, array.shape) << summarize(array)
           << "\n";
  return Error::success();
}

int onnxc::runMain(int argc, char **argv) {
  const CommandText text{
      Command::Run,
      "onnxc run",
      "onnxc run: runs a compiled model on arrays in numpy's files\n",
      "<model.so>",
      1,
      1,
      ""};
  Arguments arguments(argc, argv, text);
  const Options options{arguments};
  if (Error error = run(options)) {
    errs() << toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
