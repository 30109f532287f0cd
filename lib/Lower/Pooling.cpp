//===- Pooling.cpp - Reductions of windows --------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Pooling.h"
#include "onnxc/Dialect/ONNX/Window.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

namespace {

/// A pool op: loops over n, c, o… (the result), then k… (the window).
class Pool {
public:
  template <typename OpTy>
  Pool(Lowering &l, OpTy op, Value x, Sizes result)
      : l(l), x(x), spatial(Lowering::rank(x) - 2), result(std::move(result)),
        window(l.shapes(),
               {op.getKernelShape(), op.getStrides(), op.getDilations(),
                op.getPads(), op.getAutoPad(), op.getCeilMode() != 0},
               spatial, {}, "pool") {
    for (int64_t i = 0; i < spatial; ++i) {
      auto [low, high] = window.padding(i, l.shapes().dim(x, i + 2));
      before.push_back(l.asIndex(low));
      after.push_back(l.asIndex(high));
      kernel.push_back(l.asIndex(window.kernel[i]));
    }
  }

  int64_t loops() const { return 2 + 2 * spatial; }

  /// x with what the windows reach beyond it: with ceil_mode that may be more
  /// than the pads, or less.
  Value padded(Value value) {
    Sizes low(2, l.attr(0)), high(2, l.attr(0));
    for (int64_t i = 0; i < spatial; ++i) {
      OpFoldResult lastStart =
          l.mul(l.sub(result[i + 2], l.attr(1)), l.attr(window.strides[i]));
      OpFoldResult reach = l.add(lastStart, l.asIndex(window.extent(i)));
      OpFoldResult rest = l.sub(reach, before[i]);
      OpFoldResult behind = l.sub(rest, l.dim(x, i + 2));
      low.push_back(before[i]);
      // Whole windows end within the padding, whatever the size is.
      high.push_back(!window.ceilMode && !getConstantIntValue(behind) &&
                             getConstantIntValue(after[i])
                         ? after[i]
                         : l.max(behind, l.attr(0)));
    }
    return l.pad(x, low, high, value);
  }

  AffineMap readMap() {
    SmallVector<AffineExpr> exprs{l.b.getAffineDimExpr(0),
                                  l.b.getAffineDimExpr(1)};
    for (int64_t i = 0; i < spatial; ++i)
      exprs.push_back(l.b.getAffineDimExpr(2 + i) * window.strides[i] +
                      l.b.getAffineDimExpr(2 + spatial + i) *
                          window.dilations[i]);
    return AffineMap::get(loops(), 0, exprs, l.b.getContext());
  }
  AffineMap windowMap() { return dims(2 + spatial, spatial); }
  AffineMap resultMap() { return dims(0, 2 + spatial); }

  SmallVector<IteratorType> iterators() {
    SmallVector<IteratorType> all(2 + spatial, IteratorType::parallel);
    all.append(spatial, IteratorType::reduction);
    return all;
  }
  /// Only its shape matters.
  Value taps() { return l.empty(kernel, Lowering::elementType(x)); }

  /// The body gets the element and the accumulator.
  Value reduce(Value padValue, Value init, ScalarBody body, bool isUnsigned) {
    SmallVector<Value> inputs = {padded(padValue), taps()};
    return l.generic(
        inputs, l.filled(result, init), {readMap(), windowMap(), resultMap()},
        iterators(),
        [&](ScalarBuilder &s, ValueRange args) {
          return body(s, {args[0], args[2]});
        },
        isUnsigned);
  }

