//===- Child.h - Work in a process of its own ----------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_CHILD_H
#define ONNXC_PYTHON_SRC_CHILD_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LogicalResult.h"

#include <functional>
#include <string>

namespace onnxc::python {

/// Says what is done now, for the text of a crash: "m.onnx: the stage 'lower'".
using Announce = llvm::function_ref<void(const std::string &)>;

/// Does `work` in a context of its own, in a child of this process, which is
/// killed as soon as `isInterrupted`, asked ten times a second, says so.
/// Returns the warnings; throws Error with the diagnostics if the work fails or
/// crashes, and Interrupted. Any number may run at once. What the child has
/// then begun to write of `output` is deleted; `scratch` is the folder for its
/// other temporary files.
std::string runInChild(
    llvm::function_ref<llvm::LogicalResult(mlir::MLIRContext &, Announce)> work,
    const std::string &output, const std::string &scratch,
    const std::function<bool()> &isInterrupted);

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_CHILD_H
