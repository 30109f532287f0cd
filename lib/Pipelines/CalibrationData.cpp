//===- CalibrationData.cpp - Inputs to measure with -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CalibrationData.h"

#include "onnxc/Load/LoadedModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <cstring>

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

//===----------------------------------------------------------------------===//
// Made-up inputs
//===----------------------------------------------------------------------===//

template <typename T, typename Make>
static void fill(Array &array, size_t count, Make make) {
  array.itemSize = sizeof(T);
  array.data.resize(count * sizeof(T));
  for (size_t i = 0; i < count; ++i) {
    T value = make();
    std::memcpy(array.data.data() + i * sizeof(T), &value, sizeof(T));
  }
}

/// False for types whose values cannot be made up.
static bool fillArray(Array &array, size_t count, uint64_t &state) {
  auto random = [&] { // between -1 and 1
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<float>(static_cast<int32_t>(state >> 32)) /
           2147483648.0f;
  };
  size_t bytes = onnxc_dtype_size(array.dtype);
  switch (array.dtype) {
  case ONNXC_FLOAT:
    fill<float>(array, count, random);
    return true;
  case ONNXC_DOUBLE:
    fill<double>(array, count, random);
    return true;
  case ONNXC_FLOAT16: // 0.5 and -0.5
    fill<uint16_t>(array, count,
                   [&] { return random() < 0 ? 0xb800 : 0x3800; });
    return true;
  case ONNXC_BFLOAT16:
    fill<uint16_t>(array, count,
                   [&] { return random() < 0 ? 0xbf00 : 0x3f00; });
    return true;
  default:
    break;
  }
  if (bytes == 0 || bytes > 8 || array.dtype == ONNXC_STRING ||
      array.dtype == ONNXC_COMPLEX64)
    return false;
  array.itemSize = bytes;
  // no overflow: there is a greatest number of elements
  array.data.assign(count * bytes, 0);
  for (size_t i = 0; i < array.data.size(); i += bytes)
    array.data[i] = 1;
  return true;
}

static Expected<StringMap<SmallVector<int64_t>>>
parseShapes(ArrayRef<std::string> shapes, const onnxc_model &model) {
  StringMap<SmallVector<int64_t>> given;
  for (StringRef text : shapes) {
    auto [name, sizes] = text.rsplit(':');
    if (!findInput(model, name))
      return createStringError("--shape=" + text +
                               ": the model has no input '" + name + "'");
    SmallVector<StringRef> parts;
    sizes.split(parts, 'x', -1, /*KeepEmpty=*/false);
    for (StringRef part : parts) {
      int64_t size;
      if (part.getAsInteger(10, size) || size < 0)
        return createStringError("--shape=" + text +
                                 ": expected name:1x3x224x224");
      given[name].push_back(size);
    }
  }
  return given;
}

Expected<std::vector<Sample>> onnxc::makeUpSamples(const onnxc_model &model,
                                                   ArrayRef<std::string> shapes,
                                                   size_t count) {
  Expected<StringMap<SmallVector<int64_t>>> given = parseShapes(shapes, model);
  if (!given)
    return given.takeError();
  std::vector<Sample> samples;
  uint64_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    Sample sample{"made-up inputs", {}};
    for (const onnxc_value_info &info :
         ArrayRef(model.inputs, model.num_inputs)) {
      Array array;
      array.dtype = info.dtype;
      auto wanted = given->find(info.name);
      if (wanted != given->end())
        array.shape.assign(wanted->second.begin(), wanted->second.end());
      else
        for (int32_t d = 0; d < info.rank; ++d)
          array.shape.push_back(info.dims[d] < 0 ? 1 : info.dims[d]);
      constexpr int64_t mostElements = int64_t(1) << 32;
      int64_t count = 1;
      for (int64_t size : array.shape)
        count = MulOverflow(count, size, count) || count > mostElements
                    ? mostElements + 1
                    : count;
      if (count > mostElements)
        return createStringError(Twine("the input '") + info.name +
                                 "' has too many elements to be made up");
      if (info.rank < 0 || !fillArray(array, static_cast<size_t>(count), state))
        return createStringError(Twine("the value of the input '") + info.name +
                                 "' (" + info.type + ") cannot be made up");
      sample.arrays.emplace_back(info.name, std::move(array));
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}
