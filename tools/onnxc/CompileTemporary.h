//===- CompileTemporary.h - A model compiled for one use ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_COMPILETEMPORARY_H
#define ONNXC_TOOLS_ONNXC_COMPILETEMPORARY_H

#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class MemoryBuffer;
} // namespace llvm

namespace onnxc {

class Arguments;
struct CompileRequest;

/// The processor for code that this process runs itself: the level that
/// ONNXC_CPU_LEVEL asks for, else this machine's.
std::string getRunningCpu();

/// How a verb that takes compiled models compiles one that is not.
struct TemporaryOptions {
  /// Those of the command line.
  explicit TemporaryOptions(const Arguments &arguments);
  TemporaryOptions() = default;

  unsigned level = 2;
  std::string cpu = getRunningCpu(), features;
  std::vector<std::string> shapes;
};

/// A file with a compiled model, which is deleted in the end if it was made
/// here.
class TemporaryModel {
public:
  /// Compiles a .onnx or .mlir file; any other is taken as it is. What the
  /// compiler has to say goes to the standard error.
  static llvm::Expected<TemporaryModel>
  get(const std::string &path, const TemporaryOptions &options, bool profile);
  /// The same of a serialized model, which `path` names in errors.
  static llvm::Expected<TemporaryModel>
  get(std::shared_ptr<const llvm::MemoryBuffer> bytes, const std::string &path,
      const TemporaryOptions &options);
  /// An empty file for a library of the model, to be compiled into.
  static llvm::Expected<TemporaryModel> create(const std::string &path);
  TemporaryModel(TemporaryModel &&other);
  ~TemporaryModel();

  const std::string &path() const { return file; }
  /// Seconds that compiling took; 0 if nothing was compiled.
  double compileSeconds() const { return seconds; }

private:
  explicit TemporaryModel(std::string file) : file(std::move(file)) {}
  static llvm::Expected<TemporaryModel>
  compileRequested(CompileRequest &request, const TemporaryOptions &options);

  std::string file;
  bool isOwned = false;
  double seconds = 0;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_COMPILETEMPORARY_H
