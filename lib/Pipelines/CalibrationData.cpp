//===- CalibrationData.cpp - Inputs to measure with -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CalibrationData.h"

#include "onnxc/Load/LoadedModel.h"
#include "onnxc/Npz/MadeUpInputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace onnxc;

static bool isArrayFile(StringRef path) {
  StringRef suffix = sys::path::extension(path);
  return suffix == ".npz" || suffix == ".npy";
}

static Expected<std::vector<std::string>> listFiles(const std::string &path) {
  if (!sys::fs::is_directory(path)) {
    if (std::error_code error =
            sys::fs::access(path, sys::fs::AccessMode::Exist))
      return createStringError(path + ": " + error.message());
    if (!isArrayFile(path))
      return createStringError(path +
                               ": expected a file named .npz or .npy, or a "
                               "folder of such");
    return std::vector<std::string>{path};
  }
  std::vector<std::string> files;
  std::error_code error;
  for (sys::fs::directory_iterator entry(path, error), end;
       entry != end && !error; entry.increment(error))
    if (isArrayFile(entry->path()))
      files.push_back(entry->path());
  if (error)
    return createStringError(path + ": " + error.message());
  if (files.empty())
    return createStringError(path + ": the folder has no .npz or .npy file");
  sort(files);
  return files;
}

Expected<std::vector<Sample>>
onnxc::readCalibrationFiles(ArrayRef<std::string> paths) {
  std::vector<Sample> samples;
  for (const std::string &path : paths) {
    Expected<std::vector<std::string>> files = listFiles(path);
    if (!files)
      return files.takeError();
    for (const std::string &file : *files) {
      Sample sample{file, {}};
      if (StringRef(file).ends_with(".npy")) {
        Expected<Array> array = readNpyFile(file);
        if (!array)
          return array.takeError();
        sample.arrays.emplace_back("", std::move(*array));
      } else {
        Expected<NamedArrays> arrays = readNpzFile(file);
        if (!arrays)
          return arrays.takeError();
        sample.arrays = std::move(*arrays);
      }
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

static ArrayRef<onnxc_value_info> getInputs(const onnxc_model &model) {
  return ArrayRef(model.inputs, model.num_inputs + model.num_overridable);
}

static const onnxc_value_info *findInput(const onnxc_model &model,
                                         StringRef name) {
  for (const onnxc_value_info &input : getInputs(model))
    if (name == input.name)
      return &input;
  return nullptr;
}

static Error checkNames(Sample &sample, const onnxc_model &model) {
  for (auto &[name, array] : sample.arrays) {
    if (name.empty() && model.num_inputs == 1)
      name = model.inputs[0].name;
    if (findInput(model, name))
      continue;
    std::string names = join(map_range(getInputs(model),
                                       [](const onnxc_value_info &info) {
                                         return std::string(info.name);
                                       }),
                             ", ");
    return createStringError(
        sample.source + ": " +
        (name.empty()
             ? "a .npy file has one array, and the model's inputs are "
             : "the model has no input '" + name + "'; its inputs are ") +
        names);
  }
  return Error::success();
}

/// How many runs the arrays are for; 1 where that cannot be said.
static uint64_t countRuns(const Sample &sample, const onnxc_model &model) {
  uint64_t runs = 0;
  for (const auto &[name, array] : sample.arrays) {
    const onnxc_value_info &input = *findInput(model, name);
    if (input.rank <= 0 || input.dims[0] <= 0 || array.shape.empty() ||
        !array.strings.empty() || array.shape[0] % input.dims[0] != 0)
      continue;
    auto parts = static_cast<uint64_t>(array.shape[0] / input.dims[0]);
    if (parts <= 1)
      continue;
    if (runs != 0 && runs != parts)
      return 1;
    runs = parts;
  }
  return std::max<uint64_t>(runs, 1);
}

/// The part of the array for one of `runs` runs; all of it where it is not for
/// several.
static Array takePart(const Array &array, const onnxc_value_info &input,
                      uint64_t run, uint64_t runs) {
  Array part = array;
  bool isForAll = array.shape.empty() || input.rank <= 0 ||
                  input.dims[0] <= 0 ||
                  static_cast<uint64_t>(array.shape[0]) !=
                      runs * static_cast<uint64_t>(input.dims[0]);
  if (runs == 1 || isForAll)
    return part;
  size_t bytes = array.data.size() / runs;
  part.shape[0] = input.dims[0];
  // no overflow: the array is in memory
  auto first = array.data.begin() + static_cast<ptrdiff_t>(run * bytes);
  part.data.assign(first, first + static_cast<ptrdiff_t>(bytes));
  return part;
}

Expected<std::vector<Sample>> onnxc::splitSamples(std::vector<Sample> files,
                                                  const onnxc_model &model) {
  std::vector<Sample> samples;
  for (Sample &file : files) {
    if (Error error = checkNames(file, model))
      return std::move(error);
    uint64_t runs = countRuns(file, model);
    if (runs == 1) {
      samples.push_back(std::move(file));
      continue;
    }
    for (uint64_t run = 0; run < runs; ++run) {
      Sample sample{file.source, {}};
      for (const auto &[name, array] : file.arrays)
        sample.arrays.emplace_back(
            name, takePart(array, *findInput(model, name), run, runs));
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

Expected<std::vector<Sample>> onnxc::makeUpSamples(const onnxc_model &model,
                                                   ArrayRef<std::string> shapes,
                                                   size_t count) {
  Expected<InputShapes> given = parseInputShapes(shapes, model);
  if (!given)
    return given.takeError();
  std::vector<Sample> samples;
  for (size_t i = 0; i < count; ++i) {
    Sample sample{"made-up inputs", {}};
    for (const onnxc_value_info &input :
         ArrayRef(model.inputs, model.num_inputs)) {
      Expected<Array> array = makeUpInput(input, *given, /*seed=*/i);
      if (!array)
        return array.takeError();
      sample.arrays.emplace_back(input.name, std::move(*array));
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}
