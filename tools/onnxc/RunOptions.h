//===- RunOptions.h - The options of a run -------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_RUNOPTIONS_H
#define ONNXC_TOOLS_ONNXC_RUNOPTIONS_H

#include "onnxc/Npz/Npz.h"
#include "onnxc/runtime.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace onnxc {

/// The options of all verbs that run a model. Descriptions are not copied, so
/// a verb whose default is not 0 threads says so in its own help.
struct RunOptions {
  explicit RunOptions(llvm::cl::OptionCategory &category,
                      unsigned defaultThreads = 0)
      : threads("threads", llvm::cl::cat(category),
                llvm::cl::init(defaultThreads), llvm::cl::value_desc("count"),
                llvm::cl::desc("How many threads work on a run; 0 for one per "
                               "core that the process may use")),
        prefix("prefix", llvm::cl::cat(category), llvm::cl::value_desc("name"),
               llvm::cl::desc("Which model, if the file has several")),
        inputs("inputs", llvm::cl::cat(category),
               llvm::cl::value_desc("file.npz"),
               llvm::cl::desc("Arrays named as the model's inputs")),
        input("input", llvm::cl::cat(category),
              llvm::cl::value_desc("name=file.npy"),
              llvm::cl::desc("The array of one input; may be repeated. A model "
                             "with one input also takes a file alone")) {}

  /// Reads all files that the command line names.
  llvm::Expected<NamedArrays> read(const onnxc_model &model) const;

  /// What a context is asked for.
  onnxc_options contextOptions() const;

  llvm::cl::opt<unsigned> threads;
  llvm::cl::opt<std::string> prefix;
  llvm::cl::list<std::string> inputs, input;
};

/// The options of verbs that only want to know how long a run takes: what no
/// file gives is made up.
struct TimingOptions : RunOptions {
  explicit TimingOptions(llvm::cl::OptionCategory &category,
                         unsigned defaultThreads = 0)
      : RunOptions(category, defaultThreads),
        shapes("shape", llvm::cl::cat(category),
               llvm::cl::value_desc("name:sizes"),
               llvm::cl::desc("The shape of an input that no file gives, where "
                              "the model leaves it open: x:1x3x224x224. Sizes "
                              "that are not given are 1")) {}

  /// The files' arrays. Inputs that they lack are tensors of numbers between -1
  /// and 1, of ones (integers), or of true.
  llvm::Expected<NamedArrays> readOrMake(const onnxc_model &model) const;

  llvm::cl::list<std::string> shapes;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_RUNOPTIONS_H
