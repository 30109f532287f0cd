//===- Error.h - What onnxc.Error says ------------------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_ERROR_H
#define ONNXC_PYTHON_SRC_ERROR_H

#include <stdexcept>
#include <string>

namespace onnxc::python {

/// What onnxc.Error says, and its `code`: of docs/diagnostics.md, or of a
/// status of a run in the same spelling.
struct Error : std::runtime_error {
  explicit Error(const std::string &text, std::string code = "invalid-argument")
      : std::runtime_error(text), code(std::move(code)) {}

  std::string code;
};

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_ERROR_H
