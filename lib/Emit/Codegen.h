//===- Codegen.h - LLVM IR of a model, and machine code ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_CODEGEN_H
#define ONNXC_LIB_EMIT_CODEGEN_H

#include "ModelInfo.h"
#include "Target.h"

#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Support/raw_ostream.h"

namespace onnxc {

/// The code of a model for one level of processors.
struct LevelCode {
  mlir::ModuleOp module;
  ModelInfo info;
  EmitTarget target;
  /// As --mcpu has it; empty if the model has no other level.
  std::string name;
  /// Among the levels, from the lowest on.
  size_t index = 0;

  /// What tells its symbols from those of other levels: "_x86_64_v3", or "".
  std::string getSuffix() const;
  /// The section of its functions; "" for those that LLVM chooses.
  std::string getSection() const;
  /// The same, as LLVM IR states it.
  std::string getSectionSpecifier() const;
};

/// Translates the levels to LLVM IR, and completes the module: the runtime is
/// linked in (declared, for a shared object), the model descriptor and
/// <prefix>_query are added, all other symbols become local.
llvm::FailureOr<std::unique_ptr<llvm::Module>>
buildLLVMModule(llvm::ArrayRef<LevelCode> levels, const EmitOptions &options,
                llvm::LLVMContext &context);

/// The functions of the runtime that the descriptor holds.
inline constexpr llvm::StringLiteral runtimeFace[] = {
    "onnxc_rt_create",   "onnxc_rt_destroy",  "onnxc_rt_run",
    "onnxc_rt_error",    "onnxc_rt_create_1", "onnxc_rt_create_3",
    "onnxc_rt_create_4",
};
/// Those that it holds of a model with states: how it runs, and, in the order
/// of the fields of onnxc_model from `reset` on, what a caller asks of states.
inline constexpr llvm::StringLiteral runtimeStates[] = {
    "onnxc_rt_run_states", "onnxc_rt_reset",      "onnxc_rt_state_length",
    "onnxc_rt_state_get",  "onnxc_rt_state_set",  "onnxc_rt_state_truncate",
    "onnxc_rt_state_save", "onnxc_rt_state_load", "onnxc_rt_state_fork",
};

/// The model's code: what runs, and what runs where the caller overrides
/// default values (null if there are none).
struct EntryPoints {
  llvm::Function *plain = nullptr;
  llvm::Function *overridden = nullptr;
};

/// Adds the constant onnxc_model and the function <prefix>_query, which returns
/// it (Descriptor.cpp).
void addDescriptor(llvm::Module &module, llvm::ArrayRef<LevelCode> levels,
                   llvm::StringRef prefix, llvm::ArrayRef<EntryPoints> entries);

/// Puts the names of nodes into the texts of checks that wait for them.
void nameChecks(mlir::ModuleOp module, const EmitOptions &options);

/// Gives kernels the names of the first nodes that they compute, for perf and
/// gdb (NameFunctions.cpp).
void nameFunctions(mlir::ModuleOp module, llvm::Module &code,
                   const EmitOptions &options);

/// The list that the descriptor's cpu_features points to,
/// <prefix><suffix of the level>_cpu_features: an object defines it, when the
/// code is there that needs them.
inline constexpr llvm::StringLiteral featuresSuffix = "_cpu_features";

/// Defines the list in `module`, which may declare it (Descriptor.cpp).
void defineFeatures(llvm::Module &module, llvm::StringRef prefix,
                    llvm::ArrayRef<std::string> features);

/// What onnxc_profile.events points to.
inline constexpr llvm::StringLiteral profileEvents = "onnxc_rt_profile_events";

/// Adds the constant onnxc_profile and the function <prefix>_profile, which
/// returns it (ProfileTable.cpp). For modules whose code notes when regions
/// run.
void addProfile(llvm::Module &module, const ModelInfo &info,
                const EmitOptions &options);

/// LLVM's optimizations: fewer for a function of very many calls.
void optimize(llvm::Module &module, const EmitTarget &target,
              const EmitOptions &options, bool isLongCaller = false);

/// A pass in front of register allocation (BoundRematerialization.cpp).
std::unique_ptr<llvm::Pass> createBoundRematerialization();

/// Writes machine code: an object or assembly text.
llvm::LogicalResult writeMachineCode(mlir::ModuleOp module, llvm::Module &code,
                                     const EmitTarget &target,
                                     llvm::CodeGenFileType type,
                                     llvm::raw_pwrite_stream &os);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_CODEGEN_H
