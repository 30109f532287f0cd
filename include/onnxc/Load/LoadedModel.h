//===- LoadedModel.h - A compiled model in this process ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LOAD_LOADEDMODEL_H
#define ONNXC_LOAD_LOADEDMODEL_H

#include "onnxc/profile.h"
#include "onnxc/runtime.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace onnxc {

struct ContextDeleter {
  void operator()(onnxc_context *context) const { onnxc_destroy(context); }
};
using ContextPtr = std::unique_ptr<onnxc_context, ContextDeleter>;

/// A shared object that onnxc wrote, loaded. Contexts must end before it does.
class LoadedModel {
public:
  /// `prefix` may be empty: the file's only `<prefix>_query` symbol is found.
  static llvm::Expected<LoadedModel> open(llvm::StringRef path,
                                          llvm::StringRef prefix);
  LoadedModel(LoadedModel &&other);
  ~LoadedModel();

  const onnxc_model &model() const { return *description; }
  /// Null for a model that was compiled without --profile.
  const onnxc_profile *profile() const { return regions; }
  /// A context to run the model in, by one thread at a time. The message of
  /// `options` is not used.
  llvm::Expected<ContextPtr> createContext(onnxc_options options = {}) const;

private:
  LoadedModel() = default;

  std::string path;
  void *library = nullptr;
  const onnxc_model *description = nullptr;
  const onnxc_profile *regions = nullptr;
};

/// "float [N,3,224,224]", as the model declares it.
std::string describeValue(const onnxc_value_info &value);
/// "float [1,3,224,224]".
std::string describeTensor(int32_t dtype, llvm::ArrayRef<int64_t> dims);

} // namespace onnxc

#endif // ONNXC_LOAD_LOADEDMODEL_H
