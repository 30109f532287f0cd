//===- WebAssembly.h - Models for browsers and other engines -- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module holds the model, its weights and the runtime, with a memory of its
// own, and imports nothing. Beside it stand a loader for JavaScript and the
// loader's types.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_WEBASSEMBLY_H
#define ONNXC_LIB_EMIT_WEBASSEMBLY_H

#include "ModelInfo.h"
#include "Scratch.h"

namespace onnxc {

/// Whether code is made for WebAssembly.
bool isWebAssembly(mlir::ModuleOp module);

/// Whether threads can share the memory of the module.
bool hasThreads(mlir::ModuleOp module);

/// Fails with the reason if the model needs what there is not.
llvm::LogicalResult checkWebAssembly(mlir::ModuleOp module,
                                     const ModelInfo &info);

/// The functions of the runtime that a module exports, besides <prefix>_query,
/// and the C library's aligned_alloc and free.
inline constexpr llvm::StringLiteral moduleExports[] = {
    "onnxc_rt_create", "onnxc_rt_destroy", "onnxc_rt_run", "onnxc_rt_error",
    "onnxc_wasm_seed"};

/// And besides them where threads share its memory.
inline constexpr llvm::StringLiteral threadExports[] = {
    "onnxc_wasm_set_threads", "onnxc_wasm_work"};

/// Links objects, which have the runtime, to a module at `output`.
llvm::LogicalResult linkWebAssembly(mlir::ModuleOp module,
                                    llvm::ArrayRef<llvm::StringRef> objects,
                                    llvm::StringRef prefix,
                                    llvm::StringRef output);

/// Gives the linked module its name, and writes its loader beside it.
llvm::LogicalResult writeWebAssembly(mlir::ModuleOp module,
                                     const ModelInfo &info,
                                     llvm::StringRef prefix,
                                     ScratchFile &linked,
                                     llvm::StringRef output);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_WEBASSEMBLY_H
