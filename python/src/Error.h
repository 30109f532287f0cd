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

namespace onnxc::python {

/// What onnxc.Error says.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_ERROR_H
