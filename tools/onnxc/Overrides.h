//===- Overrides.h - What the user knows better than the model ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_OVERRIDES_H
#define ONNXC_TOOLS_ONNXC_OVERRIDES_H

#include "llvm/Support/CommandLine.h"

#include <string>

namespace onnxc {

struct ImportOptions;
struct StageOptions;

/// The options of verbs that read a model: sizes that it leaves open.
struct Overrides {
  explicit Overrides(llvm::cl::OptionCategory &category);

  void set(StageOptions &options) const;

  llvm::cl::list<std::string> shapes;
  llvm::cl::alias inputShapes;
  llvm::cl::list<std::string> dims;
};

/// The option of verbs that compile a model: which of the initializers that a
/// caller may override are constants all the same.
struct FreezeOption {
  explicit FreezeOption(llvm::cl::OptionCategory &category);

  /// Sets whether all are, or the names of those that are.
  void set(bool &all, ImportOptions &names) const;

  llvm::cl::list<std::string> names;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_OVERRIDES_H
