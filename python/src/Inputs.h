//===- Inputs.h - Values of Python as a model takes them ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_INPUTS_H
#define ONNXC_PYTHON_SRC_INPUTS_H

#include "Numpy.h"

#include <cstddef>

namespace onnxc::python {

/// The inputs of a call, and what they point to. Arrays of the type that the
/// model states are read where numpy keeps them. Throws Error for what a model
/// cannot take, with the name of the input.
class Inputs {
public:
  Inputs(const Numpy &numpy, size_t count) : numpy(numpy) {
    converted.reserve(count);
    buffers.reserve(count);
  }

  void add(nanobind::handle value, const ValueType &type, const char *name);
  /// An input that has its default value.
  void addDefault() { converted.push_back(onnxc_tensor()); }

  const std::vector<onnxc_tensor> &tensors() const { return converted; }

private:
  /// Which value it is about, for errors.
  struct Place {
    std::string describe() const;

    const char *name;
    /// The sequence that it is an element of, and which.
    const Place *outer = nullptr;
    size_t index = 0;
  };

  onnxc_tensor convert(nanobind::handle value, const ValueType &type,
                       const Place &place);
  onnxc_tensor convertTensor(nanobind::handle value, const ValueType &type,
                             const Place &place);
  onnxc_tensor convertSequence(nanobind::handle value, const ValueType &type,
                               const Place &place);
  onnxc_tensor convertMap(nanobind::handle value, const ValueType &type,
                          const Place &place);
  onnxc_tensor convertPart(nanobind::handle value, const ValueType &type,
                           const Place &place);
  /// A list of Python's numbers or texts.
  onnxc_tensor convertList(nanobind::handle list, const ValueType &type,
                           const Place &place);
  /// By values.prepare.
  onnxc_tensor convertOther(nanobind::handle value, const ValueType &type,
                            const Place &place);
  onnxc_tensor take(Buffer buffer, int32_t dtype, const Place &place);
  onnxc_tensor takeTexts(PyObject *const *items, size_t count, int rank,
                         const int64_t *dims, const Place &place);
  onnxc_tensor takeParts(std::vector<onnxc_tensor> parts, int32_t dtype,
                         int64_t count);
  const char *textOf(PyObject *item, const Place &place);

  const Numpy &numpy;
  std::vector<onnxc_tensor> converted;
  std::vector<Buffer> buffers;
  std::vector<std::vector<onnxc_tensor>> composites;
  std::vector<std::vector<const char *>> texts;
  std::vector<std::vector<std::max_align_t>> copies;
  std::vector<nanobind::object> kept;
};

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_INPUTS_H
