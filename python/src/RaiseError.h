//===- RaiseError.h - An Error as Python's -------------------*- C++ -*----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_RAISEERROR_H
#define ONNXC_PYTHON_SRC_RAISEERROR_H

#include "Error.h"

#include <nanobind/nanobind.h>

#include <exception>

namespace onnxc::python {

/// nanobind's translator of exceptions: an Error becomes one of the class
/// `type`, onnxc.Error, with its code.
inline void raiseError(const std::exception_ptr &thrown, void *type) {
  namespace nb = nanobind;
  try {
    std::rethrow_exception(thrown);
  } catch (const Error &error) {
    nb::handle made(static_cast<PyObject *>(type));
    nb::object value = made(error.what());
    value.attr("code") = error.code.c_str();
    PyErr_SetObject(made.ptr(), value.ptr());
  }
}

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_RAISEERROR_H
