//===- ValueTypes.h - What the type of a value tells ---------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_VALUETYPES_H
#define ONNXC_DIALECT_ONNX_VALUETYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace onnxc {

/// Element type of a tensor; null if it is not known, as for a null value.
mlir::Type getElementType(mlir::Value value);
/// Shape of a tensor, with negative entries for what is not known; nullopt if
/// the rank is not known.
std::optional<llvm::ArrayRef<int64_t>> getShape(mlir::Value value);
std::optional<int64_t> getRank(mlir::Value value);
/// A dim if it is known; negative axes count from the end.
std::optional<int64_t> getDim(mlir::Value value, int64_t axis);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_VALUETYPES_H
