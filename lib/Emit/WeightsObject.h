//===- WeightsObject.h - The weights as an object file -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_WEIGHTSOBJECT_H
#define ONNXC_LIB_EMIT_WEIGHTSOBJECT_H

#include "ModelInfo.h"

#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace onnxc {

/// The name that generated code has for the weights before it gets a prefix.
constexpr llvm::StringLiteral weightsSymbol = "onnxc_weights";

/// Writes the weights as they lie in memory, one after the other from where
/// they are (often a mapped file).
llvm::LogicalResult writeWeights(mlir::ModuleOp module, const ModelInfo &info,
                                 llvm::raw_ostream &os);

/// Writes a relocatable ELF file with one read-only section for the weights,
/// under the hidden symbol `symbol`. Without contents it only has their size,
/// and fillWeights puts them into what is linked.
llvm::LogicalResult
writeWeightsObject(mlir::ModuleOp module, const ModelInfo &info,
                   const llvm::Triple &triple, llvm::StringRef symbol,
                   bool withContents, llvm::raw_ostream &os);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_WEIGHTSOBJECT_H
