//===- RunOptions.cpp - How a model is run, as the command line says ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"

#include "RunValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace onnxc;

static Error badInput(const Twine &message) {
  return createStringError(message);
}

onnxc_options RunOptions::contextOptions() const {
  onnxc_options options = {};
  options.threads =
      static_cast<int32_t>(std::min<unsigned>(threads, INT32_MAX));
  return options;
}

Error RunOptions::checkFiles(StringRef more) const {
  SmallVector<StringRef> paths(inputs.begin(), inputs.end());
  for (StringRef text : input) {
    // A name without a file is refused where the inputs are known.
    auto [name, path] = text.split('=');
    if (!path.empty() || name == text)
      paths.push_back(path.empty() ? text : path);
  }
  if (!more.empty())
    paths.push_back(more);
  for (StringRef path : paths)
    if (std::error_code error =
            sys::fs::access(path, sys::fs::AccessMode::Exist))
      return createStringError(path + ": " + error.message());
  return Error::success();
}

Expected<NamedArrays> RunOptions::read(const onnxc_model &model) const {
  NamedArrays arrays;
  for (const std::string &path : inputs) {
    Expected<NamedArrays> more = readNpzFile(path);
    if (!more)
      return more.takeError();
    for (auto &entry : *more)
      arrays.push_back(std::move(entry));
  }
  for (StringRef text : input) {
    auto [name, path] = text.split('=');
    if (path.empty()) {
      if (model.num_inputs != 1)
        return badInput("--input=" + text + ": expected name=file.npy");
      path = text;
      name = model.inputs[0].name;
    }
    Expected<Array> array = readNpyFile(path);
    if (!array)
      return array.takeError();
    arrays.emplace_back(name.str(), std::move(*array));
  }
  return arrays;
}

/// Writes `count` elements of type T.
template <typename T, typename Make>
static void fill(Array &array, size_t count, Make make) {
  array.itemSize = sizeof(T);
  array.data.resize(count * sizeof(T));
  for (size_t i = 0; i < count; ++i) {
    T value = make(i);
    std::memcpy(array.data.data() + i * sizeof(T), &value, sizeof(T));
  }
}

/// Numbers between -1 and 1 that look random and are the same each time.
static double madeUp(size_t i) {
  uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 31)) * 0xbf58476d1ce4e5b9u;
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

static bool fillArray(Array &array, size_t count) {
  switch (array.dtype) {
  case ONNXC_FLOAT:
    fill<float>(array, count,
                [](size_t i) { return static_cast<float>(madeUp(i)); });
    return true;
  case ONNXC_DOUBLE:
    fill<double>(array, count, madeUp);
    return true;
  case ONNXC_FLOAT16: // 0.5 and -0.5
    fill<uint16_t>(array, count,
                   [](size_t i) { return madeUp(i) < 0 ? 0xb800 : 0x3800; });
    return true;
  case ONNXC_BFLOAT16:
    fill<uint16_t>(array, count,
                   [](size_t i) { return madeUp(i) < 0 ? 0xbf00 : 0x3f00; });
    return true;
  case ONNXC_BOOL:
  case ONNXC_UINT8:
  case ONNXC_INT8:
    fill<uint8_t>(array, count, [](size_t) { return 1; });
    return true;
  case ONNXC_INT16:
  case ONNXC_UINT16:
    fill<uint16_t>(array, count, [](size_t) { return 1; });
    return true;
  case ONNXC_INT32:
  case ONNXC_UINT32:
    fill<uint32_t>(array, count, [](size_t) { return 1; });
    return true;
  case ONNXC_INT64:
  case ONNXC_UINT64:
    fill<uint64_t>(array, count, [](size_t) { return 1; });
    return true;
  default:
    return false;
  }
}

/// Whether the model has an input of this name that can have this shape.
static Error checkShape(const onnxc_model &model, StringRef name,
                        ArrayRef<int64_t> shape) {
  ArrayRef<onnxc_value_info> inputs(model.inputs,
                                    model.num_inputs + model.num_overridable);
  const auto *input = find_if(
      inputs, [&](const onnxc_value_info &info) { return name == info.name; });
  if (input == inputs.end())
    return badInput("--shape=" + name +
                    ": the model has no such input; its "
                    "inputs are " +
                    join(map_range(inputs,
                                   [](const onnxc_value_info &info) {
                                     return std::string(info.name);
                                   }),
                         ", "));
  if (input->rank < 0)
    return Error::success();
  bool fits = static_cast<size_t>(input->rank) == shape.size();
  std::string compiled;
  for (int32_t d = 0; d < input->rank; ++d) {
    int64_t size = input->dims[d];
    compiled += (d ? "x" : "") + (size < 0 ? "?" : std::to_string(size));
    fits = fits && (size < 0 || size == shape[d]);
  }
  if (!fits)
    return badInput("--shape=" + name + ": input '" + name +
                    "' is compiled for the shape " + compiled +
                    ", which the requested one contradicts");
  return Error::success();
}

Expected<NamedArrays>
TimingOptions::readOrMake(const onnxc_model &model) const {
  Expected<NamedArrays> arrays = read(model);
  if (!arrays)
    return arrays;
  if (Error error = checkNames(model, *arrays))
    return error;
  StringMap<SmallVector<int64_t>> given;
  for (StringRef text : shapes) {
    auto [name, sizes] = text.rsplit(':');
    SmallVector<StringRef> parts;
    sizes.split(parts, 'x', -1, /*KeepEmpty=*/false);
    for (StringRef part : parts) {
      int64_t size;
      if (part.getAsInteger(10, size) || size < 0)
        return badInput("--shape=" + text + ": expected name:1x3x224x224");
      given[name].push_back(size);
    }
    if (Error error = checkShape(model, name, given[name]))
      return error;
  }
  for (int32_t i = 0; i < model.num_inputs + model.num_overridable; ++i) {
    const onnxc_value_info &info = model.inputs[i];
    // One with a default value is overridden on request only.
    if (onnxc_default(&model, i) && !given.contains(info.name))
      continue;
    if (any_of(*arrays, [&](auto &entry) { return isOf(entry.first, info); }))
      continue;
    Array array;
    array.dtype = info.dtype;
    auto wanted = given.find(info.name);
    if (wanted != given.end())
      array.shape.assign(wanted->second.begin(), wanted->second.end());
    else
      for (int32_t d = 0; d < info.rank; ++d)
        array.shape.push_back(info.dims[d] < 0 ? 1 : info.dims[d]);
    size_t count = 1;
    for (int64_t size : array.shape)
      count *= static_cast<size_t>(size);
    if (info.rank < 0 || !fillArray(array, count))
      return badInput(Twine("input '") + info.name + "' is " + info.type +
                      ": its value cannot be made up, give it by --inputs");
    arrays->emplace_back(info.name, std::move(array));
  }
  return arrays;
}
