//===- LoadedModel.h - A compiled model in this process ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LOAD_LOADEDMODEL_H
#define ONNXC_LOAD_LOADEDMODEL_H

#include "onnxc/Load/ModelLibrary.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace onnxc {

/// A ModelLibrary whose errors are LLVM's. Contexts must end before it does.
class LoadedModel {
public:
  /// `prefix` may be empty: the file's only `<prefix>_query` symbol is found.
  static llvm::Expected<LoadedModel> open(llvm::StringRef path,
                                          llvm::StringRef prefix);

  const onnxc_model &model() const { return library->model(); }
  /// Null for a model that was compiled without --profile.
  const onnxc_profile *profile() const { return library->profile(); }
  /// A context to run the model in, by one thread at a time. The message of
  /// `options` is not used.
  llvm::Expected<ContextPtr> createContext(onnxc_options options = {}) const;

private:
  explicit LoadedModel(std::unique_ptr<ModelLibrary> library)
      : library(std::move(library)) {}

  std::unique_ptr<ModelLibrary> library;
};

/// "float [N,3,224,224]", as the model declares it.
std::string describeValue(const onnxc_value_info &value);
/// "float [1,3,224,224]".
std::string describeTensor(int32_t dtype, llvm::ArrayRef<int64_t> dims);

} // namespace onnxc

#endif // ONNXC_LOAD_LOADEDMODEL_H
