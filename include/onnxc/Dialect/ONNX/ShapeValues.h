//===- ShapeValues.h - The integers inside shape-like operands ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes often travel as tensors: Shape -> Gather -> Concat -> Reshape. These
// functions follow one element of such a tensor back to the dims it came from.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_SHAPEVALUES_H
#define ONNXC_DIALECT_ONNX_SHAPEVALUES_H

#include "onnxc/Dialect/ONNX/ShapeBuilder.h"

namespace onnxc {

class SymbolicShapes;

/// Element `index` (row-major) of an integer or bool constant; nullopt if
/// `value` is not a constant or the element does not exist.
std::optional<int64_t> getConstantInteger(mlir::Value value, int64_t index);

/// Element `index` of an integer tensor of rank 0 or 1 in terms of dims and
/// constants, through the ops that exporters compute shapes with; nullopt where
/// it is unknown. `symbolic`, or another one if it is null, says which elements
/// are the same.
std::optional<Dim> followShapeValue(ShapeBuilder &builder, mlir::Value value,
                                    int64_t index,
                                    SymbolicShapes *symbolic = nullptr);

/// All elements of an integer or bool tensor of rank 0 or 1 with known length,
/// if all are known; null otherwise, and where one does not fit in its type.
mlir::DenseElementsAttr getKnownElements(mlir::Value value);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_SHAPEVALUES_H
