//===- IndexMath.cpp - Index arithmetic that folds ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

using Checked = int64_t (*)(int64_t, int64_t, int64_t &);

/// The exact result of `operation`, or the extreme that it goes beyond.
static int64_t saturate(Checked operation, int64_t x, int64_t y,
                        bool isNegative) {
  int64_t result;
  if (!operation(x, y, result))
    return result;
  return isNegative ? INT64_MIN : INT64_MAX;
}

Value IndexMath::value(OpFoldResult x) {
  return getValueOrCreateConstantIndexOp(b, loc, x);
}

OpFoldResult IndexMath::add(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(saturate(llvm::AddOverflow<int64_t>, *cx, *cy, *cx < 0));
  if (cx == 0)
    return y;
  if (cy == 0)
    return x;
  Value left = value(x);
  return arith::AddIOp::create(b, loc, left, value(y)).getResult();
}

OpFoldResult IndexMath::sub(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(*cx - *cy);
  if (cy == 0)
    return x;
  Value left = value(x);
  return arith::SubIOp::create(b, loc, left, value(y)).getResult();
}

OpFoldResult IndexMath::mul(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(
        saturate(llvm::MulOverflow<int64_t>, *cx, *cy, (*cx < 0) != (*cy < 0)));
  if (cy == 1 || cx == 0)
    return x;
  if (cx == 1 || cy == 0)
    return y;
  Value left = value(x);
  return arith::MulIOp::create(b, loc, left, value(y)).getResult();
}

OpFoldResult IndexMath::ceilDiv(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy && *cy > 0)
    return constant(llvm::divideCeilSigned(*cx, *cy));
  if (cy == 1)
    return x;
  Value left = value(x);
  return arith::CeilDivSIOp::create(b, loc, left, value(y)).getResult();
}

OpFoldResult IndexMath::min(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(std::min(*cx, *cy));
  Value left = value(x);
  return arith::MinSIOp::create(b, loc, left, value(y)).getResult();
}

OpFoldResult IndexMath::max(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(std::max(*cx, *cy));
  Value left = value(x);
  return arith::MaxSIOp::create(b, loc, left, value(y)).getResult();
}

OpFoldResult IndexMath::ceilDiv(OpFoldResult x, int64_t y) {
  if (y == 1)
    return x;
  if (std::optional<int64_t> cx = getConstantIntValue(x))
    return constant(llvm::divideCeilSigned(*cx, y));
  return floorDiv(add(x, constant(y - 1)), y);
}

OpFoldResult IndexMath::floorDiv(OpFoldResult x, int64_t y) {
  if (y == 1)
    return x;
  if (std::optional<int64_t> cx = getConstantIntValue(x))
    return constant(llvm::divideFloorSigned(*cx, y));
  Value left = value(x);
  return arith::FloorDivSIOp::create(b, loc, left, value(constant(y)))
      .getResult();
}

OpFoldResult IndexMath::quotient(OpFoldResult x, OpFoldResult y) {
  // It may be known to be 0 in code that is never run.
  if (std::optional<int64_t> known = getConstantIntValue(y);
      known && *known > 0)
    return floorDiv(x, *known);
  Value left = value(x);
  return arith::DivUIOp::create(b, loc, left, value(y)).getResult();
}

OpFoldResult IndexMath::quotientUp(OpFoldResult x, OpFoldResult y) {
  return quotient(add(x, sub(y, constant(1))), y);
}
