//===- ModelRunner.cpp - What a model computes ----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelRunner.h"

#include "PreparedRun.h"

#include "onnxc/Support/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;
using namespace onnxc;

Expected<ModelRunner>
ModelRunner::get(std::shared_ptr<const MemoryBuffer> bytes,
                 const std::string &path, const TemporaryOptions &options) {
  Expected<TemporaryModel> file =
      TemporaryModel::get(std::move(bytes), path, options);
  if (!file)
    return file.takeError();
  Expected<LoadedModel> loaded = LoadedModel::open(file->path(), "model");
  if (!loaded)
    return loaded.takeError();
  return ModelRunner(std::move(*file), std::move(*loaded), path);
}

Expected<NamedArrays> ModelRunner::run(const NamedArrays &inputs,
                                       const onnxc_options &options) const {
  Expected<ContextPtr> context = loaded.createContext(options);
  if (!context)
    return context.takeError();
  auto prepared = PreparedRun::get(
      path, loaded, std::move(*context), [&](const onnxc_model &model) {
        StringSet<> names;
        for (int32_t i = 0; i < model.num_inputs + model.num_overridable; ++i)
          names.insert(model.inputs[i].name);
        NamedArrays taken;
        for (const auto &entry : inputs)
          if (names.contains(StringRef(entry.first).take_until([](char c) {
                return c == '[' || c == '.';
              })) ||
              names.contains(entry.first))
            taken.push_back(entry);
        return taken;
      });
  if (!prepared)
    return prepared.takeError();
  if (Error error = (*prepared)->run())
    return error;
  NamedArrays outputs;
  StringSet<> seen;
  for (int32_t i = 0; i < model().num_outputs; ++i)
    if (seen.insert(model().outputs[i].name).second)
      addArrays(model().outputs[i].name, (*prepared)->outputs()[i], outputs);
  return outputs;
}

//===----------------------------------------------------------------------===//
// ONNX Runtime
//===----------------------------------------------------------------------===//

/// Texts are objects there, and have a width in files.
static constexpr char script[] = R"(
import sys, numpy, onnxruntime
model, inputs, outputs = sys.argv[1:]
options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
options.log_severity_level = 3
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
names = {value.name for value in session.get_inputs() + session.get_overridable_initializers()}
feeds = {name: array.astype(object) if array.dtype.kind in "US" else array
         for name, array in numpy.load(inputs).items() if name in names}
results = zip((value.name for value in session.get_outputs()), session.run(None, feeds))
numpy.savez(outputs, **{name: array.astype(str) if array.dtype == object else array
                        for name, array in results if isinstance(array, numpy.ndarray)})
)";

/// Runs the program, and gives the last line that it wrote as the error.
static Error execute(StringRef program, ArrayRef<StringRef> arguments) {
  SmallString<128> log;
  if (std::error_code error =
          sys::fs::createTemporaryFile("onnxc-python", "txt", log))
    return createStringError(describeTemporaryError(error));
  scope_exit removeLog([&] { (void)sys::fs::remove(log); });
  std::string message;
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  SmallVector<StringRef> all{program};
  append_range(all, arguments);
  int status =
      sys::ExecuteAndWait(program, all, std::nullopt, redirects,
                          /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (status == 0)
    return Error::success();
  if (message.empty())
    if (auto text = MemoryBuffer::getFile(log))
      message = (*text)->getBuffer().rtrim().rsplit('\n').second.str();
  return createStringError(message.empty() ? "status " + std::to_string(status)
                                           : message);
}

Expected<std::string> onnxc::findOnnxRuntime() {
  const char *chosen = std::getenv("ONNXC_PYTHON");
  std::string python = chosen ? chosen : "";
  if (python.empty()) {
    ErrorOr<std::string> found = sys::findProgramByName("python3");
    if (!found)
      return createStringError("there is no python3 in PATH");
    python = *found;
  }
  if (Error error = execute(python, {"-c", "import numpy, onnxruntime"}))
    return createStringError(python + ": " + toString(std::move(error)));
  return python;
}

Expected<NamedArrays> onnxc::runOnnxRuntime(StringRef python, StringRef model,
                                            const NamedArrays &inputs) {
  SmallString<128> folder;
  if (std::error_code error =
          sys::fs::createUniqueDirectory("onnxc-compare", folder))
    return createStringError(describeTemporaryError(error));
  scope_exit removeFolder([&] { (void)sys::fs::remove_directories(folder); });
  auto inFolder = [&](StringRef name) {
    SmallString<128> path(folder);
    sys::path::append(path, name);
    return path.str().str();
  };
  std::string modelPath = inFolder("model.onnx"), given = inFolder("in.npz"),
              made = inFolder("out.npz");
  if (Error error = writeToOutput(modelPath, [&](raw_ostream &os) {
        os << model;
        return Error::success();
      }))
    return error;
  if (Error error = writeNpzFile(given, inputs))
    return error;
  if (Error error = execute(python, {"-c", script, modelPath, given, made}))
    return createStringError("ONNX Runtime: " + toString(std::move(error)));
  return readNpzFile(made);
}
