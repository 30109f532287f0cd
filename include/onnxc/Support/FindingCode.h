//===- FindingCode.h - What a diagnostic is about -------------*- C++ -*---===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_FINDINGCODE_H
#define ONNXC_SUPPORT_FINDINGCODE_H

#include "onnxc/Support/Diagnostics.h"

namespace onnxc {

/// What a finding is about. The names in lower case, with '-' for capitals, are
/// the codes, which programs read (docs/diagnostics.md) and which stay.
enum class FindingCode {
  /// An operator, or a form of one, that onnxc cannot compile.
  UnsupportedOperator,
  /// A node of the model.
  InvalidNode,
  /// The model, but none of its nodes.
  InvalidModel,
  /// An option's value.
  InvalidOption,
  /// A file that is to be written.
  UnwritableOutput,
  /// onnxc's own fault.
  InternalError,
};

llvm::StringRef getName(FindingCode code);

/// What a diagnostic of MLIR is about.
FindingCode classify(mlir::Diagnostic &diagnostic,
                     const DiagnosticWording &wording);

} // namespace onnxc

#endif // ONNXC_SUPPORT_FINDINGCODE_H
