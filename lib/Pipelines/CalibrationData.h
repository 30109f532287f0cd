//===- CalibrationData.h - Inputs to measure with ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_PIPELINES_CALIBRATIONDATA_H
#define ONNXC_LIB_PIPELINES_CALIBRATIONDATA_H

#include "onnxc/Npz/Npz.h"
#include "onnxc/runtime.h"

#include "llvm/ADT/ArrayRef.h"

namespace onnxc {

/// The inputs of one run.
struct Sample {
  /// Where they come from, for errors.
  std::string source;
  NamedArrays arrays;
};

/// Reads files, and all files of folders in the order of their names. The array
/// of a .npy file has no name yet.
llvm::Expected<std::vector<Sample>>
readCalibrationFiles(llvm::ArrayRef<std::string> paths);

/// The inputs of single runs: of arrays with several times the first dimension
/// that the model has, one for each part. Checks the names.
llvm::Expected<std::vector<Sample>> splitSamples(std::vector<Sample> files,
                                                 const onnxc_model &model);

/// Made-up inputs, the same each time: numbers between -1 and 1, ones
/// (integers) or true. `shapes`: "x:1x3x224x224" for sizes that the model
/// leaves open, which are 1 else.
llvm::Expected<std::vector<Sample>>
makeUpSamples(const onnxc_model &model, llvm::ArrayRef<std::string> shapes,
              size_t count);

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINES_CALIBRATIONDATA_H
