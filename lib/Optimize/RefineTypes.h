//===- RefineTypes.h - Types that follow from constants -*- C++ -*-
//----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_REFINETYPES_H
#define ONNXC_LIB_OPTIMIZE_REFINETYPES_H

#include "mlir/IR/BuiltinOps.h"

namespace onnxc::optimize {

/// Gives results the types that now follow from their operands, where these
/// tell more; arguments, and what calls see, keep theirs. The number of results
/// whose type changed.
int64_t refineTypes(mlir::ModuleOp module);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_REFINETYPES_H
