//===- Weights.h - The elements of weights -------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_QUANTIZE_WEIGHTS_H
#define ONNXC_QUANTIZE_WEIGHTS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <vector>

namespace onnxc::quantize {

/// The elements of a value that is a dense constant of float, float16 or
/// bfloat16, all there; null if it is not one.
mlir::ElementsAttr getWeights(mlir::Value value);

/// The elements as float: exact.
std::vector<float> readFloats(mlir::ElementsAttr elements);
/// The same of elements in memory; false for other types.
bool readFloats(mlir::Type elementType, const void *data, size_t count,
                std::vector<float> &values);

/// Whether none of the elements is NaN or infinite.
bool areFinite(mlir::ElementsAttr elements);

/// A constant of bytes as they are in memory; elements of less than a byte have
/// one each.
mlir::ElementsAttr makeElements(mlir::RankedTensorType type,
                                llvm::ArrayRef<char> bytes);
template <typename T>
mlir::ElementsAttr makeElements(mlir::RankedTensorType type,
                                llvm::ArrayRef<T> values) {
  return makeElements(
      type, llvm::ArrayRef(reinterpret_cast<const char *>(values.data()),
                           values.size() * sizeof(T)));
}

/// A constant of floats, rounded to the element type.
mlir::ElementsAttr makeFloats(mlir::RankedTensorType type,
                              llvm::ArrayRef<float> values);

/// The nearest number of the type.
float roundTo(mlir::FloatType type, float value);

/// The bytes that a file takes for a tensor of this type.
int64_t countBytes(mlir::ShapedType type);

} // namespace onnxc::quantize

#endif // ONNXC_QUANTIZE_WEIGHTS_H
