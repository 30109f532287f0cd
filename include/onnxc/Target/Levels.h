//===- Levels.h - Several processors in one model ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model may have its code once for each of several levels: processors of one
// architecture, of which a context picks the last one that runs on its machine.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TARGET_LEVELS_H
#define ONNXC_TARGET_LEVELS_H

#include "onnxc/Target/Architecture.h"
#include "onnxc/Target/TargetOptions.h"

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace onnxc {

/// The name of the levels of Architectures.def.
inline constexpr llvm::StringLiteral portableCpu = "portable";
/// The name of this machine's processor.
inline constexpr llvm::StringLiteral nativeCpu = "native";

/// One way to write --mcpu: a processor, and features that it has besides, as
/// in x86-64-v4+avx512vnni.
struct Level {
  /// As it is written; what onnxc_options.cpu_level asks for.
  std::string name;
  /// Its own target, with the layout of the last level.
  TargetOptions target;
  LevelPurpose purpose = LevelPurpose::Any;
};

/// The levels that --mcpu asks for by "a,b,c", or by "portable"; one, without a
/// name, if it is a single processor. Unchecked.
llvm::SmallVector<Level> listLevels(const TargetOptions &options);

/// The same, from the lowest on. Fails with an error at `loc` if one is unknown
/// or listed twice, or if one asks for the native processor.
llvm::FailureOr<llvm::SmallVector<Level>>
getLevels(mlir::Location loc, const TargetOptions &options);

/// What code can be made for, as a table: systems, kinds of files, levels of
/// --mcpu=portable, and how it is tested.
void printTargets(llvm::raw_ostream &os);

/// The processors and the features of a triple by LLVM's names; a star marks
/// features that a context checks before it runs code with them. Fails with an
/// error at `loc` for a triple that there is no code for.
llvm::LogicalResult printProcessors(mlir::Location loc, llvm::StringRef triple,
                                    llvm::raw_ostream &os);

} // namespace onnxc

#endif // ONNXC_TARGET_LEVELS_H
