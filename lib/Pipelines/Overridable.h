//===- Overridable.h - Initializers that cannot be overridden - -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_PIPELINES_OVERRIDABLE_H
#define ONNXC_LIB_PIPELINES_OVERRIDABLE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <string>
#include <vector>

namespace onnxc {

/// The names of the initializers of an imported model that a caller may
/// override.
std::vector<std::string> listOverridable(mlir::ModuleOp imported);

/// Which of them reach the nodes that errors name: through integers and
/// booleans alone, which may decide ranks and sizes; where none does, through
/// anything.
std::vector<std::string>
findOverridable(mlir::ModuleOp imported,
                llvm::ArrayRef<mlir::Diagnostic> diagnostics);

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINES_OVERRIDABLE_H
