//===- RunValues.cpp - Arrays of files as values of a model ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunValues.h"

#include "onnxc/Load/LoadedModel.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace llvm;
using namespace onnxc;

static Error badInput(const Twine &message) {
  return createStringError(message);
}

bool onnxc::standsFor(const Array &array, int32_t dtype) {
  if (array.dtype == dtype)
    return true;
  bool sameSize = array.itemSize == onnxc_dtype_size(dtype);
  switch (dtype) {
  case ONNXC_BFLOAT16:
    return sameSize &&
           (array.dtype == ONNXC_UNDEFINED || array.dtype == ONNXC_UINT16);
  case ONNXC_FLOAT8E4M3FN:
  case ONNXC_FLOAT8E4M3FNUZ:
  case ONNXC_FLOAT8E5M2:
  case ONNXC_FLOAT8E5M2FNUZ:
  case ONNXC_FLOAT8E8M0:
  case ONNXC_FLOAT4E2M1:
  case ONNXC_FLOAT6E2M3:
  case ONNXC_FLOAT6E3M2:
  case ONNXC_UINT4:
  case ONNXC_UINT2:
    return sameSize &&
           (array.dtype == ONNXC_UNDEFINED || array.dtype == ONNXC_UINT8);
  case ONNXC_INT4:
  case ONNXC_INT2:
    return sameSize &&
           (array.dtype == ONNXC_UNDEFINED || array.dtype == ONNXC_INT8);
  default:
    return false;
  }
}

/// The onnxc_dtype that `type`, "tensor(float)", names.
static int32_t getDtype(StringRef type) {
  type.consume_front("tensor(");
  type.consume_back(")");
  for (int32_t dtype = 1; onnxc_dtype_size(dtype); ++dtype)
    if (type == onnxc_dtype_name(dtype))
      return dtype;
  return ONNXC_UNDEFINED;
}

Expected<onnxc_tensor> InputBinder::bindTensor(StringRef type, StringRef name,
                                               const Twine &expected) {
  auto found = byName.find(name);
  if (found == byName.end())
    return badInput("input '" + name + "' is missing, of type " + type);
  used[name] = true;
  const Array &array = *found->second;
  int32_t dtype = getDtype(type);
  if (array.shape.size() > ONNXC_MAX_RANK)
    return badInput("input '" + name + "': rank " + Twine(array.shape.size()) +
                    " is more than the " + Twine(ONNXC_MAX_RANK) +
                    " that a model can take");
  if (!standsFor(array, dtype))
    return badInput("input '" + name + "': is " +
                    describeTensor(array.dtype, array.shape) +
                    ", the model takes " + expected);
  const void *data = array.data.data();
  uint64_t bytes = array.data.size();
  if (dtype == ONNXC_STRING) {
    auto &pointers = texts.emplace_back();
    for (auto [i, text] : enumerate(array.strings)) {
      if (StringRef(text).contains('\0'))
        return badInput("input '" + name + "': element " + Twine(i) +
                        " has a NUL character, which strings of a model cannot "
                        "have");
      pointers.push_back(text.c_str());
    }
    data = pointers.data();
    bytes = pointers.size() * sizeof(char *);
  }
  static const char nothing[64] = {}; // an empty array has no data
  return onnxc_tensor_of(bytes ? data : nothing, bytes, dtype,
                         static_cast<int>(array.shape.size()),
                         array.shape.data());
}

Expected<onnxc_tensor> InputBinder::bindParts(int dtype, int64_t count,
                                              std::vector<onnxc_tensor> list) {
  auto &kept = parts.emplace_back(std::move(list));
  return onnxc_tensor_of(kept.data(), kept.size() * sizeof(onnxc_tensor), dtype,
                         1, &count);
}

bool InputBinder::isGiven(StringRef name) const {
  return llvm::any_of(arrays, [&](const auto &entry) {
    StringRef other = entry.first;
    return other.consume_front(name) &&
           (other.empty() || other.front() == '[' || other.front() == '.');
  });
}

Expected<onnxc_tensor> InputBinder::bindValue(StringRef type,
                                              const Twine &twine) {
  std::string name = twine.str();
  std::vector<onnxc_tensor> list;
  auto add = [&](StringRef type, const Twine &name) -> Error {
    Expected<onnxc_tensor> part = bindValue(type, name);
    if (!part)
      return part.takeError();
    list.push_back(*part);
    return Error::success();
  };
  StringRef inner = type;
  if (inner.consume_front("seq(") && inner.consume_back(")")) {
    while (isGiven(name + "[" + std::to_string(list.size()) + "]"))
      if (Error error = add(inner, name + "[" + Twine(list.size()) + "]"))
        return error;
    return bindParts(ONNXC_SEQUENCE, list.size(), list);
  }
  if (inner.consume_front("optional(") && inner.consume_back(")")) {
    if (isGiven(name))
      if (Error error = add(inner, name))
        return error;
    return bindParts(ONNXC_OPTIONAL, list.size(), list);
  }
  if (inner.consume_front("map(") && inner.consume_back(")")) {
    auto [key, value] = inner.split(',');
    if (Error error = add(key, name + ".keys"))
      return error;
    if (Error error = add(value, name + ".values"))
      return error;
    return bindParts(ONNXC_MAP, 2, list);
  }
  return bindTensor(type, name, type);
}

