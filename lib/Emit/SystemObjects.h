//===- SystemObjects.h - Objects for linkers of systems ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mach-O and COFF files are for the linker of the system that they are for:
// nothing is linked here.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_SYSTEMOBJECTS_H
#define ONNXC_LIB_EMIT_SYSTEMOBJECTS_H

#include "ModelInfo.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Object/Archive.h"
#include "llvm/TargetParser/Triple.h"

namespace onnxc {

/// Whether files for the triple are Mach-O or COFF.
bool isSystemObject(const llvm::Triple &triple);

/// The format of an archive for the triple, which its linker looks names up in.
llvm::object::Archive::Kind getArchiveKind(const llvm::Triple &triple);

/// ".obj" where Microsoft's tools are used, else ".o".
llvm::StringRef getObjectSuffix(const llvm::Triple &triple);

/// Refuses a model that the format cannot hold or that calls what the runtime
/// for the system does not have, before machine code is made.
llvm::LogicalResult checkSystemObject(mlir::ModuleOp module,
                                      const ModelInfo &info,
                                      const llvm::Triple &triple);

/// Fails if the objects call what no library of the system has that programs
/// are linked with: else a user's linker would be the first to say so.
llvm::LogicalResult checkSystemCalls(mlir::ModuleOp module,
                                     llvm::ArrayRef<llvm::StringRef> objects,
                                     const llvm::Triple &triple);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_SYSTEMOBJECTS_H
