//===- Normalization.cpp - Softmax, batch, layer and other norms ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Softmax.h"

#include "onnxc/Dialect/ONNX/Normalization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

/// Sum over `axes` of `body(x, y)`, where `y` (optional) has the dimensions
/// that are kept.
static Value sumOver(Lowering &l, Value x, Value y, ArrayRef<int64_t> axes,
                     Type type, ScalarBody body) {
  int64_t rank = Lowering::rank(x);
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  Sizes kept;
  for (int64_t i = 0; i < rank; ++i) {
    if (llvm::is_contained(axes, i))
      iterators[i] = IteratorType::reduction;
    else
      kept.push_back(l.dim(x, i));
  }
  AffineMap keptMap = l.dropDims(rank, axes);
  SmallVector<Value> inputs{x};
  SmallVector<AffineMap> maps{l.identityMap(rank)};
  if (y) {
    inputs.push_back(y);
    maps.push_back(keptMap);
  }
  maps.push_back(keptMap);
  return l.generic(inputs, l.filled(kept, l.constant(type, 0)), maps, iterators,
                   [&](ScalarBuilder &s, ValueRange args) {
                     SmallVector<Value> wide;
                     for (Value arg : args.drop_back())
                       wide.push_back(s.cast(arg, type, false, false));
                     return s.add(args.back(), body(s, wide));
                   });
}

/// The number of elements along `axes`, as a number of `type`.
static Value countOver(Lowering &l, Value x, ArrayRef<int64_t> axes,
                       Type type) {
  Sizes sizes;
  for (int64_t axis : axes)
    sizes.push_back(l.dim(x, axis));
  OpFoldResult count = l.product(sizes);
  if (std::optional<int64_t> known = getConstantIntValue(count))
    return l.constant(type, double(*known));
  ScalarBuilder s(l.b, l.loc, type, false);
  return s.cast(l.asElement(count, l.b.getI64Type()), type, false, false);
}

namespace {
/// Over some axes, with the dimensions that are kept.
struct Statistics {
  Value mean, variance;
};
} // namespace

static Statistics computeStatistics(Lowering &l, Value x,
                                    ArrayRef<int64_t> axes, Type type) {
  Value count = countOver(l, x, axes, type);
  auto divide = [&](Value sum) {
    return l.mapSame(sum, type, [&](ScalarBuilder &s, ValueRange args) {
      return s.div(args[0], count);
    });
  };
  Value mean =
      divide(sumOver(l, x, {}, axes, type,
                     [](ScalarBuilder &, ValueRange args) { return args[0]; }));
  Value variance = divide(
      sumOver(l, x, mean, axes, type, [](ScalarBuilder &s, ValueRange args) {
        Value d = s.sub(args[0], args[1]);
        return s.mul(d, d);
      }));
  return {mean, variance};
}

/// 1 / sqrt(variance + epsilon)
static Value invertDeviation(Lowering &l, Value variance, double epsilon) {
  Type type = Lowering::elementType(variance);
  return l.mapSame(variance, type, [&](ScalarBuilder &s, ValueRange args) {
    Value x = s.add(args[0], s.constant(args[0], epsilon));
    Value one = s.one(x);
    return s.div(one, s.sqrt(x));
  });
}

/// (x - mean) * inverse * scale + bias; mean and inverse lack `axes`, mean,
/// scale and bias may be null. `affineMap` is how scale and bias are read.
static Value normalize(Lowering &l, Value x, ArrayRef<int64_t> axes, Value mean,
                       Value inverse, Value scale, AffineMap scaleMap,
                       Value bias, AffineMap biasMap, Type type) {
  int64_t rank = Lowering::rank(x);
  SmallVector<Value> inputs{x};
  SmallVector<AffineMap> maps{l.identityMap(rank)};
  auto read = [&](Value value, AffineMap map) {
    if (!value)
      return;
    inputs.push_back(value);
    maps.push_back(map);
  };
  read(mean, l.dropDims(rank, axes));
  read(inverse, l.dropDims(rank, axes));
  read(scale, scaleMap);
  read(bias, biasMap);
  Type element = Lowering::elementType(x);
  return l.map(inputs, maps, l.sizes(x), element,
               [&](ScalarBuilder &s, ValueRange args) {
                 unsigned next = 0;
                 auto take = [&] {
                   return s.cast(args[next++], type, false, false);
                 };
                 Value y = take();
                 if (mean)
                   y = s.sub(y, take());
                 y = s.mul(y, take());
                 if (scale)
                   y = s.mul(y, take());
                 if (bias)
                   y = s.add(y, take());
                 return s.cast(y, element, false, false);
               });
}

