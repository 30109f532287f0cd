//===- AppendedStates.h - States that rows are appended to ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_APPENDEDSTATES_H
#define ONNXC_LIB_LOWER_APPENDEDSTATES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc {

/// Whether in all entry functions the next value of the state, which is output
/// `name`, is the value before and rows behind it, in the dimension in which it
/// grows. A remark says so, or why it is not.
bool isAppended(llvm::ArrayRef<mlir::func::FuncOp> entries,
                llvm::StringRef name);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_APPENDEDSTATES_H
