//===- Signal.cpp - Fourier transforms, windows, the mel scale ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Signal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;

static Value toF64(ScalarBuilder &s, Value scalar) {
  if (scalar.getType().isIndex())
    scalar = arith::IndexCastOp::create(s.getBuilder(), s.getLoc(),
                                        s.getBuilder().getI64Type(), scalar);
  return s.cast(scalar, s.getBuilder().getF64Type(), false, false);
}

/// What was computed as f64, as an element of the result. Integers are cut off
/// from what is an integer as f32 already, not from the rounding errors of f64.
static Value toElement(Lowering &l, ScalarBuilder &s, Value value,
                       Type element) {
  if (isa<IntegerType>(element))
    value = s.cast(value, s.getBuilder().getF32Type(), false, false);
  auto declared = cast<TensorType>(l.op->getResult(0).getType());
  return s.cast(value, element, false,
                declared.getElementType().isUnsignedInteger());
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// a0 - a1 cos(t) + a2 cos(2 t), where t goes once around.
struct CosineWindow {
  double a0, a1, a2;
};

template <typename OpTy>
static LogicalResult lowerWindow(OpTy op, typename OpTy::Adaptor operands,
                                 Lowering &l, const CosineWindow &window) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Type element = l.resultType().getElementType();
  // A symmetric window ends where a periodic one begins again.
  Value size = l.asValue(op.getPeriodic() ? sizes->front()
                                          : l.sub(sizes->front(), l.attr(1)));
  return l.replace(
      l.generate(*sizes, element, [&](ScalarBuilder &s, ValueRange indices) {
        Value turns = s.div(toF64(s, indices[0]), toF64(s, size));
        Value angle = s.mul(turns, s.constant(turns, 2 * M_PI));
        auto harmonic = [&](double factor, Value angle) {
          Value scale = s.constant(angle, factor);
          return s.mul(scale, s.cos(angle));
        };
        Value first = s.constant(angle, window.a0);
        Value sum = s.sub(first, harmonic(window.a1, angle));
        if (window.a2 != 0)
          sum = s.add(sum, harmonic(window.a2, s.add(angle, angle)));
        return toElement(l, s, sum, element);
      }));
}

static LogicalResult
lowerHannWindow(HannWindowOp op, HannWindowOp::Adaptor operands, Lowering &l) {
  return lowerWindow(op, operands, l, {0.5, 0.5, 0});
}
static LogicalResult lowerHammingWindow(HammingWindowOp op,
                                        HammingWindowOp::Adaptor operands,
                                        Lowering &l) {
  return lowerWindow(op, operands, l, {25.0 / 46, 21.0 / 46, 0});
}
static LogicalResult lowerBlackmanWindow(BlackmanWindowOp op,
                                         BlackmanWindowOp::Adaptor operands,
                                         Lowering &l) {
  return lowerWindow(op, operands, l, {0.42, 0.5, 0.08});
}

//===----------------------------------------------------------------------===//
// MelWeightMatrix
//===----------------------------------------------------------------------===//

