//===- Outputs.h - What a model computes as values of Python -- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_OUTPUTS_H
#define ONNXC_PYTHON_SRC_OUTPUTS_H

#include "Numpy.h"

namespace onnxc::python {

/// Makes Python's values of the results of one run: arrays, lists, dicts, None.
/// Maps of one sequence mostly have the same keys, at one address, and texts
/// are mostly few: both are made once. What is remembered of them stays where
/// it is as long as the results do.
class Outputs {
public:
  explicit Outputs(const Numpy &numpy) : numpy(numpy) {}

  nanobind::object convert(const onnxc_tensor &value);

private:
  nanobind::object convertTexts(const onnxc_tensor &value);
  nanobind::object convertSequence(const onnxc_tensor &value);
  nanobind::object convertMap(const onnxc_tensor &value);
  void setKeys(const onnxc_tensor &tensor);
  /// The elements of a tensor of rank 1, as Python has them.
  std::vector<nanobind::object> listItems(const onnxc_tensor &tensor);
  /// An element as Python's number or text; null without a Python error if only
  /// numpy knows the type.
  PyObject *newItem(const onnxc_tensor &tensor, int64_t i);
  /// Null with a Python error.
  PyObject *newText(const char *text);

  struct Text {
    const char *bytes = nullptr;
    nanobind::object value;
  };

  const Numpy &numpy;
  /// The keys of the map before, and that map.
  onnxc_tensor keyTensor = {};
  std::vector<nanobind::object> keys;
  nanobind::object before;
  /// By a hash of the bytes.
  std::vector<Text> texts;
};

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_OUTPUTS_H
