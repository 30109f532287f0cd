//===- FirstDifference.h - The node where results part -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_FIRSTDIFFERENCE_H
#define ONNXC_TOOLS_ONNXC_FIRSTDIFFERENCE_H

#include "Difference.h"

#include "onnxc/Import/ModelMessage.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace onnxc {

/// Computes the outputs of a serialized model from inputs that are the same for
/// all.
using ComputeModel =
    llvm::function_ref<llvm::Expected<NamedArrays>(std::string model)>;

/// Finds the first node of the model's graph whose outputs `compute` and
/// `oracle` have differently, and says so to `os`. If there is none where all
/// values are outputs, rewrites that need them to be none are at fault: then
/// the first node whose output differs when it is the only one, by halving.
llvm::Error reportFirstDifference(const ModelMessage &model,
                                  ComputeModel compute, ComputeModel oracle,
                                  llvm::StringRef oracleName,
                                  const Tolerance &tolerance,
                                  llvm::raw_ostream &os);

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_FIRSTDIFFERENCE_H
