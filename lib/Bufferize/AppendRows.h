//===- AppendRows.h - States that rows are appended to --------- -*- C++
//-*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_BUFFERIZE_APPENDROWS_H
#define ONNXC_LIB_BUFFERIZE_APPENDROWS_H

#include "AbiBuilder.h"
#include "ResultPlaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc {

/// A state whose next value is its value, or the first rows of it, and rows
/// behind that, along `axis`.
struct AppendedState {
  /// Of the signature's states.
  size_t number;
  int64_t axis;
  /// The next value may have other rows than `past` where that has some.
  bool isRewritten;
  /// The value before the run: the first rows of what the context has room for.
  mlir::Value past;
};

/// The first row that may differ from those of `state.past` in its next value;
/// null if it is the one behind them.
mlir::OpFoldResult findFirstWritten(mlir::OpBuilder &b,
                                    const AppendedState &state,
                                    const ResultPlace &place);

/// Has the new rows of a state written behind those that are there: room is
/// asked for at the insertion point. Where its next value is made of insertions
/// into an empty tensor, the past first, that of the past is dropped and the
/// others write to the room; any other is made as always, and what is new of it
/// is copied there. Returns the memory.
mlir::Value appendRows(AbiBuilder &abi, const ResultPlace &place,
                       const AppendedState &state, mlir::Value ctx);

} // namespace onnxc

#endif // ONNXC_LIB_BUFFERIZE_APPENDROWS_H
