//===- RunOptions.h - The options of a run -------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_RUNOPTIONS_H
#define ONNXC_TOOLS_ONNXC_RUNOPTIONS_H

#include "Arguments.h"

#include "onnxc/Npz/Npz.h"
#include "onnxc/runtime.h"

#include "llvm/Support/Error.h"

namespace onnxc {

/// The options of all verbs that run a model. Descriptions are not copied, so
/// a verb whose default is not 0 threads says so in its own help.
struct RunOptions {
  explicit RunOptions(const Arguments &arguments, unsigned defaultThreads = 0)
      : threads(arguments.getNumber<unsigned>(OPT_threads, defaultThreads)),
        prefix(arguments.getString(OPT_prefix)),
        inputs(arguments.getAll(OPT_inputs)),
        input(arguments.getAll(OPT_input)) {}

  /// Reads all files that the command line names.
  llvm::Expected<NamedArrays> read(const onnxc_model &model) const;

  /// Whether these files, and `more` if it is not empty, are there: before the
  /// model is compiled for the run.
  llvm::Error checkFiles(llvm::StringRef more = "") const;

  /// What a context is asked for.
  onnxc_options contextOptions() const;

  unsigned threads;
  std::string prefix;
  std::vector<std::string> inputs, input;
};

/// The options of verbs that only want to know how long a run takes: what no
/// file gives is made up.
struct TimingOptions : RunOptions {
  /// Without `takesShapes`, --shape says what is compiled.
  explicit TimingOptions(const Arguments &arguments,
                         unsigned defaultThreads = 0, bool takesShapes = true)
      : RunOptions(arguments, defaultThreads),
        shapes(takesShapes ? arguments.getAll(OPT_shape)
                           : std::vector<std::string>()) {}

  /// The files' arrays. Inputs that they lack are tensors of numbers between -1
  /// and 1, of ones (integers), or of true.
  llvm::Expected<NamedArrays> readOrMake(const onnxc_model &model) const;

  std::vector<std::string> shapes;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_RUNOPTIONS_H