  Lowering &l;
  Value x;
  int64_t spatial;
  Sizes result;
  Window window;
  /// Padding before and after, and kernel sizes, by spatial dimension.
  Sizes before, after, kernel;

private:
  AffineMap dims(int64_t first, int64_t count) {
    SmallVector<AffineExpr> exprs;
    for (int64_t i = 0; i < count; ++i)
      exprs.push_back(l.b.getAffineDimExpr(first + i));
    return AffineMap::get(loops(), 0, exprs, l.b.getContext());
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// MaxPool
//===----------------------------------------------------------------------===//

/// The greatest elements and where they are in x, flattened.
static SmallVector<Value> poolWithIndices(Lowering &l, Pool &pool,
                                          bool isColumnMajor) {
  Type element = Lowering::elementType(pool.x), i64 = l.b.getI64Type();
  bool isUnsigned = l.isUnsigned();
  Value worst = l.lowest(element, isUnsigned);
  Value best = l.filled(pool.result, worst);
  // A window without any greater element gives its first one inside of x.
  Value at = l.filled(pool.result, l.constant(i64, -1));
  SmallVector<Value> sizes;
  for (OpFoldResult size : l.sizes(pool.x))
    sizes.push_back(l.asValue(size));
  SmallVector<Value> before;
  for (OpFoldResult size : pool.before)
    before.push_back(l.asValue(size));
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    ScalarBuilder s(b, loc, element, isUnsigned);
    auto loop = [&](int64_t i) -> Value {
      return linalg::IndexOp::create(b, loc, i);
    };
    // Place in x of each spatial dimension.
    SmallVector<Value> place;
    Value isInside = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    for (int64_t i = 0; i < pool.spatial; ++i) {
      Value o = loop(2 + i), k = loop(2 + pool.spatial + i);
      auto times = [&](Value value, int64_t factor) {
        return s.mul(value, s.constant(value, double(factor)));
      };
      Value start = times(o, pool.window.strides[i]);
      Value p =
          s.sub(s.add(start, times(k, pool.window.dilations[i])), before[i]);
      isInside = s.bitAnd(
          isInside, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, p,
                                          sizes[i + 2]));
      place.push_back(p);
    }
    Value row = s.mul(loop(0), sizes[1]);
    Value flat = s.add(row, loop(1));
    Value inner = s.zero(flat), count = s.one(flat);
    for (int64_t j = 0; j < pool.spatial; ++j) {
      int64_t i = isColumnMajor ? pool.spatial - 1 - j : j;
      inner = s.add(s.mul(inner, sizes[i + 2]), place[i]);
      count = s.mul(count, sizes[i + 2]);
    }
    flat = s.add(s.mul(flat, count), inner);
    Value index = arith::IndexCastOp::create(b, loc, i64, flat);
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          args[3], s.zero(args[3]));
    Value isBetter =
        s.bitAnd(isInside, s.bitOr(isFirst, s.gt(args[0], args[2])));
    linalg::YieldOp::create(b, loc,
                            ValueRange{s.select(isBetter, args[0], args[2]),
                                       s.select(isBetter, index, args[3])});
  };
  auto generic = linalg::GenericOp::create(
      l.b, l.loc, TypeRange{best.getType(), at.getType()},
      ValueRange{pool.padded(worst), pool.taps()}, ValueRange{best, at},
      {pool.readMap(), pool.windowMap(), pool.resultMap(), pool.resultMap()},
      pool.iterators(), body);
  return {generic.getResult(0), generic.getResult(1)};
}

static LogicalResult lowerMaxPool(MaxPoolOp op, MaxPoolOp::Adaptor operands,
                                  Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Pool pool(l, op, operands.getX(), *sizes);
  if (op.getIndices())
    return l.replace(poolWithIndices(l, pool, op.getStorageOrder() == 1));
  Value worst =
      l.lowest(Lowering::elementType(operands.getX()), l.isUnsigned());
  return l.replace(pool.reduce(
      worst, worst,
      [](ScalarBuilder &s, ValueRange args) { return s.max(args[1], args[0]); },
      l.isUnsigned()));
}

//===----------------------------------------------------------------------===//
// AveragePool, LpPool
//===----------------------------------------------------------------------===//

/// How many taps of the window at `o` fall into [low, high) of the dimension.
static Value countTaps(ScalarBuilder &s, Value o, int64_t stride,
                       int64_t dilation, Value kernel, Value before, Value low,
                       Value high) {
  OpBuilder &b = s.getBuilder();
  Value start = s.sub(s.mul(o, s.constant(o, double(stride))), before);
  auto firstNotBelow = [&](Value bound) -> Value {
    Value distance = s.sub(bound, start);
    if (dilation != 1)
      distance = arith::CeilDivSIOp::create(
          b, s.getLoc(), distance, s.constant(distance, double(dilation)));
    Value bounded = s.min(distance, kernel);
    return s.max(bounded, s.zero(kernel));
  };
  Value end = firstNotBelow(high);
  return s.sub(end, firstNotBelow(low));
}

