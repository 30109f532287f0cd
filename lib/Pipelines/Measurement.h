//===- Measurement.h - How far results differ ----------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_PIPELINES_MEASUREMENT_H
#define ONNXC_LIB_PIPELINES_MEASUREMENT_H

#include "onnxc/runtime.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace onnxc {

/// How far an output differs, over several runs: of floats the square root of
/// the sum of squared differences over the sum of squares, of other numbers the
/// share that is not equal.
class Difference {
public:
  void add(const onnxc_tensor &want, const onnxc_tensor &got,
           mlir::MLIRContext *context);

  /// Whether there was an output that can be compared.
  bool isKnown() const { return count > 0; }
  bool isFloat() const { return ofFloats; }
  double get() const;

private:
  double errors = 0, squares = 0;
  uint64_t numOther = 0, count = 0;
  bool ofFloats = false;
};

/// The root of the sum of squared differences over that of squares; infinite
/// where they are not numbers.
double getRelativeError(double errors, double squares);

/// The values of a tensor of a type that weights may have; none of others.
std::vector<float> getFloats(const onnxc_tensor &tensor,
                             mlir::MLIRContext *context);

/// A copy of outputs that outlives the next run.
class OwnedOutputs {
public:
  explicit OwnedOutputs(llvm::ArrayRef<onnxc_tensor> outputs);
  llvm::ArrayRef<onnxc_tensor> get() const { return tensors; }

private:
  std::vector<onnxc_tensor> tensors;
  std::vector<std::vector<char>> bytes;
};

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINES_MEASUREMENT_H
