//===- ModelRunner.h - What a model computes ------------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_MODELRUNNER_H
#define ONNXC_TOOLS_ONNXC_MODELRUNNER_H

#include "CompileTemporary.h"

#include "onnxc/Load/LoadedModel.h"
#include "onnxc/Npz/Npz.h"

#include <memory>

namespace onnxc {

/// A model, compiled for some runs in this process.
class ModelRunner {
public:
  /// Compiles the serialized model; `path` names it in errors.
  static llvm::Expected<ModelRunner>
  get(std::shared_ptr<const llvm::MemoryBuffer> bytes, const std::string &path,
      const TemporaryOptions &options);

  const onnxc_model &model() const { return loaded.model(); }
  llvm::Expected<ContextPtr> createContext(const onnxc_options &options) const {
    return loaded.createContext(options);
  }
  /// The outputs of one run, by name. Inputs that the model does not have are
  /// left out.
  llvm::Expected<NamedArrays> run(const NamedArrays &inputs,
                                  const onnxc_options &options) const;

private:
  ModelRunner(TemporaryModel file, LoadedModel loaded, std::string path)
      : file(std::move(file)), loaded(std::move(loaded)),
        path(std::move(path)) {}

  TemporaryModel file;
  LoadedModel loaded;
  std::string path;
};

/// The program that has ONNX Runtime, $ONNXC_PYTHON or the python3 of PATH;
/// else an error that says what is missing.
llvm::Expected<std::string> findOnnxRuntime();

/// What ONNX Runtime, without its optimizations, computes of the serialized
/// model.
llvm::Expected<NamedArrays> runOnnxRuntime(llvm::StringRef python,
                                           llvm::StringRef model,
                                           const NamedArrays &inputs);

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_MODELRUNNER_H