/// A column for each band: a triangle over the bins between the edges of its
/// neighbors, which are equally far from each other on the mel scale.
static LogicalResult lowerMelWeightMatrix(MelWeightMatrixOp,
                                          MelWeightMatrixOp::Adaptor operands,
                                          Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  ScalarBuilder scalars(l.b, l.loc, l.b.getF64Type(), false);
  auto read = [&](Value operand) { return toF64(scalars, l.scalar(operand)); };
  auto toMel = [&](Value hertz) {
    ScalarBuilder &s = scalars;
    Value log = s.log1p(s.div(hertz, s.constant(hertz, 700)));
    return s.mul(log, s.constant(log, 2595 / std::log(10)));
  };
  Value low = toMel(read(operands.getLowerEdgeHertz()));
  Value high = toMel(read(operands.getUpperEdgeHertz()));
  OpFoldResult edges = l.add((*sizes)[1], l.attr(2));
  Value range = scalars.sub(high, low);
  Value step = scalars.div(range, toF64(scalars, l.asValue(edges)));
  Value rate = read(operands.getSampleRate());
  Value length = read(operands.getDftLength());
  length = scalars.add(length, scalars.one(length));

  // The bin of each edge.
  Value bins = l.generate(
      edges, l.b.getF64Type(), [&](ScalarBuilder &s, ValueRange indices) {
        Value mel = s.add(low, s.mul(step, toF64(s, indices[0])));
        Value hertz = s.expm1(s.mul(mel, s.constant(mel, std::log(10) / 2595)));
        hertz = s.mul(hertz, s.constant(hertz, 700));
        return s.floor(s.div(s.mul(length, hertz), rate));
      });
  Type element = l.resultType().getElementType();
  return l.replace(
      l.generate(*sizes, element, [&](ScalarBuilder &s, ValueRange indices) {
        auto edge = [&](int64_t offset) -> Value {
          Value at = s.add(indices[1], arith::ConstantIndexOp::create(
                                           s.getBuilder(), s.getLoc(), offset));
          return tensor::ExtractOp::create(s.getBuilder(), s.getLoc(), bins,
                                           at);
        };
        Value bin = toF64(s, indices[0]);
        Value left = edge(0), center = edge(1), right = edge(2);
        Value fromLeft = s.sub(bin, left);
        Value rising = s.div(fromLeft, s.sub(center, left));
        Value toRight = s.sub(right, bin);
        Value falling = s.div(toRight, s.sub(right, center));
        // At the center, where a side may have no width, the weight is 1.
        Value zero = s.zero(bin);
        Value isBelowCenter = s.lt(bin, center);
        Value rise = s.select(s.ge(bin, left), rising, zero);
        Value weight = s.select(isBelowCenter, rise,
                                s.select(s.lt(bin, right), falling, zero));
        Value isCenter = s.eq(bin, center);
        weight = s.select(isCenter, s.one(bin), weight);
        return toElement(l, s, weight, element);
      }));
}

//===----------------------------------------------------------------------===//
// DFT, STFT
//===----------------------------------------------------------------------===//

/// The transforms of length `length` along `axis`, by the runtime, which knows
/// f32 and f64.
static Value transform(Lowering &l, Value x, Value axis, Value length,
                       bool isInverse, bool isOnesided,
                       ArrayRef<OpFoldResult> sizes) {
  Type element = Lowering::elementType(x), type = getAccumulatorType(element);
  auto flag = [&](bool value) {
    return l.constant(l.b.getI64IntegerAttr(value));
  };
  SmallVector<Value> inputs = {l.castElements(x, type), axis, length,
                               flag(isInverse), flag(isOnesided)};
  SmallVector<Value> y = l.call("dft", inputs, l.empty(sizes, type));
  return l.castElements(y.front(), element);
}

static Value isPositive(Lowering &l, Value index) {
  return l.b.createOrFold<arith::CmpIOp>(l.loc, arith::CmpIPredicate::sgt,
                                         index, l.index(0));
}