/// How many taps count at each place of the result, or just one number if that
/// is the same everywhere; nothing if sizes are not known.
static std::optional<SmallVector<double>>
countStaticTaps(Pool &pool, bool isFull, bool countsPads, Lowering &l) {
  SmallVector<double> counts{1};
  for (int64_t i = 0; i < pool.spatial; ++i) {
    std::optional<int64_t> kernel = getConstantIntValue(pool.kernel[i]),
                           before = getConstantIntValue(pool.before[i]),
                           after = getConstantIntValue(pool.after[i]),
                           in = getConstantIntValue(l.dim(pool.x, i + 2)),
                           out = getConstantIntValue(pool.result[i + 2]);
    if (!kernel || (!isFull && (!before || !after || !in || !out)))
      return std::nullopt;
    if (isFull) {
      counts[0] *= *kernel;
      continue;
    }
    int64_t low = countsPads ? -*before : 0,
            high = countsPads ? *in + *after : *in;
    SmallVector<double> next;
    for (double outer : counts)
      for (int64_t o = 0; o < *out; ++o) {
        int64_t start = o * pool.window.strides[i] - *before, taps = 0;
        for (int64_t k = 0; k < *kernel; ++k) {
          int64_t at = start + k * pool.window.dilations[i];
          taps += at >= low && at < high;
        }
        next.push_back(outer * taps);
      }
    counts = std::move(next);
  }
  return counts;
}

/// The sums divided by known numbers, one for each place or one for all.
static Value scaleByPlace(Lowering &l, Pool &pool, Value sum,
                          ArrayRef<double> counts) {
  Type element = Lowering::elementType(pool.x),
       type = Lowering::elementType(sum);
  auto floats = cast<FloatType>(type);
  SmallVector<APFloat> factors;
  for (double count : counts) {
    APFloat factor(1 / count);
    bool losesInfo;
    factor.convert(floats.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    factors.push_back(factor);
  }
  int64_t rank = Lowering::rank(sum);
  SmallVector<int64_t> shape;
  AffineMap places = AffineMap::get(rank, 0, l.b.getContext());
  if (counts.size() != 1) {
    places = AffineMap::getMultiDimIdentityMap(rank, l.b.getContext())
                 .getMinorSubMap(pool.spatial);
    for (OpFoldResult size : ArrayRef(pool.result).drop_front(2))
      shape.push_back(*getConstantIntValue(size));
  }
  Value factor = l.constant(
      DenseElementsAttr::get(RankedTensorType::get(shape, type), factors));
  return l.map({sum, factor}, {l.identityMap(rank), places}, l.sizes(sum),
               element, [&](ScalarBuilder &s, ValueRange args) {
                 return s.cast(s.mul(args[0], args[1]), element, false, false);
               });
}

static LogicalResult lowerAveragePool(AveragePoolOp op,
                                      AveragePoolOp::Adaptor operands,
                                      Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getX();
  Pool pool(l, op, x, *sizes);
  Type element = Lowering::elementType(x), type = getAccumulatorType(element);
  Value outside = l.constant(element, 0);
  Value sum = pool.reduce(
      outside, l.constant(type, 0),
      [&](ScalarBuilder &s, ValueRange args) {
        return s.add(args[1], s.cast(args[0], type, false, false));
      },
      false);
  // Windows that reach beyond what counts have fewer taps.
  bool countsPads = op.getCountIncludePad(), isFull = true;
  for (int64_t i = 0; i < pool.spatial; ++i) {
    bool hasPads = getConstantIntValue(pool.before[i]) != int64_t(0) ||
                   getConstantIntValue(pool.after[i]) != int64_t(0);
    isFull &= (countsPads || !hasPads) && !pool.window.ceilMode;
  }
  if (std::optional<SmallVector<double>> counts =
          countStaticTaps(pool, isFull, countsPads, l))
    return l.replace(scaleByPlace(l, pool, sum, *counts));
  SmallVector<Value> low, high, before, kernel;
  for (int64_t i = 0; i < pool.spatial; ++i) {
    before.push_back(l.asValue(pool.before[i]));
    kernel.push_back(l.asValue(pool.kernel[i]));
    OpFoldResult size = l.dim(x, i + 2), none = l.attr(0);
    low.push_back(l.asValue(countsPads ? l.sub(none, pool.before[i]) : none));
    high.push_back(l.asValue(countsPads ? l.add(size, pool.after[i]) : size));
  }
  Value taps = l.asValue(l.product(pool.kernel));
  return l.replace(
      l.mapSame(sum, element, [&](ScalarBuilder &s, ValueRange args) {
        OpBuilder &b = s.getBuilder();
        Value count = taps;
        if (!isFull) {
          count = arith::ConstantIndexOp::create(b, s.getLoc(), 1);
          for (int64_t i = 0; i < pool.spatial; ++i)
            count = s.mul(
                count,
                countTaps(s, linalg::IndexOp::create(b, s.getLoc(), 2 + i),
                          pool.window.strides[i], pool.window.dilations[i],
                          kernel[i], before[i], low[i], high[i]));
        }
        Value number =
            arith::IndexCastOp::create(b, s.getLoc(), b.getI64Type(), count);
        Value y = s.div(args[0], s.cast(number, type, false, false));
        return s.cast(y, element, false, false);
      }));
}

/// |x|^p and its inverse.
static Value raise(ScalarBuilder &s, Value x, int64_t p) {
  Value a = s.abs(x);
  if (p == 1)
    return a;
  return p == 2 ? s.mul(a, a) : s.pow(a, s.constant(a, double(p)));
}
static Value root(ScalarBuilder &s, Value x, int64_t p) {
  if (p == 1)
    return x;
  return p == 2 ? s.sqrt(x) : s.pow(x, s.constant(x, 1.0 / double(p)));
}

static LogicalResult lowerLpPool(LpPoolOp op, LpPoolOp::Adaptor operands,
                                 Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getX();
  Pool pool(l, op, x, *sizes);
  Type element = Lowering::elementType(x), type = getAccumulatorType(element);
  int64_t p = op.getP();
  Value outside = l.constant(element, 0);
  Value sum = pool.reduce(
      outside, l.constant(type, 0),
      [&](ScalarBuilder &s, ValueRange args) {
        return s.add(args[1], raise(s, s.cast(args[0], type, false, false), p));
      },
      false);
  return l.replace(
      l.mapSame(sum, element, [&](ScalarBuilder &s, ValueRange args) {
        return s.cast(root(s, args[0], p), element, false, false);
      }));
}

//===----------------------------------------------------------------------===//
// Global pools
//===----------------------------------------------------------------------===//

/// Reduces the spatial dimensions and keeps them as 1.
static LogicalResult lowerGlobalPool(
    Lowering &l, Value x, Value init, ScalarBody combine,
    llvm::function_ref<Value(ScalarBuilder &, Value, Value)> finish) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Type element = Lowering::elementType(x), type = init.getType();
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(2, Lowering::rank(x)));
  Sizes reduced;
  for (int64_t axis : axes)
    reduced.push_back(l.dim(x, axis));
  Value total = l.reduce(x, axes, init, [&](ScalarBuilder &s, ValueRange args) {
    return combine(s, {s.cast(args[0], type, false, false), args[1]});
  });
  Value count = l.asElement(l.product(reduced), l.b.getI64Type());
  if (finish)
    total = l.mapSame(total, element, [&](ScalarBuilder &s, ValueRange args) {
      Value number = s.cast(count, type, false, false);
      return s.cast(finish(s, args[0], number), element, false, false);
    });
  return l.replace(l.reshape(l.castElements(total, element), *sizes));
}

