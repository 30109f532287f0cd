//===- Failure.h - Errors that verbs end with ----------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_FAILURE_H
#define ONNXC_TOOLS_ONNXC_FAILURE_H

#include "llvm/Support/Error.h"

#include <string>
#include <system_error>

namespace onnxc {

/// An error with the status that the command ends with (Findings.h).
class Failure : public llvm::ErrorInfo<Failure> {
public:
  static char ID;

  Failure(std::string text, int status)
      : text(std::move(text)), exitStatus(status) {}
  int status() const { return exitStatus; }
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
  int exitStatus;
};

/// Prints the error, and gives the status: that of a Failure, that of a wrong
/// command line for what begins with an option, else the model's.
int reportFailure(llvm::Error error);

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_FAILURE_H
