//===- Algebra.cpp - Linear algebra of ONNX Runtime -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContribOps.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

using namespace mlir;
using namespace onnxc;

/// Distances of rows; the squares as ONNX Runtime expands them.
void contrib::pairwiseDistance(Composer &c, Results &results) {
  StringRef metric = c.getString("metric", "sqeuclidean");
  if (metric != "euclidean" && metric != "sqeuclidean")
    c.failAttribute("metric", "is '" + metric +
                                  "'; expected 'euclidean' or 'sqeuclidean'");
  auto squares = [&](Value x, int64_t keep) {
    return c.make<ReduceSumSquareOp>({x, c.ints(1)},
                                     c.attribute("keepdims", keep));
  };
  Value a = c.input(0), b = c.input(1);
  Value products = c.make<MatMulOp>({a, c.make<TransposeOp>(b)});
  Value ofA = squares(a, 1);
  Value sum = c.add(ofA, squares(b, 0));
  Value y = c.make<MaxOp>({c.sub(sum, c.mul(products, 2.0)), c.number(0, a)});
  results.push_back(metric == "euclidean" ? c.sqrt(y) : y);
}

/// Products of pairs (real, imaginary) in the last axis.
static Value multiplyComplex(Composer &c, bool conjugate) {
  auto part = [&](unsigned input, int64_t index) {
    return c.slice(c.input(input), -1, index, index + 1);
  };
  Value a = part(0, 0), b = part(0, 1), x = part(1, 0), y = part(1, 1);
  if (conjugate)
    y = c.make<NegOp>(y);
  Value real = c.mul(a, x);
  real = c.sub(real, c.mul(b, y));
  Value imaginary = c.mul(a, y);
  imaginary = c.add(imaginary, c.mul(b, x));
  return c.concat({real, imaginary}, -1);
}

void contrib::complexMul(Composer &c, Results &results) {
  results.push_back(multiplyComplex(c, false));
}

void contrib::complexMulConj(Composer &c, Results &results) {
  results.push_back(multiplyComplex(c, true));
}

/// The inverse of each matrix, by elimination below and above the pivot, which
/// is the greatest of its column that is left: [A I] becomes [I inverse].
void contrib::inverse(Composer &c, Results &results) {
  Value x = c.input(0);
  Type element = getElementType(x);
  if (!isa_and_present<FloatType>(element))
    return c.failInput(0, "must be of floats");
  bool isHalf = element.getIntOrFloatBitWidth() < 32;
  Value a = isHalf ? c.cast(x, c.builder.getF32Type()) : x;
  Value size = c.scalarSizeOf(a, -1), positions = c.range(size);
  Value identity =
      c.castLike(c.make<EqualOp>({c.unsqueeze(positions, 1), positions}), a);
  Value both = c.concat({a, c.make<ExpandOp>({identity, c.shapeOf(a)})}, -1);
  auto eliminate = [&](Value step, ValueRange states) -> SmallVector<Value> {
    Value state = states.front();
    Value column = c.gather(state, step, -1);
    Value isLeft = c.make<GreaterOrEqualOp>({positions, step});
    Value candidates =
        c.make<WhereOp>({isLeft, c.abs(column), c.number(-1, column)});
    Value pivot = c.make<ArgMaxOp>(candidates, c.attribute("axis", -1));
    Value isPivot = c.unsqueeze(c.make<EqualOp>({positions, pivot}), -1);
    Value isStep = c.unsqueeze(c.make<EqualOp>({positions, step}), -1);
    // The pivot's row changes places with that of the step.
    Value pivotRow = c.make<ReduceSumOp>(
        {c.make<WhereOp>({isPivot, state, c.number(0, state)}), c.ints(-2)});
    Value stepRow = c.unsqueeze(c.gather(state, step, -2), -2);
    Value swapped = c.make<WhereOp>(
        {isStep, pivotRow, c.make<WhereOp>({isPivot, stepRow, state})});
    Value row = c.make<DivOp>(
        {pivotRow, c.unsqueeze(c.gather(pivotRow, step, -1), -1)});
    Value factors = c.unsqueeze(c.gather(swapped, step, -1), -1);
    Value reduced = c.sub(swapped, c.mul(factors, row));
    return {c.make<WhereOp>({isStep, row, reduced})};
  };
  Value solved = c.loop(size, both, /*numCollected=*/0, eliminate).front();
  Value start = c.sizeOf(a, -1);
  Value right =
      c.slice(solved, -1, start, c.ints(std::numeric_limits<int64_t>::max()));
  results.push_back(isHalf ? c.cast(right, element) : right);
}
