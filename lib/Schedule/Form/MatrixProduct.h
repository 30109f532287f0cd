//===- MatrixProduct.h - Operands of linalg.matmul --------------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_FORM_MATRIXPRODUCT_H
#define ONNXC_LIB_SCHEDULE_FORM_MATRIXPRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace onnxc {

/// A linalg.matmul whose left operand is [rows, steps].
struct MatrixProduct {
  /// The right operand is [columns, steps]; otherwise [steps, columns].
  bool byColumns = false;
};

/// Nothing if the left operand is transposed.
std::optional<MatrixProduct> matchMatrixProduct(mlir::linalg::MatmulOp op);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_FORM_MATRIXPRODUCT_H
