//===- StoredTests.cpp - Inputs and outputs that stand by a model ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoredTests.h"

#include "onnxc/Import/StoredTensor.h"
#include "onnxc/runtime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace onnxc;

/// Whether several elements share a byte of a file.
static bool isPacked(int32_t dtype) {
  return is_contained<int32_t>({ONNXC_INT4, ONNXC_UINT4, ONNXC_INT2,
                                ONNXC_UINT2, ONNXC_FLOAT4E2M1, ONNXC_FLOAT6E2M3,
                                ONNXC_FLOAT6E3M2},
                               dtype);
}

static Expected<std::pair<std::string, Array>> readTensor(StringRef path) {
  Expected<StoredTensor> tensor = readStoredTensor(path);
  if (!tensor)
    return tensor.takeError();
  // The numbers of element types are ONNX's.
  Array array;
  array.dtype = tensor->dataType;
  array.itemSize = onnxc_dtype_size(array.dtype);
  if (!array.itemSize || isPacked(array.dtype))
    return createStringError(
        path + ": a tensor of " + onnxc_dtype_name(array.dtype) +
        ", which is not read from test data; give it by --inputs");
  array.shape.assign(tensor->shape.begin(), tensor->shape.end());
  array.data = std::move(tensor->bytes);
  array.strings = std::move(tensor->strings);
  return std::pair(std::move(tensor->name), std::move(array));
}

static std::string pathIn(StringRef folder, const Twine &name) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return path.str().str();
}

std::vector<std::string> onnxc::findTestSets(StringRef folder) {
  if (sys::fs::exists(pathIn(folder, "input_0.pb")) ||
      sys::fs::exists(pathIn(folder, "output_0.pb")))
    return {folder.str()};
  std::vector<std::string> sets;
  while (sys::fs::is_directory(
      pathIn(folder, "test_data_set_" + Twine(sets.size()))))
    sets.push_back(pathIn(folder, "test_data_set_" + Twine(sets.size())));
  return sets;
}

static Expected<NamedArrays> readAll(StringRef folder, StringRef kind,
                                     ArrayRef<std::string> names) {
  NamedArrays arrays;
  for (size_t i = 0;; ++i) {
    std::string path = pathIn(folder, kind + "_" + Twine(i) + ".pb");
    if (!sys::fs::exists(path))
      return arrays;
    auto tensor = readTensor(path);
    if (!tensor)
      return tensor.takeError();
    auto &[name, array] = *tensor;
    if (!is_contained(names, name)) {
      if (i >= names.size())
        return createStringError(path + ": the model has " +
                                 Twine(names.size()) + " " + kind + "s only");
      name = names[i];
    }
    arrays.emplace_back(std::move(name), std::move(array));
  }
}

Expected<TestSet> onnxc::readTestSet(StringRef folder,
                                     ArrayRef<std::string> inputs,
                                     ArrayRef<std::string> outputs) {
  TestSet set;
  set.name = sys::path::filename(folder).str();
  Expected<NamedArrays> given = readAll(folder, "input", inputs);
  if (!given)
    return given.takeError();
  set.inputs = std::move(*given);
  Expected<NamedArrays> expected = readAll(folder, "output", outputs);
  if (!expected)
    return expected.takeError();
  set.outputs = std::move(*expected);
  return set;
}
