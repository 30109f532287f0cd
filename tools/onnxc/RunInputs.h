//===- RunInputs.h - What a model is run with ---------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_RUNINPUTS_H
#define ONNXC_TOOLS_ONNXC_RUNINPUTS_H

#include "onnxc/Npz/Npz.h"
#include "onnxc/runtime.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace onnxc {

/// The options of all verbs that run a model.
struct InputOptions {
  explicit InputOptions(llvm::cl::OptionCategory &category)
      : inputs("inputs", llvm::cl::cat(category),
               llvm::cl::value_desc("file.npz"),
               llvm::cl::desc("Arrays named as the model's inputs")),
        input("input", llvm::cl::cat(category),
              llvm::cl::value_desc("name=file.npy"),
              llvm::cl::desc("The array of one input; may be repeated. A model "
                             "with one input also takes a file alone")) {}

  /// Reads all files that the command line names.
  llvm::Expected<NamedArrays> read(const onnxc_model &model) const;

  llvm::cl::list<std::string> inputs, input;
};

/// The options of verbs that only want to know how long a run takes: what no
/// file gives is made up.
struct TimingInputOptions : InputOptions {
  explicit TimingInputOptions(llvm::cl::OptionCategory &category)
      : InputOptions(category),
        shapes("shape", llvm::cl::cat(category),
               llvm::cl::value_desc("name:sizes"),
               llvm::cl::desc("The shape of an input that no file gives, where "
                              "the model leaves it open: x:1x3x224x224. Sizes "
                              "that nobody says are 1")) {}

  /// The files' arrays. Inputs that they lack are tensors of numbers between -1
  /// and 1, of ones (integers), or of true.
  llvm::Expected<NamedArrays> readOrMake(const onnxc_model &model) const;

  llvm::cl::list<std::string> shapes;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_RUNINPUTS_H
