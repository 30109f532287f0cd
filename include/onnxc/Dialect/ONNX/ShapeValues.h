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

#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace onnxc {

class SymbolicShapes;

/// Element `index` (row-major) of integers or bools; nullopt if the elements
/// are of another type or there is none.
std::optional<int64_t> getInteger(mlir::ElementsAttr elements, int64_t index);
/// Of a constant; nullopt if `value` is not one, too.
std::optional<int64_t> getConstantInteger(mlir::Value value, int64_t index);

/// Element `index` of an integer tensor of rank 0 or 1 in terms of dims and
/// constants, through the ops that exporters compute shapes with; nullopt where
/// it is unknown. `symbolic`, or another one if it is null, says which elements
/// are the same.
std::optional<Dim> followShapeValue(ShapeBuilder &builder, mlir::Value value,
                                    int64_t index,
                                    SymbolicShapes *symbolic = nullptr);

/// Follows one element through ops, by their ShapeElementsOpInterface, which
/// ask it what elements of their operands are. How far it goes is bounded,
/// since chains may be long and fan out at every binary op.
class ShapeElements {
public:
  ShapeElements(ShapeBuilder &builder, SymbolicShapes *symbolic)
      : builder(builder), symbolic(symbolic) {}

  ShapeBuilder &getBuilder() { return builder; }

  /// Element `index` of `value`.
  std::optional<Dim> follow(mlir::Value value, int64_t index);
  /// The element of `operand`, which broadcasts to a vector, at `index` of
  /// that.
  std::optional<Dim> followBroadcast(mlir::Value operand, int64_t index);

  /// Of ops on two integers: what `combine` makes of theirs.
  using Combine = llvm::function_ref<std::optional<Dim>(Dim a, Dim b)>;
  std::optional<Dim> followArithmetic(mlir::Operation *op, int64_t index,
                                      Combine combine);
  /// Whether `compare` holds; `whenSame`: whether it does of equal integers.
  using Compare = llvm::function_ref<bool(int64_t a, int64_t b)>;
  std::optional<Dim> followComparison(mlir::Operation *op, int64_t index,
                                      bool whenSame, Compare compare);
  /// Of And and Or: one operand is enough where it is `deciding`.
  std::optional<Dim> followLogic(mlir::Operation *op, int64_t index,
                                 bool deciding);

private:
  enum class Order { Less, Same, Greater, Unknown };
  Order getOrder(mlir::Operation *op, int64_t index);

  ShapeBuilder &builder;
  SymbolicShapes *symbolic;
  unsigned steps = 0;
};

/// All elements of an integer or bool tensor of rank 0 or 1 with known length,
/// if all are known; null otherwise, and where one does not fit in its type.
mlir::DenseElementsAttr getKnownElements(mlir::Value value);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_SHAPEVALUES_H
