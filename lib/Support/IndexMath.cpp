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

Value IndexMath::value(OpFoldResult x) {
  return getValueOrCreateConstantIndexOp(b, loc, x);
}

OpFoldResult IndexMath::add(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(llvm::SaturatingAdd<uint64_t>(*cx, *cy) & INT64_MAX);
  if (cx == 0)
    return y;
  if (cy == 0)
    return x;
  return arith::AddIOp::create(b, loc, value(x), value(y)).getResult();
}

OpFoldResult IndexMath::sub(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(*cx - *cy);
  if (cy == 0)
    return x;
  return arith::SubIOp::create(b, loc, value(x), value(y)).getResult();
}

OpFoldResult IndexMath::mul(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(std::min<uint64_t>(
        llvm::SaturatingMultiply<uint64_t>(*cx, *cy), INT64_MAX));
  if (cy == 1 || cx == 0)
    return x;
  if (cx == 1 || cy == 0)
    return y;
  return arith::MulIOp::create(b, loc, value(x), value(y)).getResult();
}

OpFoldResult IndexMath::ceilDiv(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy && *cy > 0)
    return constant(llvm::divideCeilSigned(*cx, *cy));
  if (cy == 1)
    return x;
  return arith::CeilDivSIOp::create(b, loc, value(x), value(y)).getResult();
}