/// A line for each input that a run may be given.
static std::string describeInputs(const onnxc_model &model) {
  std::string text;
  for (int32_t i = 0; i < model.num_inputs + model.num_overridable; ++i)
    text += "\n  " + std::string(model.inputs[i].name) + ": " +
            describeValue(model.inputs[i]);
  return text;
}

bool onnxc::isOf(StringRef array, const onnxc_value_info &info) {
  if (!array.consume_front(info.name))
    return false;
  return array.empty() || (!StringRef(info.type).starts_with("tensor(") &&
                           (array.front() == '[' || array.front() == '.'));
}

/// A line for each tensor that a run must be given, and is not.
static std::string describeMissing(const onnxc_model &model,
                                   const NamedArrays &arrays) {
  std::string text;
  for (int32_t i = 0; i < model.num_inputs; ++i) {
    const onnxc_value_info &info = model.inputs[i];
    if (StringRef(info.type).starts_with("tensor(") &&
        !onnxc_default(&model, i) && none_of(arrays, [&](const auto &entry) {
          return entry.first == info.name;
        }))
      text += "\n  " + std::string(info.name) + ": " + describeValue(info);
  }
  return text;
}

Error onnxc::checkNames(const onnxc_model &model, const NamedArrays &arrays) {
  ArrayRef<onnxc_value_info> inputs(model.inputs,
                                    model.num_inputs + model.num_overridable);
  std::string unknown;
  size_t count = 0;
  for (const auto &[name, array] : arrays)
    if (none_of(inputs, [&, &name = name](const onnxc_value_info &info) {
          return isOf(name, info);
        }))
      unknown += (count++ ? ", '" : "'") + name + "'";
  if (!count)
    return Error::success();
  std::string missing = describeMissing(model, arrays);
  return badInput("the model has no input" + Twine(count == 1 ? " " : "s ") +
                  unknown +
                  (missing.empty() ? ", expected:" + describeInputs(model)
                                   : "; inputs are missing:" + missing));
}

Expected<std::vector<onnxc_tensor>>
InputBinder::bind(const onnxc_model &model) {
  for (const auto &[name, array] : arrays)
    if (!byName.try_emplace(name, &array).second)
      return badInput("input '" + name + "' is given twice");
  if (Error error = checkNames(model, arrays))
    return error;
  if (std::string missing = describeMissing(model, arrays); !missing.empty())
    return badInput("inputs are missing:" + missing);
  std::vector<onnxc_tensor> values;
  for (int32_t i = 0; i < model.num_inputs + model.num_overridable; ++i) {
    const onnxc_value_info &info = model.inputs[i];
    StringRef type = info.type;
    if (onnxc_default(&model, i) && !byName.contains(info.name)) {
      values.push_back(onnxc_tensor());
      continue;
    }
    Expected<onnxc_tensor> value =
        type.starts_with("tensor(")
            ? bindTensor(type, info.name, describeValue(info))
            : bindValue(type, info.name);
    if (!value)
      return value.takeError();
    values.push_back(*value);
  }
  // A part that its value has not: s[5] of three.
  for (const auto &[name, array] : arrays)
    if (!used.contains(name))
      return badInput("the model has no input '" + name +
                      "', expected:" + describeInputs(model));
  return values;
}

static Array toArray(const onnxc_tensor &tensor) {
  Array array;
  array.dtype = tensor.dtype;
  array.itemSize = onnxc_dtype_size(tensor.dtype);
  array.shape.assign(tensor.dims, tensor.dims + tensor.rank);
  uint64_t bytes = onnxc_tensor_bytes(&tensor);
  if (tensor.dtype == ONNXC_STRING) {
    auto *texts = static_cast<const char *const *>(tensor.data);
    for (uint64_t i = 0; i < bytes / sizeof(char *); ++i)
      array.strings.push_back(texts[i]);
  } else if (bytes) {
    array.data.resize(bytes);
    std::memcpy(array.data.data(), tensor.data, bytes);
  }
  return array;
}

void onnxc::addArrays(const Twine &twine, const onnxc_tensor &value,
                      NamedArrays &arrays) {
  std::string name = twine.str();
  auto *parts = static_cast<const onnxc_tensor *>(value.data);
  switch (value.dtype) {
  case ONNXC_SEQUENCE:
    for (int64_t i = 0; i < value.dims[0]; ++i)
      addArrays(name + "[" + Twine(i) + "]", parts[i], arrays);
    return;
  case ONNXC_OPTIONAL:
    if (value.dims[0])
      addArrays(name, parts[0], arrays);
    return;
  case ONNXC_MAP:
    addArrays(name + ".keys", parts[0], arrays);
    addArrays(name + ".values", parts[1], arrays);
    return;
  default:
    arrays.emplace_back(name, toArray(value));
  }
}
