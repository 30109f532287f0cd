//===- ModelLibrary.h - A compiled model, loaded without LLVM --*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that run models and compile none, such as Python's
// onnxc.runtime: this header and what it is made of include no LLVM. Tools have
// the same in LLVM's words (LoadedModel.h).
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LOAD_MODELLIBRARY_H
#define ONNXC_LOAD_MODELLIBRARY_H

#include "onnxc/profile.h"
#include "onnxc/runtime.h"

#include <memory>
#include <string>

namespace onnxc {

struct ContextDeleter {
  void operator()(onnxc_context *context) const { onnxc_destroy(context); }
};
using ContextPtr = std::unique_ptr<onnxc_context, ContextDeleter>;

/// A shared object that onnxc wrote, loaded. Contexts must end before it does.
class ModelLibrary {
public:
  /// `prefix` may be empty: the file's only `<prefix>_query` symbol is found.
  /// Null if that fails, with the reason in `error`.
  static std::unique_ptr<ModelLibrary>
  open(const std::string &path, const std::string &prefix, std::string &error);
  ModelLibrary(const ModelLibrary &) = delete;
  ModelLibrary &operator=(const ModelLibrary &) = delete;
  ~ModelLibrary();

  const onnxc_model &model() const { return *description; }
  /// Null for a model that was compiled without --profile.
  const onnxc_profile *profile() const { return regions; }
  /// A context to run the model in, by one thread at a time. The message of
  /// `options` is not used. Null with the reason in `error`.
  ContextPtr createContext(onnxc_options options, std::string &error) const;

private:
  explicit ModelLibrary(std::string path) : path(std::move(path)) {}
  /// Finds the description of the model; false with the reason.
  bool describe(const std::string &query, std::string &error);

  std::string path;
  void *library = nullptr;
  const onnxc_model *description = nullptr;
  const onnxc_profile *regions = nullptr;
};

} // namespace onnxc

#endif // ONNXC_LOAD_MODELLIBRARY_H