static SmallVector<int64_t> axesFrom(int64_t first, int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(first, std::max(first, rank)));
}

//===----------------------------------------------------------------------===//
// BatchNormalization
//===----------------------------------------------------------------------===//

/// Per channel: x * factor + offset, of factor = scale / sqrt(var + epsilon).
static Value normalizeByChannel(Lowering &l, Value x, Value scale, Value bias,
                                Value mean, Value variance, double epsilon) {
  Type element = Lowering::elementType(x);
  Type type = getAccumulatorType(element);
  Value factor = l.mapSame(
      {scale, variance}, type, [&](ScalarBuilder &s, ValueRange args) {
        Value v = s.cast(args[1], type, false, false);
        v = s.sqrt(s.add(v, s.constant(v, epsilon)));
        return s.div(s.cast(args[0], type, false, false), v);
      });
  Value offset = l.mapSame({bias, mean, factor}, type,
                           [&](ScalarBuilder &s, ValueRange args) {
                             Value b = s.cast(args[0], type, false, false);
                             Value m = s.cast(args[1], type, false, false);
                             return s.sub(b, s.mul(m, args[2]));
                           });
  int64_t rank = Lowering::rank(x);
  AffineMap channel = AffineMap::get(
      rank, 0, l.b.getAffineDimExpr(rank > 1 ? 1 : 0), l.b.getContext());
  return l.map({x, factor, offset}, {l.identityMap(rank), channel, channel},
               l.sizes(x), element, [&](ScalarBuilder &s, ValueRange args) {
                 Value y = s.cast(args[0], type, false, false);
                 return s.cast(s.add(s.mul(y, args[1]), args[2]), element,
                               false, false);
               });
}

static LogicalResult
lowerBatchNormalization(BatchNormalizationOp op,
                        BatchNormalizationOp::Adaptor operands, Lowering &l) {
  Value x = operands.getX(), mean = operands.getInputMean(),
        variance = operands.getInputVar();
  double epsilon = op.getEpsilon().convertToDouble();
  int64_t rank = Lowering::rank(x);
  if (!op.getTrainingMode()) {
    if (op->getNumResults() != 1)
      return l.invalid("outside of training it must have one output");
    return l.replace(normalizeByChannel(
        l, x, operands.getScale(), operands.getB(), mean, variance, epsilon));
  }
  if (rank < 2)
    return l.fail("training mode on a vector");
  SmallVector<int64_t> axes = axesFrom(2, rank);
  axes.insert(axes.begin(), 0);
  Type type = getAccumulatorType(Lowering::elementType(x));
  Statistics batch = computeStatistics(l, x, axes, type);
  double momentum = op.getMomentum().convertToDouble();
  auto blend = [&](Value running, Value current) {
    Type element = Lowering::elementType(running);
    return l.mapSame(
        {running, current}, element, [&](ScalarBuilder &s, ValueRange args) {
          Value r = s.cast(args[0], type, false, false);
          Value kept = s.mul(r, s.constant(r, momentum));
          Value sum = s.add(kept, s.mul(args[1], s.constant(r, 1 - momentum)));
          return s.cast(sum, element, false, false);
        });
  };
  SmallVector<Value> results{normalizeByChannel(l, x, operands.getScale(),
                                                operands.getB(), batch.mean,
                                                batch.variance, epsilon)};
  if (op.getRunningMean())
    results.push_back(blend(mean, batch.mean));
  if (op.getRunningVar())
    results.push_back(blend(variance, batch.variance));
  return l.replace(results);
}

