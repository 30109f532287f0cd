//===- Driver.h - What the Python module can do --------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiling and running in this process, without a word of Python: Module.cpp
// turns it into a module.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_DRIVER_H
#define ONNXC_PYTHON_SRC_DRIVER_H

#include "onnxc/runtime.h"

#include <memory>
#include <stdexcept>
#include <string>

namespace onnxc::python {

/// What onnxc.Error says.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The options of a compile, as the command line spells them.
struct CompileOptions {
  int optLevel = 1;
  std::string cpu, features, triple, prefix;
  bool fastMath = false;
};

/// Compiles the file `input` to `output`, whose suffix says what it is. Returns
/// the warnings. Throws Error with the diagnostics, also where the compiler
/// crashes. One compile runs at a time.
std::string compileFile(const std::string &input, const std::string &output,
                        const CompileOptions &options);

/// A compiled model that any number of threads may run at once.
class Session {
public:
  /// `prefix` may be empty if the file has one model. `threads` is how many
  /// work on a run; 0 for one per core.
  Session(const std::string &path, const std::string &prefix, unsigned threads);
  ~Session();

  const onnxc_model &model() const;

  /// The results of one run. They live in its context, which nobody else uses
  /// as long as this does.
  class Results {
  public:
    virtual ~Results() = default;
    /// As many as the model has outputs.
    virtual const onnxc_tensor *outputs() const = 0;
  };
  std::unique_ptr<Results> run(const onnxc_tensor *inputs, int32_t numInputs);

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_DRIVER_H
