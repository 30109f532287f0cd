//===- Contraction.h - The op classes of Contraction.td ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_CONTRACTION_H
#define ONNXC_DIALECT_ONNX_CONTRACTION_H

#include "onnxc/Dialect/ONNX/OpSupport.h"

#include <optional>
#include <string>

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Contraction.h.inc"

namespace onnxc {

/// What an Einsum computes: a term for each input and one for the output. Its
/// labels are letters, and '.' for an ellipsis, of which it has one at most.
struct EinsumEquation {
  llvm::SmallVector<std::string> inputs;
  /// Where the text tells none: the ellipsis, then the letters that occur once,
  /// in order.
  std::string output;

  /// "ij,...k->i"; nullopt if it is malformed.
  static std::optional<EinsumEquation> parse(llvm::StringRef text);
};

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_CONTRACTION_H