//===----------------------------------------------------------------------===//
// Statistics per sample
//===----------------------------------------------------------------------===//

static LogicalResult
lowerInstanceNormalization(InstanceNormalizationOp op,
                           InstanceNormalizationOp::Adaptor operands,
                           Lowering &l) {
  Value x = operands.getInput();
  int64_t rank = Lowering::rank(x);
  Type type = getAccumulatorType(Lowering::elementType(x));
  SmallVector<int64_t> axes = axesFrom(2, rank);
  Statistics own = computeStatistics(l, x, axes, type);
  Value inverse =
      invertDeviation(l, own.variance, op.getEpsilon().convertToDouble());
  AffineMap channel = AffineMap::get(rank, 0, l.b.getAffineDimExpr(1));
  return l.replace(normalize(l, x, axes, own.mean, inverse, operands.getScale(),
                             channel, operands.getB(), channel, type));
}

static LogicalResult
lowerGroupNormalization(GroupNormalizationOp op,
                        GroupNormalizationOp::Adaptor operands, Lowering &l) {
  Value x = operands.getX();
  OpFoldResult groups = l.attr(op.getNumGroups());
  Sizes sizes = l.sizes(x), split(sizes);
  if (int64_t(op.getNumGroups()) <= 0 || sizes.size() < 2)
    return l.invalid("num_groups must be positive, and there must be channels");
  OpFoldResult perGroup = l.floorDiv(sizes[1], groups);
  split[1] = perGroup;
  split.insert(split.begin() + 1, groups);
  l.checkSameCount(sizes, split);
  Value grouped = l.reshape(x, split);
  int64_t rank = split.size();
  Type type = getAccumulatorType(Lowering::elementType(x));
  SmallVector<int64_t> axes = axesFrom(2, rank);
  Statistics own = computeStatistics(l, grouped, axes, type);
  Value inverse =
      invertDeviation(l, own.variance, op.getEpsilon().convertToDouble());
  AffineMap channel = AffineMap::get(
      rank, 0, {l.b.getAffineDimExpr(1), l.b.getAffineDimExpr(2)},
      l.b.getContext());
  auto byGroup = [&](Value value) {
    return l.reshape(value, {groups, perGroup});
  };
  Value scale = byGroup(operands.getScale());
  Value y = normalize(l, grouped, axes, own.mean, inverse, scale, channel,
                      byGroup(operands.getBias()), channel, type);
  return l.replace(l.reshape(y, sizes));
}

static LogicalResult
lowerLayerNormalization(LayerNormalizationOp op,
                        LayerNormalizationOp::Adaptor operands, Lowering &l) {
  Value x = operands.getX();
  int64_t rank = Lowering::rank(x), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  Type type = getAccumulatorType(Lowering::elementType(x));
  SmallVector<int64_t> axes = axesFrom(axis, rank);
  Statistics own = computeStatistics(l, x, axes, type);
  Value inverse =
      invertDeviation(l, own.variance, op.getEpsilon().convertToDouble());
  Sizes sizes = l.sizes(x);
  auto [scale, scaleMap] = l.broadcast(operands.getScale(), sizes);
  Value bias;
  AffineMap biasMap;
  if (operands.getB())
    std::tie(bias, biasMap) = l.broadcast(operands.getB(), sizes);
  SmallVector<Value> results{normalize(l, x, axes, own.mean, inverse, scale,
                                       scaleMap, bias, biasMap, type)};
  Sizes kept(sizes);
  std::fill(kept.begin() + axis, kept.end(), l.attr(1));
  auto add = [&](Value statistic) {
    Type element = l.resultType(results.size()).getElementType();
    results.push_back(l.castElements(l.reshape(statistic, kept), element));
  };
  if (op.getMean())
    add(own.mean);
  if (op.getInvStdDev())
    add(inverse);
  return l.replace(results);
}

