//===- OptionFault.h - What is wrong with an option, not a model - C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_OPTIONFAULT_H
#define ONNXC_SUPPORT_OPTIONFAULT_H

#include "mlir/IR/Diagnostics.h"

namespace onnxc {

/// States with an error that it says what is wrong with the value of an option,
/// whatever the model is, as "batch" for name=size; isOptionFault gives it
/// back. The pass that reads the value may say it, which does not know what
/// Python or a command calls the option.
mlir::InFlightDiagnostic markOptionFault(mlir::InFlightDiagnostic error);
bool isOptionFault(mlir::Diagnostic &diagnostic);

} // namespace onnxc

#endif // ONNXC_SUPPORT_OPTIONFAULT_H
