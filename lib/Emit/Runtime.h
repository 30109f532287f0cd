//===- Runtime.h - The runtime that the compiler carries ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lib/Runtime in two forms: bitcode that joins the code of a model, for objects
// and archives, which show nothing of it; machine code for shared objects,
// where linking hides it, and where it need not be compiled once more.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_RUNTIME_H
#define ONNXC_LIB_EMIT_RUNTIME_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Triple.h"

namespace onnxc {

llvm::StringRef getRuntimeBitcode(const llvm::Triple &triple);

/// An archive of objects, one per source file; of systems that shared objects
/// are linked for.
llvm::StringRef getRuntimeArchive(const llvm::Triple &triple);

/// Fails with an error at the first call of a function that the runtime for the
/// module's target does not have. `system` is what the message calls that.
llvm::LogicalResult checkRuntimeCalls(mlir::ModuleOp module,
                                      llvm::StringRef system);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_RUNTIME_H
