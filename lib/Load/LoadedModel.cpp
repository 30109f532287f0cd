//===- LoadedModel.cpp - A compiled model in this process -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Load/LoadedModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace onnxc;

Expected<LoadedModel> LoadedModel::open(StringRef path, StringRef prefix) {
  std::string error;
  std::unique_ptr<ModelLibrary> library =
      ModelLibrary::open(path.str(), prefix.str(), error);
  if (!library)
    return createStringError(error);
  return LoadedModel(std::move(library));
}

Expected<ContextPtr> LoadedModel::createContext(onnxc_options options) const {
  std::string error;
  ContextPtr context = library->createContext(options, error);
  if (!context)
    return createStringError(error);
  return context;
}

std::string onnxc::describeValue(const onnxc_value_info &value) {
  std::string text = onnxc_dtype_name(value.dtype);
  if (value.rank < 0)
    return text + " of any rank";
  text += " [";
  for (int32_t i = 0; i < value.rank; ++i) {
    text += i ? "," : "";
    if (value.dims[i] >= 0)
      text += std::to_string(value.dims[i]);
    else if (value.symbols && *value.symbols[i])
      text += value.symbols[i];
    else
      text += "?";
  }
  return text + "]";
}

std::string onnxc::describeTensor(int32_t dtype, ArrayRef<int64_t> dims) {
  return std::string(onnxc_dtype_name(dtype)) + " [" +
         join(map_range(dims, [](int64_t dim) { return std::to_string(dim); }),
              ",") +
         "]";
}
