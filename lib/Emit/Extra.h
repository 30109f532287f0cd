//===- Extra.h - The part of the runtime that needs libraries - -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Regular expressions, Unicode and image files are the work of the system's
// libraries (lib/RuntimeExtra). Only models that call them are linked with
// them.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_EXTRA_H
#define ONNXC_LIB_EMIT_EXTRA_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/TargetParser/Triple.h"

namespace onnxc {

/// Whether a function of this name is one of lib/RuntimeExtra.
bool isExtraFunction(llvm::StringRef name);
/// Fails with an error where the target is another than this machine's kind,
/// for which there is no such part of the runtime.
llvm::LogicalResult checkExtraTarget(mlir::ModuleOp module,
                                     llvm::StringRef function,
                                     const llvm::Triple &triple);
/// The archive of lib/RuntimeExtra.
llvm::StringRef getExtraArchive();
/// The shared libraries that it stands on, libc's among them.
llvm::SmallVector<llvm::StringRef> getExtraLibraries();

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_EXTRA_H
