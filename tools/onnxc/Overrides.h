//===- Overrides.h - What the user knows better than the model ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_OVERRIDES_H
#define ONNXC_TOOLS_ONNXC_OVERRIDES_H

#include <string>
#include <vector>

namespace onnxc {

struct ImportOptions;
struct StageOptions;
class Arguments;

/// The options of verbs that read a model: sizes that it leaves open.
struct Overrides {
  explicit Overrides(const Arguments &arguments);

  void set(StageOptions &options) const;

  std::vector<std::string> shapes, dims;
};

/// The option of verbs that compile a model: which of the initializers that a
/// caller may override are constants all the same.
struct FreezeOption {
  explicit FreezeOption(const Arguments &arguments);

  /// Sets whether all are, or the names of those that are.
  void set(bool &all, ImportOptions &names) const;

  std::vector<std::string> names;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_OVERRIDES_H
