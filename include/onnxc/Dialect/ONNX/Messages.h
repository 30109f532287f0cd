//===- Messages.h - Diagnostics in ONNX's words --------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diagnostics of the dialect are MLIR's: types are printed as tensor<2x3xf32>,
// and texts of shape rules start with their tags. Users of models, who do not
// know the IR, read of float[2, 3].
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_MESSAGES_H
#define ONNXC_DIALECT_ONNX_MESSAGES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Types.h"

#include <string>

namespace onnxc {

/// "float[2, ?]", "int64[]" of a scalar, "float[...]" where the rank is not
/// known, "seq(float[2, 3])".
std::string spellType(mlir::Type type);

/// Without the tag that texts of a shape rule start with, as far as it only
/// repeats the op (`opName`, without its dialect): "conv_pads: must have …"
/// becomes "pads: must have …", and "concat_c2: inputs must …" "inputs must …".
llvm::StringRef dropRuleTag(llvm::StringRef message, llvm::StringRef opName);

/// The warning of a fault where no run need come, in place of an error.
void warnOfFault(mlir::Location location, const llvm::Twine &fault);

/// The text of a diagnostic at a node of operator `opType` (empty: at no node),
/// in ONNX's words.
std::string writeMessage(mlir::Diagnostic &diagnostic, llvm::StringRef opType);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_MESSAGES_H
