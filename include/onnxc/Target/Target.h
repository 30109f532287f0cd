//===- Target.h - The machine that code is made for ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TARGET_TARGET_H
#define ONNXC_TARGET_TARGET_H

#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/Target/TargetOptions.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace llvm {
class TargetMachine;
class Triple;
class TargetOptions;
enum class CodeGenOptLevel;
} // namespace llvm

namespace onnxc {

/// Fails with an error at `loc` that names the option and what was expected, if
/// the target is unknown or not supported.
llvm::FailureOr<TargetAttr> makeTarget(mlir::Location loc,
                                       const TargetOptions &options);

/// The triple that is asked for, or this machine's.
llvm::Triple getTriple(const TargetOptions &options);

/// Sets the module's target. One that it has already stays where nothing is
/// asked for; another one is an error: what is in the module may depend on it.
llvm::LogicalResult setTarget(mlir::ModuleOp module,
                              const TargetOptions &options);

/// LLVM's code generator for the target, which makeTarget made.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(TargetAttr target, const llvm::TargetOptions &options,
                    llvm::CodeGenOptLevel level);

} // namespace onnxc

#endif // ONNXC_TARGET_TARGET_H