static LogicalResult
lowerGlobalAveragePool(GlobalAveragePoolOp,
                       GlobalAveragePoolOp::Adaptor operands, Lowering &l) {
  Value x = operands.getX();
  Type type = getAccumulatorType(Lowering::elementType(x));
  return lowerGlobalPool(
      l, x, l.constant(type, 0),
      [](ScalarBuilder &s, ValueRange args) { return s.add(args[1], args[0]); },
      [](ScalarBuilder &s, Value sum, Value count) {
        return s.div(sum, count);
      });
}

static LogicalResult lowerGlobalMaxPool(GlobalMaxPoolOp,
                                        GlobalMaxPoolOp::Adaptor operands,
                                        Lowering &l) {
  Value x = operands.getX();
  return lowerGlobalPool(
      l, x, l.lowest(Lowering::elementType(x), false),
      [](ScalarBuilder &s, ValueRange args) { return s.max(args[1], args[0]); },
      nullptr);
}

static LogicalResult lowerGlobalLpPool(GlobalLpPoolOp op,
                                       GlobalLpPoolOp::Adaptor operands,
                                       Lowering &l) {
  Value x = operands.getX();
  Type type = getAccumulatorType(Lowering::elementType(x));
  int64_t p = op.getP();
  return lowerGlobalPool(
      l, x, l.constant(type, 0),
      [&](ScalarBuilder &s, ValueRange args) {
        return s.add(args[1], raise(s, args[0], p));
      },
      [&](ScalarBuilder &s, Value sum, Value) { return root(s, sum, p); });
}

void onnxc::populatePooling(Lowerings &lowerings) {
  lowerings.add<AveragePoolOp>(lowerAveragePool);
  lowerings.add<GlobalAveragePoolOp>(lowerGlobalAveragePool);
  lowerings.add<GlobalLpPoolOp>(lowerGlobalLpPool);
  lowerings.add<GlobalMaxPoolOp>(lowerGlobalMaxPool);
  lowerings.add<LpPoolOp>(lowerLpPool);
  lowerings.add<MaxPoolOp>(lowerMaxPool);
}
