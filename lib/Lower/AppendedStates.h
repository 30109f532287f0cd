//===- AppendedStates.h - States that rows are appended to ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_APPENDEDSTATES_H
#define ONNXC_LIB_LOWER_APPENDEDSTATES_H

#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc {

/// How all entry functions can make the next value of the state for which it is
/// output `name` (#onnxc.state says what a run does then): of several entries
/// the last one of this list, unless one of them is the first. A remark says
/// it, and why it is not better:
/// - Made: in any way, of an entry or of a branch.
/// - Appended: it is the value before and rows behind it.
/// - Rewritten: it is the first rows of the value before, as many as the run
///   says, and others behind them.
/// - Overwritten: it is the value before with other elements in places that the
///   run says.
StateUpdate classifyState(llvm::ArrayRef<mlir::func::FuncOp> entries,
                          llvm::StringRef name);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_APPENDEDSTATES_H
