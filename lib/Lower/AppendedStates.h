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

/// What becomes of the rows of a state, in the dimension in which it grows.
enum class StateRows {
  /// Nothing is known of the next value.
  Made,
  /// It is the value before.
  Kept,
  /// The next value is the value before and rows behind it.
  Appended,
  /// It is the first rows of the value before, as many as the run says, and
  /// others behind them.
  Rewritten,
  /// It is the value before with other elements in places that the run says.
  Overwritten
};

/// What becomes in all entry functions of the rows of the state whose next
/// value is output `name`: never Kept. A remark says it, and why it is not
/// better.
StateRows classifyState(llvm::ArrayRef<mlir::func::FuncOp> entries,
                        llvm::StringRef name);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_APPENDEDSTATES_H
