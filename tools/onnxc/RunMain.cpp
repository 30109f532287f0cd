//===- RunMain.cpp - onnxc run model.so -----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "CompileTemporary.h"
#include "Difference.h"
#include "Failure.h"
#include "PreparedRun.h"
#include "RunOptions.h"
#include "Verbs.h"

#include "onnxc/Load/LoadedModel.h"
#include "onnxc/Npz/Npz.h"
#include "onnxc/Support/OutputFile.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

using namespace llvm;
using namespace onnxc;

namespace {

struct Options {
  const Arguments &arguments;
  std::string model = arguments.getOperand(0);
  TimingOptions run{arguments};
  TemporaryOptions compile{arguments};
  bool random = arguments.getFlag(OPT_random);
  std::string save = arguments.getName(OPT_save);
  std::string expect = arguments.getName(OPT_expect);
  Tolerance tolerance{arguments};
};

constexpr char moreHelp[] = R"(
EXAMPLES
  onnxc run mnist.so --inputs in.npz --save out.npz
  onnxc run mnist.so --input image.npy --expect scores.npy --rtol 1e-4
  onnxc run mnist.onnx --random                 compiles it for this run
)";

} // namespace

/// All elements of a small array; of a large one, what describes it.
static std::string summarize(const Array &array) {
  std::string text;
  raw_string_ostream os(text);
  if (array.dtype == ONNXC_STRING) {
    for (size_t i = 0; i < array.strings.size() && i < 16; ++i)
      os << " '" << array.strings[i] << "'";
    return text;
  }
  std::vector<double> values = toNumbers(array);
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

/// Whether the outputs are those of the file.
static Error compare(const Options &options, const onnxc_model &model,
                     const NamedArrays &results) {
  Expected<NamedArrays> expected = readExpected(
      options.expect, model.num_outputs == 1 ? model.outputs[0].name : "");
  if (!expected)
    return expected.takeError();
  double worst = 0;
  std::string wrong = describeDifferences(
      "output", results, *expected, options.expect, options.tolerance, worst);
  if (!wrong.empty())
    return createStringError(StringRef(wrong).rtrim());
  outs() << format("as %s has it; the greatest difference is %.3g\n",
                   options.expect.c_str(), worst);
  return Error::success();
}

/// What the run has left in the context.
static void printStates(const onnxc_model &model, onnxc_context *context) {
  for (int32_t i = 0; i < model.num_states; ++i) {
    onnxc_tensor tensor = onnxc_output_buffer(nullptr, 0);
    if (onnxc_state_get(context, i, &tensor) != ONNXC_OK)
      continue;
    std::vector<std::max_align_t> elements(
        tensor.bytes / sizeof(std::max_align_t) + 1);
    tensor.data = elements.data();
    NamedArrays states;
    if (onnxc_state_get(context, i, &tensor) == ONNXC_OK)
      addArrays(model.states[i].value.name, tensor, states);
    for (const auto &[name, array] : states)
      outs() << "state  " << name << ": "
             << describeTensor(array.dtype, array.shape) << summarize(array)
             << "\n";
  }
}

static Error run(const Options &options) {
  if (!options.save.empty())
    if (std::string reason = refuseOutput(options.save, options.model);
        !reason.empty())
      return createStringError(reason);
  if (Error error = options.run.checkFiles(options.expect))
    return error;
  Expected<TemporaryModel> file =
      TemporaryModel::get(options.model, options.compile, /*profile=*/false);
  if (!file)
    return file.takeError();
  Expected<LoadedModel> loaded =
      LoadedModel::open(file->path(), options.run.prefix);
  if (!loaded)
    return loaded.takeError();
  Expected<ContextPtr> context =
      loaded->createContext(options.run.contextOptions());
  if (!context)
    return context.takeError();
  auto prepared = PreparedRun::get(options.model, *loaded, std::move(*context),
                                   [&](const onnxc_model &model) {
                                     return options.random
                                                ? options.run.readOrMake(model)
                                                : options.run.read(model);
                                   });
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
  printStates(model, (*prepared)->context());
  return options.expect.empty() ? Error::success()
                                : compare(options, model, results);
}

int onnxc::runMain(int argc, char **argv) {
  const CommandText text{Command::Run,
                         "onnxc run",
                         "onnxc run: runs a model on arrays in numpy's files\n",
                         "<model.so | model.onnx>",
                         1,
                         1,
                         moreHelp};
  Arguments arguments(argc, argv, text);
  const Options options{arguments};
  if (Error error = run(options))
    return reportFailure(std::move(error));
  return 0;
}
