//===- QuantizedWeights.h - Constant weights as numbers ---------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_QUANTIZEDWEIGHTS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_QUANTIZEDWEIGHTS_H

#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace onnxc {

/// The weights of a contraction as numbers: columns, then taps, then channels.
/// The columns of each group read channels of their own.
struct QuantizedWeights {
  int64_t columns = 0, taps = 1, channels = 0, groups = 1;
  llvm::SmallVector<int16_t> values;
  bool isWide = false;                   // more than a signed byte holds
  llvm::SmallVector<int32_t> zeroPoints; // by column; empty if all are 0
  llvm::SmallVector<float> scales;       // by column; empty if there are none

  /// Makes one group of `count`, whose columns have zeros, as their zero points
  /// say, for the others' channels.
  void mergeGroups(int64_t count);
  /// The numbers as bytes in memory, 16-bit numbers if they are wide.
  llvm::SmallVector<char> getBytes() const;
};

/// In which order the constant has the numbers.
struct WeightsForm {
  int64_t columns, taps, channels;
  /// [columns, channels, taps…], or [channels, columns] without taps.
  bool columnsFirst = true;
  /// No zero point is left, if need be by numbers of 16 bits.
  bool mayBeWide = false;
};

/// Reads what dequantization makes of a constant, as it is multiplied. If it is
/// not one, `why` says what it lacks.
std::optional<QuantizedWeights> readQuantizedWeights(mlir::Value weights,
                                                     const WeightsForm &form,
                                                     std::string &why);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_QUANTIZEDWEIGHTS_H
