//===- Freestanding.h - Models without an operating system ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model for --freestanding has no context, runtime and description: it is one
// function, whose arguments are the arena and the arrays (decision 023).
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_FREESTANDING_H
#define ONNXC_LIB_EMIT_FREESTANDING_H

#include "ModelInfo.h"
#include "Target.h"

#include "llvm/IR/Module.h"

namespace onnxc {

/// Of the caller's buffer, and of the weights: what the plan of memory and the
/// code stand on.
constexpr uint64_t arenaAlignment = 64;

/// Whether the module is made for a machine without an operating system.
bool isFreestanding(mlir::ModuleOp module);

/// Fails with the reason, and the option that helps, if the model needs what
/// such a machine does not have.
llvm::LogicalResult checkFreestanding(mlir::ModuleOp module,
                                      const ModelInfo &info);

/// How much memory a run takes beside the stack. Never 0, as C's arrays.
uint64_t getArenaBytes(const ModelInfo &info);

/// Defines <prefix>_run, and what `entry` calls of the runtime.
void defineFreestandingEntry(llvm::Module &code, const ModelInfo &info,
                             llvm::StringRef prefix, llvm::Function &entry);

/// Writes out llvm.maximum and llvm.minimum of types that the processor has no
/// registers for: LLVM would call functions that libm has since C23 alone.
void expandSoftMaxima(llvm::Module &code, const EmitTarget &target);

/// Defines the weights in a module, which may declare them: as a constant,
/// which is in memory until the file is written.
llvm::LogicalResult defineWeights(mlir::ModuleOp module, const ModelInfo &info,
                                  llvm::StringRef prefix, llvm::Module &data);

/// A module with the weights alone: LLVM knows the flags of the target's object
/// files.
llvm::FailureOr<std::unique_ptr<llvm::Module>>
buildWeightsModule(mlir::ModuleOp module, const ModelInfo &info,
                   const EmitTarget &target, llvm::StringRef prefix,
                   llvm::LLVMContext &context);

/// Fails if the object needs anything but the weights, memcpy and its like,
/// libm, and the compiler's support library.
llvm::LogicalResult checkUndefined(mlir::ModuleOp module, llvm::StringRef path,
                                   llvm::StringRef prefix);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_FREESTANDING_H
