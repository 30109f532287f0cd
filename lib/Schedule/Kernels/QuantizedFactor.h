//===- QuantizedFactor.h - Bytes behind a factor -------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_QUANTIZEDFACTOR_H
#define ONNXC_LIB_SCHEDULE_KERNELS_QUANTIZEDFACTOR_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace mlir {
class Location;
class OpBuilder;
} // namespace mlir

namespace onnxc {

/// Bytes, one or a vector of them, as integers of `type`.
mlir::Value extendBytes(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                        mlir::Value bytes, bool isUnsigned);

/// A tensor of (bytes - zero point) as i32, or of (bytes - zero point) * scale
/// as f32. The maps lead from the tensor's dimensions.
struct QuantizedFactor {
  mlir::Value bytes;
  bool isUnsigned = false;
  mlir::Value zeroPoint; // null for 0
  mlir::AffineMap zeroPointMap;
  mlir::Value scale; // null for i32
  mlir::AffineMap scaleMap;

  /// One zero point and one scale for all elements.
  bool isPerTensor() const;
  /// The zero point if it is one constant.
  std::optional<int64_t> knownZeroPoint() const;
};

/// Matches what an elementwise op makes of bytes; through reshapes, which keep
/// the order, of a constant.
std::optional<QuantizedFactor> matchQuantizedFactor(mlir::Value value);

/// The elements of a constant (or of a constant that is reshaped or transposed)
/// in row-major order.
std::optional<llvm::SmallVector<char>> readConstant(mlir::Value value);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_QUANTIZEDFACTOR_H
