//===- RuntimeCalls.h - Calls from generated code ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the runtime that generated code may call, each with its
// LLVM signature stated once.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_BUFFERIZE_RUNTIMECALLS_H
#define ONNXC_LIB_BUFFERIZE_RUNTIMECALLS_H

#include "onnxc/Dialect/Program/ProgramAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace onnxc {

enum class RuntimeFn {
  Output,
  OutputValue,
  KeepTexts,
  StateAppend,
  StateCapacity,
  StateOverwrite,
  Workspace,
  Alloc,
  Free,
  Fail,
  FailComparison,
  Status,
  ParallelFor,
  ProfileStart,
  ProfileBegin,
  ProfileEnd
};

/// The name of the symbol.
llvm::StringRef getSymbolName(mlir::MLIRContext *context, RuntimeFn fn);

/// Emits a call to `fn`, declaring it in the module on first use. The result
/// is null for functions that return nothing.
mlir::Value callRuntime(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ModuleOp module, RuntimeFn fn,
                        mlir::ValueRange args);

/// The text of a check whose reason the runtime knows, and not whose node it
/// is: Emit, which can ask locations for that, puts the node's name in its
/// place (lib/Emit/NameChecks.cpp).
constexpr llvm::StringLiteral kNodeMarker = "<node>";

/// Emits the check that the runtime answered with a pointer.
void assertNotNull(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer,
                   llvm::StringRef message = "");

/// Emits the check that the runtime answered with the status 0.
void assertOk(mlir::OpBuilder &b, mlir::Location loc, mlir::Value status);

/// Builds the memref of `type` that starts at `pointer` (its layout is the
/// identity, or known in full).
/// `sizes` holds one index value for each dynamic dimension.
mlir::Value memrefFromPointer(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::MemRefType type, mlir::Value pointer,
                              mlir::ValueRange sizes = {});

/// The module's entry functions: none, which the stage's passes leave alone;
/// one; or two, of which the second has program::overridden. An error if they
/// are others.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp, 2>>
findEntries(mlir::ModuleOp module);

} // namespace onnxc

#endif // ONNXC_LIB_BUFFERIZE_RUNTIMECALLS_H
