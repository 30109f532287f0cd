//===- MadeUpInputs.cpp - Values for inputs without a file ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Npz/MadeUpInputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace onnxc;

/// Whether the model has an input of this name that can have this shape.
static Error checkShape(const onnxc_model &model, StringRef name,
                        ArrayRef<int64_t> shape) {
  ArrayRef<onnxc_value_info> inputs(model.inputs,
                                    model.num_inputs + model.num_overridable);
  const auto *input = find_if(
      inputs, [&](const onnxc_value_info &info) { return name == info.name; });
  if (input == inputs.end())
    return createStringError("--shape=" + name +
                             ": the model has no such input; its inputs are " +
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
    return createStringError("--shape=" + name + ": input '" + name +
                             "' is compiled for the shape " + compiled +
                             ", which the requested one contradicts");
  return Error::success();
}

Expected<InputShapes> onnxc::parseInputShapes(ArrayRef<std::string> texts,
                                              const onnxc_model &model) {
  InputShapes shapes;
  for (StringRef text : texts) {
    auto [name, sizes] = text.rsplit(':');
    SmallVector<StringRef> parts;
    sizes.split(parts, 'x', -1, /*KeepEmpty=*/false);
    SmallVector<int64_t> shape;
    for (StringRef part : parts) {
      int64_t size;
      if (part.getAsInteger(10, size) || size < 0)
        return createStringError("--shape=" + text +
                                 ": expected name:1x3x224x224");
      shape.push_back(size);
    }
    if (Error error = checkShape(model, name, shape))
      return error;
    shapes[name] = shape;
  }
  return shapes;
}

/// Numbers between -1 and 1 that look random; `i` counts all elements of all
/// seeds.
static double makeUp(uint64_t i) {
  uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 31)) * 0xbf58476d1ce4e5b9u;
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
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

/// False for types whose values cannot be made up.
static bool fillArray(Array &array, size_t count, uint64_t first) {
  auto one = [](size_t) { return 1; };
  switch (array.dtype) {
  case ONNXC_FLOAT:
    fill<float>(array, count, [&](size_t i) {
      return static_cast<float>(makeUp(first + i));
    });
    return true;
  case ONNXC_DOUBLE:
    fill<double>(array, count, [&](size_t i) { return makeUp(first + i); });
    return true;
  case ONNXC_FLOAT16: // 0.5 and -0.5
    fill<uint16_t>(array, count, [&](size_t i) {
      return makeUp(first + i) < 0 ? 0xb800 : 0x3800;
    });
    return true;
  case ONNXC_BFLOAT16:
    fill<uint16_t>(array, count, [&](size_t i) {
      return makeUp(first + i) < 0 ? 0xbf00 : 0x3f00;
    });
    return true;
  case ONNXC_BOOL:
  case ONNXC_UINT8:
  case ONNXC_INT8:
    fill<uint8_t>(array, count, one);
    return true;
  case ONNXC_INT16:
  case ONNXC_UINT16:
    fill<uint16_t>(array, count, one);
    return true;
  case ONNXC_INT32:
  case ONNXC_UINT32:
    fill<uint32_t>(array, count, one);
    return true;
  case ONNXC_INT64:
  case ONNXC_UINT64:
    fill<uint64_t>(array, count, one);
    return true;
  default:
    return false;
  }
}

Expected<Array> onnxc::makeUpInput(const onnxc_value_info &input,
                                   const InputShapes &shapes, uint64_t seed) {
  constexpr uint64_t mostElements = uint64_t(1) << 32;
  Array array;
  array.dtype = input.dtype;
  if (auto wanted = shapes.find(input.name); wanted != shapes.end())
    array.shape.assign(wanted->second.begin(), wanted->second.end());
  else
    for (int32_t d = 0; d < input.rank; ++d)
      array.shape.push_back(input.dims[d] < 0 ? 1 : input.dims[d]);
  uint64_t count = 1;
  for (int64_t size : array.shape)
    count = SaturatingMultiply(count, static_cast<uint64_t>(size));
  if (count > mostElements)
    return createStringError(Twine("input '") + input.name +
                             "' has more than 2^32 elements: its value is not "
                             "made up, give it by a file");
  if (input.rank < 0 || !fillArray(array, count, seed * mostElements))
    return createStringError(Twine("input '") + input.name + "' is " +
                             input.type +
                             ": its value cannot be made up, give it by a "
                             "file");
  return array;
}
