//===- PreparedRun.h - A context with its inputs bound -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_PREPAREDRUN_H
#define ONNXC_TOOLS_ONNXC_PREPAREDRUN_H

#include "RunValues.h"

#include "onnxc/Load/LoadedModel.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace onnxc {

/// A model that runs, as often as is asked for, on one set of inputs.
class PreparedRun {
public:
  /// How a verb gets the inputs of a model.
  using GetArrays =
      llvm::function_ref<llvm::Expected<NamedArrays>(const onnxc_model &model)>;

  /// `path` names the model in errors; `context` belongs to `loaded`, which
  /// must outlive the result.
  static llvm::Expected<std::unique_ptr<PreparedRun>>
  get(llvm::StringRef path, const LoadedModel &loaded, ContextPtr context,
      GetArrays getArrays);

  llvm::Error run();

  onnxc_context *context() const { return owned.get(); }
  llvm::ArrayRef<onnxc_tensor> inputs() const { return bound; }
  /// Of the last run; they are the context's, and change with the next.
  llvm::ArrayRef<onnxc_tensor> outputs() const { return results; }

private:
  PreparedRun(llvm::StringRef path, ContextPtr context, NamedArrays arrays)
      : path(path), owned(std::move(context)), arrays(std::move(arrays)),
        binder(this->arrays) {}

  std::string path;
  ContextPtr owned;
  NamedArrays arrays;
  InputBinder binder;
  std::vector<onnxc_tensor> bound, results;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_PREPAREDRUN_H
