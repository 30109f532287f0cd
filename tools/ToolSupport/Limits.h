//===- Limits.h - What a model may ask for -------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of all tools that read a model: a short file can stand for a
// graph of any size.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_TOOLSUPPORT_LIMITS_H
#define ONNXC_TOOLS_TOOLSUPPORT_LIMITS_H

namespace onnxc {

struct ImportOptions;
struct StageOptions;
class Arguments;

/// Those of tools that only read it.
void setReadLimits(const Arguments &arguments, ImportOptions &reading);
/// Those of tools that infer shapes as well.
void setInferLimits(const Arguments &arguments, ImportOptions &reading,
                    StageOptions &stages);
/// Those of tools that do what a compile does.
void setCompileLimits(const Arguments &arguments, ImportOptions &reading,
                      StageOptions &stages);

} // namespace onnxc

#endif // ONNXC_TOOLS_TOOLSUPPORT_LIMITS_H
