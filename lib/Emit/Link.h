//===- Link.h - Linking without a compiler -------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_LINK_H
#define ONNXC_LIB_EMIT_LINK_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/TargetParser/Triple.h"

namespace onnxc {

/// Runs lld; its messages become an error of the module.
llvm::LogicalResult runLinker(mlir::ModuleOp module,
                              llvm::ArrayRef<std::string> arguments);

/// Whether libm has the function.
bool isOfLibm(llvm::StringRef name);

/// Links objects and the runtime to a shared object at `output`. It depends on
/// libc and libm alone, and on nothing of this machine: neither has to be
/// installed for linking. Only what calls lib/RuntimeExtra depends on more, and
/// what is `sanitized` on the sanitizer's runtime, which the program brings.
llvm::LogicalResult linkSharedObject(mlir::ModuleOp module,
                                     llvm::ArrayRef<llvm::StringRef> objects,
                                     llvm::StringRef output,
                                     const llvm::Triple &triple,
                                     bool sanitized);

/// The same to a program at `output` that reads and writes numpy's files
/// (share/onnxc/run_model.c) and runs the model that `prefix`_query describes.
/// Of the system it needs the dynamic loader, too.
llvm::LogicalResult linkProgram(mlir::ModuleOp module,
                                llvm::ArrayRef<llvm::StringRef> objects,
                                llvm::StringRef output,
                                const llvm::Triple &triple,
                                llvm::StringRef prefix);

/// Links objects to one relocatable object, in which `prefix` is its name where
/// the format has such a name.
llvm::LogicalResult linkObject(mlir::ModuleOp module,
                               llvm::ArrayRef<llvm::StringRef> objects,
                               llvm::StringRef output,
                               const llvm::Triple &triple,
                               llvm::StringRef prefix);

/// Whether objects call lib/RuntimeExtra. Then a program that an archive or
/// object is linked into needs the libraries that it stands on.
llvm::FailureOr<bool> usesExtra(mlir::ModuleOp module,
                                llvm::ArrayRef<llvm::StringRef> objects,
                                const llvm::Triple &triple);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_LINK_H
