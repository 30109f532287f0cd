//===- Arrays.h - Running on numpy arrays as they are --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The short way into a model, for small models whose run takes no longer than
// converting values in Python does: inputs are read where numpy keeps them,
// outputs of fixed size are computed where numpy will. What is not plain goes
// the general way (Module.cpp, values.py), which also explains what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_ARRAYS_H
#define ONNXC_PYTHON_SRC_ARRAYS_H

#include "Driver.h"

#include <nanobind/nanobind.h>

#include <vector>

namespace onnxc::python {

/// What a model's inputs and outputs are in numpy.
class Arrays {
public:
  explicit Arrays(const onnxc_model &model);

  /// The outputs of a run on `feed`, a dict of arrays by name, as a list. None
  /// if anything about them is not plain: nothing has run then.
  nanobind::object run(Session &session, nanobind::handle feed) const;

private:
  struct Output {
    nanobind::object dtype;
    /// Null if the model does not fix the sizes.
    nanobind::object shape;
  };

  nanobind::object newArray(const Output &output, nanobind::handle shape) const;

  /// Whether all types are what numpy has.
  bool arePlain = true;
  std::vector<nanobind::object> names;
  std::vector<int32_t> inputTypes;
  std::vector<Output> outputs;
  nanobind::object arrayType, empty;
};

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_ARRAYS_H