static LogicalResult lowerRMSNormalization(RMSNormalizationOp op,
                                           RMSNormalizationOp::Adaptor operands,
                                           Lowering &l) {
  Value x = operands.getX();
  int64_t rank = Lowering::rank(x), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  Type type = getAccumulatorType(Lowering::elementType(x));
  SmallVector<int64_t> axes = axesFrom(axis, rank);
  Value count = countOver(l, x, axes, type);
  Value sum =
      sumOver(l, x, {}, axes, type, [](ScalarBuilder &s, ValueRange args) {
        return s.mul(args[0], args[0]);
      });
  Value meanSquare =
      l.mapSame(sum, type, [&](ScalarBuilder &s, ValueRange args) {
        return s.div(args[0], count);
      });
  Value inverse =
      invertDeviation(l, meanSquare, op.getEpsilon().convertToDouble());
  auto [scale, scaleMap] = l.broadcast(operands.getScale(), l.sizes(x));
  // The result is of the scale's type, and rounded only once.
  Type element = l.resultType().getElementType();
  if (element != Lowering::elementType(x))
    x = l.castElements(x, type);
  Value y = normalize(l, x, axes, {}, inverse, scale, scaleMap, {}, {}, type);
  return l.replace(l.castElements(y, element));
}

static LogicalResult
lowerMeanVarianceNormalization(MeanVarianceNormalizationOp op,
                               MeanVarianceNormalizationOp::Adaptor operands,
                               Lowering &l) {
  Value x = operands.getX();
  int64_t rank = Lowering::rank(x);
  SmallVector<int64_t> axes;
  for (int64_t axis : op.getAxes())
    axes.push_back(axis < 0 ? axis + rank : axis);
  llvm::sort(axes);
  Type type = getAccumulatorType(Lowering::elementType(x));
  Statistics own = computeStatistics(l, x, axes, type);
  Value inverse =
      l.mapSame(own.variance, type, [&](ScalarBuilder &s, ValueRange args) {
        Value root = s.sqrt(args[0]);
        Value deviation = s.add(root, s.constant(args[0], 1e-9));
        return s.div(s.one(deviation), deviation);
      });
  return l.replace(
      normalize(l, x, axes, own.mean, inverse, {}, {}, {}, {}, type));
}

static LogicalResult lowerLpNormalization(LpNormalizationOp op,
                                          LpNormalizationOp::Adaptor operands,
                                          Lowering &l) {
  Value x = operands.getInput();
  int64_t rank = Lowering::rank(x), axis = op.getAxis(), p = op.getP();
  axis += axis < 0 ? rank : 0;
  if (p != 1 && p != 2)
    return l.invalid("p must be 1 or 2");
  Type element = Lowering::elementType(x), type = getAccumulatorType(element);
  Value sum =
      sumOver(l, x, {}, axis, type, [&](ScalarBuilder &s, ValueRange args) {
        return p == 1 ? s.abs(args[0]) : s.mul(args[0], args[0]);
      });
  return l.replace(
      l.map({x, sum}, {l.identityMap(rank), l.dropDims(rank, axis)}, l.sizes(x),
            element, [&](ScalarBuilder &s, ValueRange args) {
              Value norm = p == 1 ? args[1] : s.sqrt(args[1]);
              Value y = s.div(s.cast(args[0], type, false, false), norm);
              // Nothing to scale in a vector of zeros.
              Value isZero = s.eq(norm, s.zero(norm));
              y = s.select(isZero, s.zero(y), y);
              return s.cast(y, element, false, false);
            }));
}

