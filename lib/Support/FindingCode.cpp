//===- FindingCode.cpp - What a diagnostic is about -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/FindingCode.h"

#include "onnxc/Support/OptionFault.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

using namespace onnxc;

llvm::StringRef onnxc::getName(FindingCode code) {
  switch (code) {
  case FindingCode::UnsupportedOperator:
    return "unsupported-operator";
  case FindingCode::InvalidNode:
    return "invalid-node";
  case FindingCode::InvalidModel:
    return "invalid-model";
  case FindingCode::InvalidOption:
    return "invalid-option";
  case FindingCode::UnwritableOutput:
    return "unwritable-output";
  case FindingCode::InternalError:
    return "internal-error";
  }
  llvm_unreachable("not a code");
}

FindingCode onnxc::classify(mlir::Diagnostic &diagnostic,
                            const DiagnosticWording &wording) {
  if (readUnsupported(diagnostic) ||
      llvm::any_of(diagnostic.getNotes(), [](mlir::Diagnostic &note) {
        return readUnsupported(note).has_value();
      }))
    return FindingCode::UnsupportedOperator;
  if (isOptionFault(diagnostic))
    return FindingCode::InvalidOption;
  if (wording.findNode(diagnostic.getLocation()))
    return FindingCode::InvalidNode;
  // What knows how the command calls the option begins with it, also
  // lib/Target, which stands below Support and cannot mark its errors.
  std::string message = diagnostic.str();
  if (llvm::StringRef(message).starts_with("--"))
    return FindingCode::InvalidOption;
  if (llvm::StringRef(message).starts_with("cannot write"))
    return FindingCode::UnwritableOutput;
  return FindingCode::InvalidModel;
}
