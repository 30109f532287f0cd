//===- RunOptions.cpp - How a model is run, as the command line says ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"

#include "RunValues.h"
#include "onnxc/Npz/MadeUpInputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>

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

Expected<NamedArrays>
TimingOptions::readOrMake(const onnxc_model &model) const {
  Expected<NamedArrays> arrays = read(model);
  if (!arrays)
    return arrays;
  if (Error error = checkNames(model, *arrays))
    return error;
  Expected<InputShapes> given = parseInputShapes(shapes, model);
  if (!given)
    return given.takeError();
  for (int32_t i = 0; i < model.num_inputs + model.num_overridable; ++i) {
    const onnxc_value_info &info = model.inputs[i];
    // One with a default value is overridden on request only.
    if (onnxc_default(&model, i) && !given->contains(info.name))
      continue;
    if (any_of(*arrays, [&](auto &entry) { return isOf(entry.first, info); }))
      continue;
    Expected<Array> array = makeUpInput(info, *given);
    if (!array)
      return array.takeError();
    arrays->emplace_back(info.name, std::move(*array));
  }
  return arrays;
}