static LogicalResult lowerDFT(DFTOp op, DFTOp::Adaptor operands, Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getInput();
  int64_t rank = Lowering::rank(x);
  bool isInverse = op.getInverse() != 0, isOnesided = op.getOnesided() != 0;
  Value parts = l.asValue(l.sub(l.dim(x, rank - 1), l.attr(1)));
  l.check(l.b.createOrFold<arith::CmpIOp>(l.loc, arith::CmpIPredicate::ule,
                                          parts, l.index(1)),
          "the last dimension must be 1 (real) or 2 (complex)");
  OpFoldResult axis = l.attr(rank - 2);
  if (Value given = operands.getAxis()) {
    axis = l.asIndex(l.scalar(given));
    Value at = l.asValue(axis);
    ScalarBuilder s(l.b, l.loc, at.getType(), false);
    Value isNegative = s.lt(at, l.index(0));
    axis =
        getAsOpFoldResult(s.select(isNegative, s.add(at, l.index(rank)), at));
  }
  Value length;
  if (Value given = operands.getDftLength()) {
    length = l.asValue(l.asIndex(l.scalar(given)));
  } else {
    // The size of the axis, which may be known at run time only.
    length = l.index(1);
    ScalarBuilder s(l.b, l.loc, length.getType(), false);
    for (int64_t i = 0; i + 1 < rank; ++i) {
      Value number = l.asValue(axis);
      Value isAxis = s.eq(number, l.index(i));
      length = s.select(isAxis, l.asValue(l.dim(x, i)), length);
    }
    if (isInverse && isOnesided) {
      Value pairs = s.sub(length, l.index(1));
      length = s.mul(pairs, l.index(2));
    }
  }
  l.check(isPositive(l, length),
          "the length of the transform must be positive");
  return l.replace(
      transform(l, x, l.asValue(axis), length, isInverse, isOnesided, *sizes));
}

static LogicalResult lowerSTFT(STFTOp op, STFTOp::Adaptor operands,
                               Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value signal = operands.getSignal(), window = operands.getWindow();
  bool hasParts = Lowering::rank(signal) == 3;
  if ((!hasParts && Lowering::rank(signal) != 2) ||
      (window && Lowering::rank(window) != 1))
    return l.invalid("the signal must have rank 3, or 2 if it is real, and the "
                     "window rank 1");
  OpFoldResult length = l.dim(signal, 1);
  if (Value given = operands.getFrameLength()) {
    length = l.asIndex(l.scalar(given));
    if (window && failed(l.fit(window, length, "window")))
      return failure();
  } else if (window) {
    length = l.dim(window, 0);
  }
  ScalarBuilder scalars(l.b, l.loc, l.b.getIndexType(), false);
  l.check(isPositive(l, l.asValue(length)),
          "the length of a frame must be positive");
  Value frameLength = l.asValue(length);
  l.check(scalars.le(frameLength, l.asValue(l.dim(signal, 1))),
          "a frame must not be longer than the signal");
  Value step = l.asValue(l.asIndex(l.scalar(operands.getFrameStep())));

  // Loops: batch, frame, time, real and imaginary part.
  Type element = Lowering::elementType(signal);
  Sizes frames{(*sizes)[0], (*sizes)[1], length,
               hasParts ? l.dim(signal, 2) : l.attr(1)};
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (window) {
    inputs.push_back(window);
    maps.push_back(AffineMap::get(4, 0, l.b.getAffineDimExpr(2)));
  }
  Value windowed = l.map(
      inputs, maps, frames, element, [&](ScalarBuilder &s, ValueRange args) {
        OpBuilder &b = s.getBuilder();
        auto loop = [&](int64_t i) -> Value {
          return linalg::IndexOp::create(b, s.getLoc(), i);
        };
        Value batch = loop(0), start = s.mul(loop(1), step);
        SmallVector<Value> at{batch, s.add(start, loop(2))};
        if (hasParts)
          at.push_back(loop(3));
        Value x = tensor::ExtractOp::create(b, s.getLoc(), signal, at);
        return window ? s.mul(x, args[0]) : x;
      });
  Value axis = l.index(2);
  return l.replace(transform(l, windowed, axis, l.asValue(length), false,
                             op.getOnesided() != 0, *sizes));
}

void onnxc::populateSignal(Lowerings &lowerings) {
  lowerings.add<BlackmanWindowOp>(lowerBlackmanWindow);
  lowerings.add<DFTOp>(lowerDFT);
  lowerings.add<HammingWindowOp>(lowerHammingWindow);
  lowerings.add<HannWindowOp>(lowerHannWindow);
  lowerings.add<MelWeightMatrixOp>(lowerMelWeightMatrix);
  lowerings.add<STFTOp>(lowerSTFT);
}
