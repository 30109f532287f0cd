//===- MadeUpInputs.h - Values for inputs without a file ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For runs that measure time, memory or ranges of values.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_NPZ_MADEUPINPUTS_H
#define ONNXC_NPZ_MADEUPINPUTS_H

#include "onnxc/Npz/Npz.h"
#include "onnxc/runtime.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace onnxc {

/// By the names of inputs.
using InputShapes = llvm::StringMap<llvm::SmallVector<int64_t>>;

/// Reads `name:1x3x224x224`, as --shape has it. An error where the model has no
/// such input, or is compiled for another shape of it.
llvm::Expected<InputShapes> parseInputShapes(llvm::ArrayRef<std::string> texts,
                                             const onnxc_model &model);

/// Numbers between -1 and 1, ones (integers), or true, the same each time for
/// one `seed`. Open sizes that `shapes` does not give are 1. An error for what
/// is not a tensor of numbers, and for more than 2^32 elements.
llvm::Expected<Array> makeUpInput(const onnxc_value_info &input,
                                  const InputShapes &shapes, uint64_t seed = 0);

} // namespace onnxc

#endif // ONNXC_NPZ_MADEUPINPUTS_H
