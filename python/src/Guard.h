//===- Guard.h - The compiler inside another program's process ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_GUARD_H
#define ONNXC_PYTHON_SRC_GUARD_H

#include "Driver.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LogicalResult.h"

namespace onnxc {
struct ImportOptions;
struct StageOptions;
} // namespace onnxc

namespace onnxc::python {

/// Puts into `reading` and `stages` what `limits` says. Throws Error where that
/// is not possible.
void setLimits(const Limits &limits, ImportOptions &reading,
               StageOptions &stages);

/// Does `work` in a context of its own, on a thread of its own. Returns the
/// warnings; throws Error with the diagnostics if it fails or crashes, which
/// `describe` says of what. One runs at a time.
std::string
runGuarded(llvm::function_ref<llvm::LogicalResult(mlir::MLIRContext &)> work,
           llvm::function_ref<std::string()> describe);

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_GUARD_H
