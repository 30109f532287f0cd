//===- RefineTypes.h - Types that follow from constants -* ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_REFINETYPES_H
#define ONNXC_LIB_OPTIMIZE_REFINETYPES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

namespace onnxc::optimize {

/// Gives results the types that now follow from their operands, where these
/// tell more; arguments, and what calls see, keep theirs. The number of results
/// whose type changed.
int64_t refineTypes(mlir::ModuleOp module);

/// Whether the ops that use the value obey their shape rules. What becomes
/// known of it may contradict them in a branch that no run takes.
bool doUsersObey(mlir::Value value);

/// Replaces these uses, unless their ops would then violate their shape rules.
llvm::LogicalResult tryReplaceUses(llvm::ArrayRef<mlir::OpOperand *> uses,
                                   mlir::Value by);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_REFINETYPES_H
