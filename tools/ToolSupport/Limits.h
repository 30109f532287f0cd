//===- Limits.h - What a model may ask for -------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_TOOLSUPPORT_LIMITS_H
#define ONNXC_TOOLS_TOOLSUPPORT_LIMITS_H

#include <cstdint>
#include <string>

namespace onnxc {

struct ImportOptions;
struct StageOptions;
class Arguments;

/// The options of all tools that read a model: a short file can stand for a
/// graph of any size.
struct ReadLimits {
  ReadLimits();
  explicit ReadLimits(const Arguments &arguments);

  /// What is wrong with them; empty if nothing is.
  std::string check() const;
  void set(ImportOptions &options) const;

  int64_t maxNodes, maxDepth;
};

/// Those of tools that infer shapes as well.
struct InferLimits : ReadLimits {
  explicit InferLimits(const Arguments &arguments);

  std::string check() const;
  void set(ImportOptions &options, StageOptions &stages) const;

  int64_t maxTensorBytes;
};

/// Those of tools that do what a compile does.
struct CompileLimits : InferLimits {
  explicit CompileLimits(const Arguments &arguments);

  std::string check() const;
  void set(ImportOptions &options, StageOptions &stages) const;

  int64_t foldBudget;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_TOOLSUPPORT_LIMITS_H
