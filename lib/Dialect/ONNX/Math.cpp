//===- Math.cpp - The ops of Math.td --------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Math.h"

#include "onnxc/Dialect/ONNX/Folding.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Math.cpp.inc"

void ONNXDialect::registerMathOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Math.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Elements of shapes
//===----------------------------------------------------------------------===//

/// Integers that are not dims may wrap around, which is not an error.
template <typename Overflows>
static bool wraps(Dim a, Dim b, Overflows overflows) {
  int64_t ignored;
  return a.isKnown() && b.isKnown() &&
         overflows(*a.getKnown(), *b.getKnown(), ignored);
}

std::optional<Dim> AddOp::followElement(ShapeElements &elements,
                                        int64_t index) {
  return elements.followArithmetic(
      *this, index, [](Dim a, Dim b) -> std::optional<Dim> {
        if (wraps(a, b, llvm::AddOverflow<int64_t>))
          return std::nullopt;
        return a + b;
      });
}

std::optional<Dim> SubOp::followElement(ShapeElements &elements,
                                        int64_t index) {
  return elements.followArithmetic(
      *this, index, [](Dim a, Dim b) -> std::optional<Dim> {
        if (wraps(a, b, llvm::SubOverflow<int64_t>))
          return std::nullopt;
        return a - b;
      });
}

std::optional<Dim> MulOp::followElement(ShapeElements &elements,
                                        int64_t index) {
  return elements.followArithmetic(
      *this, index, [](Dim a, Dim b) -> std::optional<Dim> {
        if (wraps(a, b, llvm::MulOverflow<int64_t>))
          return std::nullopt;
        return a * b;
      });
}

/// Rounds towards zero: the same as floordiv where nothing is negative, which
/// holds of dims but not of every integer.
std::optional<Dim> DivOp::followElement(ShapeElements &elements,
                                        int64_t index) {
  return elements.followArithmetic(
      *this, index, [&](Dim a, Dim b) -> std::optional<Dim> {
        if (!b.isKnown() || *b.getKnown() <= 0 ||
            (a.isKnown() && *a.getKnown() < 0))
          return std::nullopt;
        return elements.getBuilder().floordiv(a, b);
      });
}

std::optional<Dim> MaxOp::followElement(ShapeElements &elements,
                                        int64_t index) {
  return elements.followArithmetic(*this, index, [&](Dim a, Dim b) {
    return elements.getBuilder().max(a, b);
  });
}

std::optional<Dim> MinOp::followElement(ShapeElements &elements,
                                        int64_t index) {
  return elements.followArithmetic(*this, index, [&](Dim a, Dim b) {
    return elements.getBuilder().min(a, b);
  });
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

OpFoldResult SumOp::fold(FoldAdaptor) {
  return getData_0().size() == 1 ? foldSameType(getData_0()[0], getSum())
                                 : Value();
}
OpFoldResult MeanOp::fold(FoldAdaptor) {
  return getData_0().size() == 1 ? foldSameType(getData_0()[0], getMean())
                                 : Value();
}
OpFoldResult MaxOp::fold(FoldAdaptor) {
  return getData_0().size() == 1 ? foldSameType(getData_0()[0], getMax())
                                 : Value();
}
OpFoldResult MinOp::fold(FoldAdaptor) {
  return getData_0().size() == 1 ? foldSameType(getData_0()[0], getMin())
                                 : Value();
}