static LogicalResult lowerLRN(LRNOp op, LRNOp::Adaptor operands, Lowering &l) {
  Value x = operands.getX();
  int64_t rank = Lowering::rank(x), size = op.getSize();
  if (rank < 2 || size < 1)
    return l.invalid("there must be channels, and a size of at least 1");
  Type element = Lowering::elementType(x), type = getAccumulatorType(element);
  Sizes sizes = l.sizes(x), low(rank, l.attr(0)), high(rank, l.attr(0));
  // Beyond the channels there is nothing, however long the window is.
  OpFoldResult others = l.max(l.sub(sizes[1], l.attr(1)), l.attr(0));
  low[1] = l.min(l.attr((size - 1) / 2), others);
  high[1] = l.min(l.attr(size - 1 - (size - 1) / 2), others);
  Value padded = l.pad(x, low, high, l.constant(element, 0));
  // Loops: those of x, then the window over channels.
  SmallVector<AffineExpr> window;
  for (int64_t i = 0; i < rank; ++i)
    window.push_back(l.b.getAffineDimExpr(i));
  AffineExpr tap = l.b.getAffineDimExpr(rank);
  SmallVector<AffineExpr> own(window);
  window[1] = window[1] + tap;
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(rank + 1, 0, exprs, l.b.getContext());
  };
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.push_back(IteratorType::reduction);
  Value taps = l.empty(l.add(l.add(low[1], high[1]), l.attr(1)), element);
  Value sum = l.generic({padded, taps}, l.filled(sizes, l.constant(type, 0)),
                        {map(window), map(tap), map(own)}, iterators,
                        [&](ScalarBuilder &s, ValueRange args) {
                          Value v = s.cast(args[0], type, false, false);
                          return s.add(args[2], s.mul(v, v));
                        });
  double scale = op.getAlpha().convertToDouble() / double(size);
  double beta = op.getBeta().convertToDouble();
  double bias = op.getBias().convertToDouble();
  return l.replace(
      l.mapSame({x, sum}, element, [&](ScalarBuilder &s, ValueRange args) {
        Value scaled = s.mul(args[1], s.constant(args[1], scale));
        Value base = s.add(scaled, s.constant(args[1], bias));
        Value power;
        if (beta == 0.75 && scale >= 0) {
          // What all networks use; two roots cost a fraction of a power.
          Value root = s.sqrt(base);
          power = s.mul(root, s.sqrt(root));
        } else {
          power = beta == 1 ? base : s.pow(base, s.constant(base, beta));
        }
        Value y = s.div(s.cast(args[0], type, false, false), power);
        return s.cast(y, element, false, false);
      }));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// The greatest element along the axis that is a number; differences to it
/// cannot overflow in exp, and that of NaN is NaN.
static Value findGreatest(Lowering &l, Value x, int64_t axis, Type type) {
  return l.reduce(x, axis, l.lowest(type, false),
                  [&](ScalarBuilder &s, ValueRange args) -> Value {
                    return arith::MaxNumFOp::create(
                        s.getBuilder(), s.getLoc(), args[1],
                        s.cast(args[0], type, false, false));
                  });
}

/// A power relative to the greatest one. What is not 10^-37 of that counts as
/// 0: computing with numbers that are subnormal, or become so, takes much
/// longer.
static Value relativePower(ScalarBuilder &s, Value exponent) {
  Value power = s.exp(exponent);
  if (!exponent.getType().isF32())
    return power;
  constexpr double least = -86;
  Value isSmall = s.lt(exponent, s.constant(exponent, least));
  return s.select(isSmall, s.zero(power), power);
}

Value onnxc::logSoftmax(Lowering &l, Value x, int64_t axis) {
  int64_t rank = Lowering::rank(x);
  Type element = Lowering::elementType(x), type = getAccumulatorType(element);
  AffineMap all = l.identityMap(rank), kept = l.dropDims(rank, axis);
  Value greatest = findGreatest(l, x, axis, type);
  Value sum = sumOver(l, x, greatest, axis, type,
                      [](ScalarBuilder &s, ValueRange args) {
                        return relativePower(s, s.sub(args[0], args[1]));
                      });
  Value logSum = l.mapSame(sum, type, [](ScalarBuilder &s, ValueRange args) {
    return s.log(args[0]);
  });
  return l.map({x, greatest, logSum}, {all, kept, kept}, l.sizes(x), element,
               [&](ScalarBuilder &s, ValueRange args) {
                 Value y = s.cast(args[0], type, false, false);
                 return s.cast(s.sub(s.sub(y, args[1]), args[2]), element,
                               false, false);
               });
}

