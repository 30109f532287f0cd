//===- DecomposeTensorFunctions.cpp - Bodies that see whole tensors -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionBody.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Loss.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Random.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/Signal.h"
#include "onnxc/Dialect/ONNX/Trigonometry.h"
#include "onnxc/Support/SaturatingInt.h"

#include <limits>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

static bool isFloat(Value x) {
  return isa_and_present<FloatType>(getElementType(x));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// In what elements of a type are added up: halves overflow and round.
static Type getSumType(Type element) {
  auto type = dyn_cast<FloatType>(element);
  return type && type.getWidth() < 32 ? Float32Type::get(type.getContext())
                                      : element;
}

/// Whether the op certainly reduces: it is not clear what else happens to the
/// elements if it does not.
template <typename Op> static bool isReducing(Op op) {
  if (!op.getNoopWithEmptyAxes())
    return true;
  auto axes = op.getAxes() ? getIntegers(op.getAxes()) : std::nullopt;
  return axes && !axes->empty();
}

/// The sum of `prepare(data)`, and what `complete` makes of that.
template <typename Op>
static BodyResults
inlineSum(FunctionBody &b, Op op,
          function_ref<Value(FunctionBody &, Value)> prepare,
          function_ref<Value(FunctionBody &, Value)> complete) {
  Type element = getElementType(op.getData());
  if (!element || !isReducing(op))
    return {};
  Value x = prepare(b, b.cast(op.getData(), getSumType(element)));
  Value sum = b.reduce<ReduceSumOp>(x, op.getAxes(), op.getKeepdims());
  return b.cast(complete(b, sum), element);
}

static Value makeSame(FunctionBody &, Value x) { return x; }
static Value makeSquare(FunctionBody &b, Value x) { return b.mul(x, x); }
static Value makeLog(FunctionBody &b, Value x) { return b.log(x); }
static Value makeAbs(FunctionBody &b, Value x) { return b.abs(x); }

static BodyResults inlineReduceL1(FunctionBody &b, ReduceL1Op op) {
  return inlineSum(b, op, makeAbs, makeSame);
}

static BodyResults inlineReduceL2(FunctionBody &b, ReduceL2Op op) {
  return inlineSum(b, op, makeSquare, [](FunctionBody &b, Value sum) {
    return b.sqrt(isFloat(sum) ? sum : b.cast(sum, b.builder.getF64Type()));
  });
}

static BodyResults inlineReduceSumSquare(FunctionBody &b,
                                         ReduceSumSquareOp op) {
  return inlineSum(b, op, makeSquare, makeSame);
}

static BodyResults inlineReduceLogSum(FunctionBody &b, ReduceLogSumOp op) {
  if (!isFloat(op.getData()))
    return {};
  return inlineSum(b, op, makeSame, makeLog);
}

/// With the greatest one taken out, as exp overflows; but not an infinite one.
static BodyResults inlineReduceLogSumExp(FunctionBody &b,
                                         ReduceLogSumExpOp op) {
  if (!isFloat(op.getData()) || !isReducing(op) ||
      (op.getAxes() && !isConstant(op.getAxes())))
    return {};
  Type element = getElementType(op.getData());
  Value x = b.cast(op.getData(), getSumType(element));
  Value greatest = b.reduce<ReduceMaxOp>(x, op.getAxes());
  Value infinity = b.number(std::numeric_limits<double>::infinity(), x);
  Value isFinite = b.less(b.abs(greatest), infinity);
  greatest = b.where(isFinite, greatest, b.number(0, x));
  Value sum = b.reduce<ReduceSumOp>(b.exp(b.sub(x, greatest)), op.getAxes(),
                                    op.getKeepdims());
  if (!op.getKeepdims())
    greatest = b.reduce<ReduceSumOp>(greatest, op.getAxes(), false);
  return b.cast(b.add(b.log(sum), greatest), element);
}

//===----------------------------------------------------------------------===//
// Softmax and losses
//===----------------------------------------------------------------------===//

/// exp(x - max), or x - max, and the sum of the former.
namespace {
struct Shifted {
  Value x, exp, sum;
};
} // namespace

static Shifted makeShifted(FunctionBody &b, Value x, int64_t axis) {
  Value axes = b.ints(axis);
  Value shifted = b.sub(x, b.reduce<ReduceMaxOp>(x, axes));
  Value exp = b.exp(shifted);
  return {shifted, exp, b.reduce<ReduceSumOp>(exp, axes)};
}

static Value makeLogSoftmax(FunctionBody &b, Value x, int64_t axis) {
  Shifted shifted = makeShifted(b, x, axis);
  return b.sub(shifted.x, b.log(shifted.sum));
}

Value optimize::makeSoftmax(FunctionBody &b, Value x, int64_t axis) {
  Shifted shifted = makeShifted(b, x, axis);
  return b.div(shifted.exp, shifted.sum);
}

static BodyResults inlineSoftmax(FunctionBody &b, SoftmaxOp op) {
  return makeSoftmax(b, op.getInput(), op.getAxis());
}

static BodyResults inlineLogSoftmax(FunctionBody &b, LogSoftmaxOp op) {
  return makeLogSoftmax(b, op.getInput(), op.getAxis());
}

/// The loss of each element, or their sum or mean. What is ignored has no loss
/// and no weight.
template <typename Op>
static Value makeLoss(FunctionBody &b, Op op, Value input, Value target,
                      Value weight) {
  Type index = getElementType(target);
  Value axes = b.ints(1), ignored;
  if (std::optional<int64_t> number = op.getIgnoreIndex()) {
    Type i64 = b.builder.getI64Type();
    ignored = b.make<EqualOp>({b.cast(target, i64), b.number(*number, i64)});
    target = b.where(ignored, b.number(0, index), target);
  }
  Value picked = b.make<GatherElementsOp>(
      {input, b.make<UnsqueezeOp>({target, axes})}, b.attribute("axis", 1));
  Value loss = b.make<NegOp>(b.make<SqueezeOp>({picked, axes}));
  Value zero = b.number(0, input);
  if (weight)
    weight = b.make<GatherOp>({weight, target});
  if (ignored) {
    loss = b.where(ignored, zero, loss);
    weight = b.where(ignored, zero, weight ? weight : b.number(1, input));
  }
  if (weight)
    loss = b.mul(loss, weight);
  if (op.getReduction() == "none")
    return loss;
  if (op.getReduction() == "mean" && !weight)
    return b.reduce<ReduceMeanOp>(loss, {}, false);
  Value sum = b.reduce<ReduceSumOp>(loss, {}, false);
  if (op.getReduction() == "sum")
    return sum;
  return b.div(sum, b.reduce<ReduceSumOp>(weight, {}, false));
}

static BodyResults inlineNegativeLogLikelihood(FunctionBody &b,
                                               NegativeLogLikelihoodLossOp op) {
  if (!isFloat(op.getInput()) || !getElementType(op.getTarget()))
    return {};
  return makeLoss(b, op, op.getInput(), op.getTarget(), op.getWeight());
}

static BodyResults inlineSoftmaxCrossEntropy(FunctionBody &b,
                                             SoftmaxCrossEntropyLossOp op) {
  if (!isFloat(op.getScores()) || !getElementType(op.getLabels()))
    return {};
  Value logProb = makeLogSoftmax(b, op.getScores(), 1);
  BodyResults results(
      makeLoss(b, op, logProb, op.getLabels(), op.getWeights()));
  if (op.getLogProb())
    results.push_back(logProb);
  return results;
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

/// The type that statistics have: the one of stash_type, and no narrower one
/// than the data's. Null if there is none.
static Type getStatisticsType(Value x, int64_t stashType) {
  auto element = dyn_cast_or_null<FloatType>(getElementType(x));
  auto stash = dyn_cast_or_null<FloatType>(
      element ? getElementType(element.getContext(), stashType) : Type());
  if (!stash)
    return {};
  return element.getWidth() > stash.getWidth() ? element : stash;
}

/// The axes from `axis` on; null if they are not known.
static std::optional<SmallVector<int64_t>> getAxesFrom(Value x, int64_t axis) {
  if (axis < 0)
    return llvm::to_vector(llvm::seq<int64_t>(axis, 0));
  std::optional<int64_t> rank = getRank(x);
  if (!rank || axis >= *rank)
    return std::nullopt;
  return llvm::to_vector(llvm::seq<int64_t>(axis, *rank));
}

namespace {
/// (x - mean) / deviation. The variance is the mean of the squares of x - mean:
/// as difference of two means it may become negative.
struct Normalized {
  Value x, mean, deviation;
};
} // namespace

static Normalized normalize(FunctionBody &b, Value x, Value axes,
                            double epsilon) {
  Value mean = b.reduce<ReduceMeanOp>(x, axes);
  Value centered = b.sub(x, mean);
  Value variance = b.reduce<ReduceMeanOp>(b.mul(centered, centered), axes);
  Value deviation = b.sqrt(b.add(variance, b.number(epsilon, x)));
  return {b.div(centered, deviation), mean, deviation};
}

static BodyResults inlineLayerNormalization(FunctionBody &b,
                                            LayerNormalizationOp op) {
  Type type = getStatisticsType(op.getX(), op.getStashType());
  auto axes = getAxesFrom(op.getX(), op.getAxis());
  if (!type || !axes)
    return {};
  Type element = getElementType(op.getX());
  Normalized normalized = normalize(b, b.cast(op.getX(), type), b.ints(*axes),
                                    op.getEpsilon().convertToDouble());
  Value y = b.mul(b.cast(normalized.x, element), op.getScale());
  if (op.getB())
    y = b.add(y, op.getB());
  BodyResults results(y);
  Type stash = getElementType(element.getContext(), op.getStashType());
  if (op.getMean())
    results.push_back(b.cast(normalized.mean, stash));
  if (op.getInvStdDev())
    results.push_back(
        b.cast(b.make<ReciprocalOp>(normalized.deviation), stash));
  return results;
}

static BodyResults inlineRMSNormalization(FunctionBody &b,
                                          RMSNormalizationOp op) {
  Type type = getStatisticsType(op.getX(), op.getStashType());
  Type scaled = getElementType(op.getScale());
  auto axes = getAxesFrom(op.getX(), op.getAxis());
  if (!type || !axes || !scaled)
    return {};
  Value x = b.cast(op.getX(), type);
  Value squares = b.mul(x, x);
  Value square = b.reduce<ReduceMeanOp>(squares, b.ints(*axes));
  Value epsilon = b.number(op.getEpsilon().convertToDouble(), x);
  Value normalized = b.div(x, b.sqrt(b.add(square, epsilon)));
  return b.mul(b.cast(normalized, scaled), op.getScale());
}

static BodyResults inlineGroupNormalization(FunctionBody &b,
                                            GroupNormalizationOp op) {
  Value x = op.getX();
  Type type = getStatisticsType(x, op.getStashType());
  std::optional<int64_t> rank = getRank(x);
  int64_t groups = op.getNumGroups();
  if (!type || !rank || *rank < 2 || groups < 1)
    return {};
  SmallVector<KnownOrValue> dims, grouped;
  for (int64_t i = 0; i < *rank; ++i) {
    dims.push_back(b.dim(x, i));
    if (i == 1)
      grouped.append({groups, b.over(dims[1], groups)});
    else
      grouped.push_back(dims[i]);
  }
  Value wide = b.reshapeTo(b.cast(x, type), grouped);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(2, *rank + 1));
  Normalized normalized =
      normalize(b, wide, b.ints(axes), op.getEpsilon().convertToDouble());
  Value y = b.cast(b.reshapeTo(normalized.x, dims), getElementType(x));
  auto alongChannels = [&](Value parameter) {
    if (*rank == 2)
      return parameter;
    auto behind = llvm::to_vector(llvm::seq<int64_t>(1, *rank - 1));
    return b.unsqueeze(parameter, behind);
  };
  Value scaled = b.mul(y, alongChannels(op.getScale()));
  return b.add(scaled, alongChannels(op.getBias()));
}

static BodyResults
inlineMeanVarianceNormalization(FunctionBody &b,
                                MeanVarianceNormalizationOp op) {
  Value x = op.getX();
  if (!isFloat(x))
    return {};
  Value axes = op.getAxes().empty() ? Value() : b.ints(op.getAxes());
  Value centered = b.sub(x, b.reduce<ReduceMeanOp>(x, axes));
  Value variance = b.reduce<ReduceMeanOp>(b.mul(centered, centered), axes);
  Value deviation = b.sqrt(variance);
  return b.div(centered, b.add(deviation, b.number(1e-9, x)));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// The dims if they are of an image, and Reshape can say them.
static std::optional<SmallVector<KnownOrValue>> getImageDims(FunctionBody &b,
                                                             Value x) {
  std::optional<ArrayRef<int64_t>> shape = getShape(x);
  if (!shape || shape->size() != 4 || !b.canReshape(*shape))
    return std::nullopt;
  SmallVector<KnownOrValue> dims;
  for (int64_t i = 0; i < 4; ++i)
    dims.push_back(b.dim(x, i));
  return dims;
}

static BodyResults inlineDepthToSpace(FunctionBody &b, DepthToSpaceOp op) {
  auto dims = getImageDims(b, op.getInput());
  if (!dims)
    return {};
  int64_t size = op.getBlocksize();
  KnownOrValue n = (*dims)[0],
               c = b.over((*dims)[1], SaturatingInt(size) * size),
               h = (*dims)[2], w = (*dims)[3];
  bool depthFirst = op.getMode() != "CRD";
  SmallVector<KnownOrValue> cut =
      depthFirst ? SmallVector<KnownOrValue>{n, size, size, c, h, w}
                 : SmallVector<KnownOrValue>{n, c, size, size, h, w};
  Value moved = b.transpose(b.reshapeTo(op.getInput(), cut),
                            depthFirst ? ArrayRef<int64_t>{0, 3, 4, 1, 5, 2}
                                       : ArrayRef<int64_t>{0, 1, 4, 2, 5, 3});
  return b.reshapeTo(moved, {n, c, b.times(h, size), b.times(w, size)});
}

static BodyResults inlineSpaceToDepth(FunctionBody &b, SpaceToDepthOp op) {
  auto dims = getImageDims(b, op.getInput());
  if (!dims || op.getMode() != "DCR")
    return {};
  int64_t size = op.getBlocksize();
  KnownOrValue n = (*dims)[0], c = (*dims)[1], h = b.over((*dims)[2], size),
               w = b.over((*dims)[3], size);
  Value moved = b.transpose(
      b.reshapeTo(op.getInput(), {n, c, h, size, w, size}), {0, 3, 5, 1, 2, 4});
  return b.reshapeTo(moved, {n, b.times(c, SaturatingInt(size) * size), h, w});
}

static BodyResults inlineCenterCropPad(FunctionBody &b, CenterCropPadOp op) {
  Value x = op.getInputData();
  std::optional<int64_t> rank = getRank(x);
  if (!rank || !getElementType(op.getShape()))
    return {};
  Value axes =
      b.ints(op.getAxes() ? llvm::to_vector(*op.getAxes())
                          : llvm::to_vector(llvm::seq<int64_t>(0, *rank)));
  Value two = b.ints(2), size = b.cast(op.getShape(), b.builder.getI64Type());
  auto getSizes = [&](Value x) {
    return b.make<GatherOp>({b.make<ShapeOp>(x), axes});
  };
  Value has = getSizes(x), amount = b.sub(b.max(has, size), has);
  Value before = b.div(amount, two);
  Value pads = b.concat({before, b.sub(amount, before)}, 0);
  Value padded =
      b.make<PadOp>({x, pads, {}, axes}, b.attribute("mode", "constant"));
  Value start = b.div(b.sub(getSizes(padded), size), two);
  return b.make<SliceOp>({padded, start, b.add(start, size), axes});
}

//===----------------------------------------------------------------------===//
// Quantization, windows, random numbers
//===----------------------------------------------------------------------===//

static BodyResults inlineDynamicQuantizeLinear(FunctionBody &b,
                                               DynamicQuantizeLinearOp op) {
  Value x = op.getX();
  if (!isFloat(x))
    return {};
  Value zero = b.number(0, x), most = b.number(255, x);
  Value least = b.min(b.reduce<ReduceMinOp>(x, {}, false), zero);
  Value range = b.sub(b.max(b.reduce<ReduceMaxOp>(x, {}, false), zero), least);
  // All zeros have any scale but 0: that of ONNX Runtime is 1.
  Value isZero = b.make<EqualOp>({range, zero});
  range = b.where(isZero, most, range);
  Value scale = b.div(range, most);
  Value zeroPoint = b.sub(zero, b.div(least, scale));
  zeroPoint = b.make<RoundOp>(b.max(b.min(zeroPoint, most), zero));
  zeroPoint = b.cast(zeroPoint, b.builder.getIntegerType(8, false));
  return {b.make<QuantizeLinearOp>({x, scale, zeroPoint}), scale, zeroPoint};
}

/// a0 - a1 cos(t) + a2 cos(2 t), t from 0 to 2 pi.
template <typename Op>
static BodyResults makeWindow(FunctionBody &b, Op op, double a0, double a1,
                              double a2) {
  Type index = getElementType(op.getSize());
  Type element = getElementType(op.getContext(), op.getOutputDatatype());
  if (!index || !element)
    return {};
  Type type = element.isF64() ? element : b.builder.getF32Type();
  Value size = b.cast(op.getSize(), type);
  if (!op.getPeriodic())
    size = b.sub(size, b.number(1, type));
  Value range =
      b.make<RangeOp>({b.number(0, index), op.getSize(), b.number(1, index)});
  Value step = b.div(b.number(2 * 3.14159265358979323846, type), size);
  Value angle = b.mul(b.cast(range, type), step);
  Value first = b.number(a0, type);
  Value factor = b.number(a1, type);
  Value window = b.sub(first, b.mul(factor, b.make<CosOp>(angle)));
  if (a2 != 0) {
    Value factor = b.number(a2, type);
    window = b.add(
        window, b.mul(factor, b.make<CosOp>(b.mul(angle, b.number(2, type)))));
  }
  return b.cast(window, element);
}

static BodyResults inlineHannWindow(FunctionBody &b, HannWindowOp op) {
  return makeWindow(b, op, 0.5, 0.5, 0);
}
static BodyResults inlineHammingWindow(FunctionBody &b, HammingWindowOp op) {
  return makeWindow(b, op, 25.0 / 46, 21.0 / 46, 0);
}
static BodyResults inlineBlackmanWindow(FunctionBody &b, BlackmanWindowOp op) {
  return makeWindow(b, op, 0.42, 0.5, 0.08);
}

static BodyResults inlineBernoulli(FunctionBody &b, BernoulliOp op) {
  Type element = getElementType(op.getInput());
  Type type = element;
  if (op.getDtype())
    type = getElementType(op.getContext(), *op.getDtype());
  if (!isFloat(op.getInput()) || !type)
    return {};
  SmallVector<NamedAttribute> attributes;
  if (op.getSeedAttr())
    attributes.push_back(b.attribute("seed", op.getSeedAttr()));
  Value random = b.make<RandomUniformLikeOp>(op.getInput(), attributes);
  return b.cast(b.less(random, op.getInput()), type);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

void optimize::populateTensorFunctions(RewritePatternSet &patterns,
                                       const RewriteOptions &options) {
  auto add = [&](auto body, int64_t since) {
    addBody(patterns, options, body, since);
  };
  add(inlineBernoulli, 15);
  add(inlineBlackmanWindow, 17);
  add(inlineCenterCropPad, 18);
  add(inlineDepthToSpace, 5);
  add(inlineDynamicQuantizeLinear, 11);
  add(inlineGroupNormalization, 21);
  add(inlineHammingWindow, 17);
  add(inlineHannWindow, 17);
  add(inlineLayerNormalization, 17);
  add(inlineLogSoftmax, 7);
  add(inlineMeanVarianceNormalization, 9);
  add(inlineNegativeLogLikelihood, 12);
  add(inlineRMSNormalization, 23);
  add(inlineReduceL1, 7);
  add(inlineReduceL2, 7);
  add(inlineReduceLogSum, 7);
  add(inlineReduceLogSumExp, 9);
  add(inlineReduceSumSquare, 7);
  add(inlineSoftmax, 7);
  add(inlineSoftmaxCrossEntropy, 12);
  add(inlineSpaceToDepth, 5);
}
