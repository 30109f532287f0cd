//===- RunValues.h - Arrays of files as values of a model ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor is one array. Files know no other values, so these are several: the
// elements of a sequence s are s[0], s[1], …; an optional is its value or
// nothing; a map m is m.keys and m.values.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_RUNVALUES_H
#define ONNXC_TOOLS_ONNXC_RUNVALUES_H

#include "onnxc/Npz/Npz.h"
#include "onnxc/runtime.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <deque>

namespace onnxc {

/// Makes a model's inputs of arrays, which must outlive it.
class InputBinder {
public:
  explicit InputBinder(const NamedArrays &arrays) : arrays(arrays) {}

  /// All inputs, or what is missing or does not fit. Those that have a default
  /// value and for which there is no array have no data. The parts of composite
  /// values and the elements of string tensors live as long as this object.
  llvm::Expected<std::vector<onnxc_tensor>> bind(const onnxc_model &model);

private:
  llvm::Expected<onnxc_tensor> bindValue(llvm::StringRef type,
                                         const llvm::Twine &name);
  llvm::Expected<onnxc_tensor> bindTensor(llvm::StringRef type,
                                          llvm::StringRef name,
                                          const llvm::Twine &expected);
  llvm::Expected<onnxc_tensor> bindParts(int dtype, int64_t count,
                                         std::vector<onnxc_tensor> parts);
  /// Whether there is an array for a value of this name or a part of it.
  bool isGiven(llvm::StringRef name) const;

  const NamedArrays &arrays;
  llvm::StringMap<const Array *> byName;
  llvm::StringMap<bool> used;
  std::deque<std::vector<const char *>> texts;
  std::deque<std::vector<onnxc_tensor>> parts;
};

/// Whether an array of this name is the input, or, of another type than a
/// tensor, a part of it.
bool isOf(llvm::StringRef array, const onnxc_value_info &info);

/// An error that names the arrays of which the model has no input, and the
/// inputs for which there is no array: before inputs are made up instead.
llvm::Error checkNames(const onnxc_model &model, const NamedArrays &arrays);

/// Whether numpy's type stands for the model's: numpy has no name for some, and
/// saves those as opaque bytes or as integers of one byte.
bool standsFor(const Array &array, int32_t dtype);

/// Adds the arrays of a result to `arrays`.
void addArrays(const llvm::Twine &name, const onnxc_tensor &value,
               NamedArrays &arrays);

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_RUNVALUES_H