/// Each step is rounded to `rounded`, which may be narrower than the elements.
static Value softmaxRounded(Lowering &l, Value x, int64_t axis,
                            bool emptyIsZero, Type rounded) {
  int64_t rank = Lowering::rank(x);
  Type element = Lowering::elementType(x);
  AffineMap all = l.identityMap(rank), kept = l.dropDims(rank, axis);
  Sizes sizes = l.sizes(x);
  auto round = [&](ScalarBuilder &s, Value value) {
    return s.cast(s.cast(value, rounded, false, false), element, false, false);
  };
  Value greatest = findGreatest(l, x, axis, element);
  if (emptyIsZero)
    greatest =
        l.mapSame(greatest, element, [](ScalarBuilder &s, ValueRange args) {
          Value isEmpty = s.isInf(args[0], false, true);
          return s.select(isEmpty, s.zero(args[0]), args[0]);
        });
  Value powers = l.map({x, greatest}, {all, kept}, sizes, element,
                       [&](ScalarBuilder &s, ValueRange args) {
                         Value exponent = round(s, s.sub(args[0], args[1]));
                         return rounded == element ? relativePower(s, exponent)
                                                   : round(s, s.exp(exponent));
                       });
  Value sum = sumOver(l, powers, {}, axis, getAccumulatorType(element),
                      [](ScalarBuilder &, ValueRange args) { return args[0]; });
  sum = l.castElements(l.castElements(sum, rounded), element);
  // Where nothing is rounded in between, one division is enough for a row. The
  // sum is at least 1: its inverse is not a subnormal number.
  bool inverts = rounded.isF32() || rounded.isF64();
  if (inverts || emptyIsZero)
    sum = l.mapSame(sum, element, [&](ScalarBuilder &s, ValueRange args) {
      Value divisor = args[0];
      if (emptyIsZero) {
        Value isZero = s.eq(divisor, s.zero(divisor));
        divisor = s.select(isZero, s.one(divisor), divisor);
      }
      return inverts ? s.div(s.one(divisor), divisor) : divisor;
    });
  return l.map({powers, sum}, {all, kept}, sizes, element,
               [&](ScalarBuilder &s, ValueRange args) {
                 return inverts ? s.mul(args[0], args[1])
                                : round(s, s.div(args[0], args[1]));
               });
}

Value onnxc::softmax(Lowering &l, Value x, int64_t axis, bool emptyIsZero) {
  return softmaxRounded(l, x, axis, emptyIsZero, Lowering::elementType(x));
}

Value onnxc::softmaxInPlace(Lowering &l, Value x, int64_t axis,
                            bool emptyIsZero) {
  Type element = Lowering::elementType(x);
  return softmaxRounded(l, l.castElements(x, getAccumulatorType(element)), axis,
                        emptyIsZero, element);
}

template <typename OpTy>
static LogicalResult lowerSoftmax(OpTy op, typename OpTy::Adaptor operands,
                                  Lowering &l) {
  Value x = operands.getInput();
  int64_t axis = op.getAxis();
  axis += axis < 0 ? Lowering::rank(x) : 0;
  if (std::is_same_v<OpTy, SoftmaxOp>)
    return l.replace(softmax(l, x, axis));
  return l.replace(logSoftmax(l, x, axis));
}

void onnxc::populateNormalization(Lowerings &lowerings) {
  lowerings.add<BatchNormalizationOp>(lowerBatchNormalization);
  lowerings.add<GroupNormalizationOp>(lowerGroupNormalization);
  lowerings.add<InstanceNormalizationOp>(lowerInstanceNormalization);
  lowerings.add<LRNOp>(lowerLRN);
  lowerings.add<LayerNormalizationOp>(lowerLayerNormalization);
  lowerings.add<LogSoftmaxOp>(lowerSoftmax<LogSoftmaxOp>);
  lowerings.add<LpNormalizationOp>(lowerLpNormalization);
  lowerings.add<MeanVarianceNormalizationOp>(lowerMeanVarianceNormalization);
  lowerings.add<RMSNormalizationOp>(lowerRMSNormalization);
  lowerings.add<SoftmaxOp>(lowerSoftmax<SoftmaxOp>);
}
