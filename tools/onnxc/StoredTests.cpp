//===- StoredTests.cpp - Inputs and outputs that stand by a model ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoredTests.h"

#include "onnxc/runtime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <onnx/onnx-ml.pb.h>

#include <cstring>

using namespace llvm;
using namespace onnxc;

/// Appends the numbers as elements of type T, which fields of the message hold
/// as wider ones.
template <typename T, typename Field>
static void append(const Field &field, std::vector<char> &data) {
  for (auto wide : field) {
    auto value = static_cast<T>(wide);
    const char *bytes = reinterpret_cast<const char *>(&value);
    data.insert(data.end(), bytes, bytes + sizeof value);
  }
}

static void readFields(const onnx::TensorProto &tensor, Array &array) {
  std::vector<char> &data = array.data;
  switch (array.dtype) {
  case ONNXC_FLOAT:
  case ONNXC_COMPLEX64:
    return append<float>(tensor.float_data(), data);
  case ONNXC_DOUBLE:
  case ONNXC_COMPLEX128:
    return append<double>(tensor.double_data(), data);
  case ONNXC_INT64:
    return append<int64_t>(tensor.int64_data(), data);
  case ONNXC_UINT64:
    return append<uint64_t>(tensor.uint64_data(), data);
  case ONNXC_UINT32:
    return append<uint32_t>(tensor.uint64_data(), data);
  default:
    switch (array.itemSize) {
    case 1:
      return append<uint8_t>(tensor.int32_data(), data);
    case 2:
      return append<uint16_t>(tensor.int32_data(), data);
    default:
      return append<int32_t>(tensor.int32_data(), data);
    }
  }
}

/// Whether several elements share a byte of a file.
static bool isPacked(int32_t dtype) {
  return is_contained<int32_t>({ONNXC_INT4, ONNXC_UINT4, ONNXC_INT2,
                                ONNXC_UINT2, ONNXC_FLOAT4E2M1, ONNXC_FLOAT6E2M3,
                                ONNXC_FLOAT6E3M2},
                               dtype);
}

static Expected<Array> toArray(const onnx::TensorProto &tensor) {
  Array array;
  array.dtype = tensor.data_type();
  array.itemSize = onnxc_dtype_size(array.dtype);
  array.shape.assign(tensor.dims().begin(), tensor.dims().end());
  if (!array.itemSize || isPacked(array.dtype) ||
      tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return createStringError(
        "a tensor of " + Twine(onnxc_dtype_name(array.dtype)) +
        ", which is not read from test data; give it by --inputs");
  if (array.dtype == ONNXC_STRING) {
    array.strings.assign(tensor.string_data().begin(),
                         tensor.string_data().end());
    if (array.strings.size() == array.size())
      return array;
  } else {
    if (tensor.has_raw_data())
      array.data.assign(tensor.raw_data().begin(), tensor.raw_data().end());
    else
      readFields(tensor, array);
    if (array.data.size() == array.size() * array.itemSize)
      return array;
  }
  return createStringError("the elements are not as many as the shape says");
}

static Expected<std::pair<std::string, Array>> readTensor(StringRef path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError(path + ": " + file.getError().message());
  onnx::TensorProto tensor;
  StringRef bytes = (*file)->getBuffer();
  if (!tensor.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      !tensor.has_data_type())
    return createStringError(path + ": not a TensorProto; sequences and "
                                    "optional values are given by --inputs");
  Expected<Array> array = toArray(tensor);
  if (!array)
    return createStringError(path + ": " + toString(array.takeError()));
  return std::pair(tensor.name(), std::move(*array));
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
