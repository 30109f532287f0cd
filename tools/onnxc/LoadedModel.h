//===- LoadedModel.h - A compiled model in this process ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_LOADEDMODEL_H
#define ONNXC_TOOLS_ONNXC_LOADEDMODEL_H

#include "onnxc/runtime.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace onnxc {

/// A shared object that onnxc wrote, loaded, with a context to run it.
class LoadedModel {
public:
  /// `prefix` may be empty: the file's only `<prefix>_query` symbol is found.
  static llvm::Expected<LoadedModel> open(llvm::StringRef path,
                                          llvm::StringRef prefix);
  LoadedModel(LoadedModel &&other);
  ~LoadedModel();

  const onnxc_model &model() const { return *description; }
  onnxc_context *context() { return state; }

private:
  LoadedModel() = default;

  void *library = nullptr;
  const onnxc_model *description = nullptr;
  onnxc_context *state = nullptr;
};

/// "float [N,3,224,224]", as the model declares it.
std::string describeValue(const onnxc_value_info &value);
/// "float [1,3,224,224]".
std::string describeTensor(int32_t dtype, llvm::ArrayRef<int64_t> dims);

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_LOADEDMODEL_H
