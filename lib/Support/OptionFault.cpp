//===- OptionFault.cpp - What is wrong with an option, not a model --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/OptionFault.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

static constexpr llvm::StringLiteral mark = "onnxc_option_fault";

InFlightDiagnostic onnxc::markOptionFault(InFlightDiagnostic error) {
  // Without a handler there is nothing to mark.
  if (Diagnostic *diagnostic = error.getUnderlyingDiagnostic()) {
    Builder b(diagnostic->getLocation()->getContext());
    diagnostic->getMetadata().push_back(
        DiagnosticArgument(b.getStringAttr(mark)));
  }
  return error;
}

bool onnxc::isOptionFault(Diagnostic &diagnostic) {
  return llvm::any_of(diagnostic.getMetadata(), [](DiagnosticArgument &part) {
    if (part.getKind() != DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      return false;
    auto text = dyn_cast<StringAttr>(part.getAsAttribute());
    return text && text == mark;
  });
}
