//===- KernelInterfaces.cpp - What kernels say of themselves --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc::kernel;

//===----------------------------------------------------------------------===//
// How much they compute
//===----------------------------------------------------------------------===//

void StepCount::times(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    known *= *number;
  else
    unknown.push_back(cast<Value>(size));
}

Value StepCount::make(OpBuilder &b, Location loc) const {
  Value product = arith::ConstantIntOp::create(b, loc, known, 64);
  for (Value size : unknown) {
    Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), size);
    product = arith::MulIOp::create(b, loc, product, number);
  }
  return product;
}

StepCount MatmulOp::countSteps(OpBuilder &b) {
  StepCount steps;
  AffineMap lhs = getMap(0), result = getMap(2);
  for (unsigned loop = 0; loop < lhs.getNumDims(); ++loop) {
    AffineExpr d = b.getAffineDimExpr(loop);
    if (std::optional<unsigned> at = lhs.getResultPosition(d))
      steps.times(memref::getMixedSize(b, getLoc(), getLhs(), *at));
    else if (std::optional<unsigned> at = result.getResultPosition(d))
      steps.times(memref::getMixedSize(b, getLoc(), getInit(), *at));
  }
  return steps;
}

/// As if there were no borders. Only the channels that are meant count.
StepCount ConvOp::countSteps(OpBuilder &b) {
  StepCount steps;
  steps.known = getFilters() * (getChannels() / getGroup());
  steps.times(memref::getMixedSize(b, getLoc(), getInit(), 0));
  int64_t firstTap = isDepthwise() || !isImageBlocked() ? 1 : 2;
  for (int64_t i = 0; i < int64_t(getNumSpatial()); ++i) {
    steps.times(memref::getMixedSize(b, getLoc(), getInit(), i + 2));
    steps.times(memref::getMixedSize(b, getLoc(), getFilter(), firstTap + i));
    steps.known = llvm::divideCeil(steps.known, getSpreadOf(i));
  }
  return steps;
}

StepCount IntegerDotOp::countSteps(OpBuilder &b) {
  StepCount steps;
  int64_t rank = cast<ShapedType>(getInit().getType()).getRank();
  for (int64_t i = 0; i < rank; ++i)
    steps.times(memref::getMixedSize(b, getLoc(), getInit(), i));
  int64_t taps = getNumSpatial(), firstTap = getDepthwise() ? 0 : 1;
  for (int64_t i = 0; i < taps; ++i)
    steps.times(memref::getMixedSize(b, getLoc(), getFilter(), firstTap + i));
  if (getDepthwise())
    return steps;
  steps.times(memref::getMixedSize(b, getLoc(), getFilter(), firstTap + taps));
  steps.known *= getGroup();
  return steps;
}

StepCount BlockMatmulOp::countSteps(OpBuilder &b) {
  StepCount steps;
  steps.known = getSteps();
  for (int64_t i = 0; i < 2; ++i)
    steps.times(memref::getMixedSize(b, getLoc(), getInit(), i));
  return steps;
}

//===----------------------------------------------------------------------===//
// In which form
//===----------------------------------------------------------------------===//

using Say = llvm::function_ref<void(StringRef, const Twine &)>;

void MatmulOp::describe(Say say) {
  if (int64_t panel = getPanelWidth())
    say("pack", "weights in panels of " + Twine(panel) +
                    " columns, made by the compiler");
  else
    say("pack", "none: the right operand is read as it is");
}

void ConvOp::describe(Say say) {
  say("pack", "weights in panels, made by the compiler");
  say("layout", Twine(isImageBlocked() ? "image by blocks of channels"
                                       : "image as it is") +
                    ", result by blocks of " + Twine(getBlock()));
  if (isDepthwise())
    say("form", "depthwise");
}

void IntegerDotOp::describe(Say say) {
  say("pack", "weights in panels of " + Twine(getPanelWidth()) +
                  " columns for dot products of " + Twine(getGroup()) +
                  " bytes");
}

void BlockMatmulOp::describe(Say say) {
  say("pack", "weights of " + Twine(getBits()) + " bits in panels of " +
                  Twine(getPanelWidth()) + " columns, widened in registers");
}
