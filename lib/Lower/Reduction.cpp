//===- Reduction.cpp - Reductions as {init, combine, finish} --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

namespace {

enum class Kind {
  Sum,
  Mean,
  Max,
  Min,
  Prod,
  L1,
  L2,
  SumSquare,
  LogSum,
  LogSumExp
};

/// What a kind of reduction does with the elements. All in the type of the
/// accumulator.
struct Rule {
  Kind kind;
  bool isUnsigned;

  Value init(Lowering &l, Type type) const {
    switch (kind) {
    case Kind::Max:
      return l.lowest(type, isUnsigned);
    case Kind::Min:
      return l.highest(type, isUnsigned);
    case Kind::Prod:
      return l.constant(type, 1);
    default:
      return l.constant(type, 0);
    }
  }

  Value combine(ScalarBuilder &s, Value x, Value acc) const {
    switch (kind) {
    case Kind::Max:
      return s.max(acc, x);
    case Kind::Min:
      return s.min(acc, x);
    case Kind::Prod:
      return s.mul(acc, x);
    case Kind::L1:
      return s.add(acc, s.abs(x));
    case Kind::L2:
    case Kind::SumSquare:
      return s.add(acc, s.mul(x, x));
    default:
      return s.add(acc, x);
    }
  }

  bool finishes() const {
    return kind == Kind::Mean || kind == Kind::L2 || kind == Kind::LogSum;
  }

  /// `count`: how many elements were combined.
  Value finish(ScalarBuilder &s, Value acc, Value count) const {
    Type type = acc.getType();
    Type f64 = s.getBuilder().getF64Type();
    switch (kind) {
    case Kind::Mean:
      return s.div(acc, s.cast(count, type, false, false));
    case Kind::L2:
      if (isa<FloatType>(type))
        return s.sqrt(acc);
      return s.cast(s.sqrt(s.cast(acc, f64, isUnsigned, false)), type, false,
                    isUnsigned);
    case Kind::LogSum:
      return s.log(acc);
    default:
      return acc;
    }
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Axes known when compiling
//===----------------------------------------------------------------------===//

static Value finishReduction(Lowering &l, const Rule &rule, Value sum,
                             OpFoldResult count, Type element) {
  if (!rule.finishes())
    return l.castElements(sum, element);
  Value number = l.asElement(count, l.b.getI64Type());
  return l.mapSame(
      sum, element,
      [&](ScalarBuilder &s, ValueRange args) {
        return s.cast(rule.finish(s, args[0], number), element, false,
                      rule.isUnsigned);
      },
      rule.isUnsigned);
}

/// Without the reduced dimensions.
static Value reduceAxes(Lowering &l, const Rule &rule, Value data,
                        ArrayRef<int64_t> axes) {
  Type element = Lowering::elementType(data);
  Type type = getAccumulatorType(element);
  Sizes reduced;
  for (int64_t axis : axes)
    reduced.push_back(l.dim(data, axis));
  Value sum = l.reduce(
      data, axes, rule.init(l, type),
      [&](ScalarBuilder &s, ValueRange args) {
        return rule.combine(s, s.cast(args[0], type, false, false), args[1]);
      },
      rule.isUnsigned);
  return finishReduction(l, rule, sum, l.product(reduced), element);
}

/// An infinite maximum would give inf - inf.
static Value withoutInfinities(Lowering &l, Value greatest) {
  return l.mapSame(greatest, Lowering::elementType(greatest),
                   [](ScalarBuilder &s, ValueRange args) {
                     Value isInfinite = s.isInf(args[0], true, true);
                     return s.select(isInfinite, s.zero(args[0]), args[0]);
                   });
}

static Value addLogarithm(Lowering &l, Value sum, Value shift, Type element) {
  return l.mapSame(
      {sum, shift}, element, [&](ScalarBuilder &s, ValueRange args) {
        return s.cast(s.add(s.log(args[0]), args[1]), element, false, false);
      });
}

/// log(sum(exp(x))) as max + log(sum(exp(x - max))).
static Value reduceLogSumExp(Lowering &l, Value data, ArrayRef<int64_t> axes) {
  Type element = Lowering::elementType(data);
  Type type = getAccumulatorType(element);
  int64_t rank = Lowering::rank(data);
  Value greatest =
      l.reduce(data, axes, l.lowest(type, false),
               [&](ScalarBuilder &s, ValueRange args) {
                 return s.max(args[1], s.cast(args[0], type, false, false));
               });
  Value shift = withoutInfinities(l, greatest);
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  for (int64_t axis : axes)
    iterators[axis] = IteratorType::reduction;
  AffineMap kept = l.dropDims(rank, axes);
  Sizes sizes = l.sizes(greatest);
  Value sum = l.generic({data, shift}, l.filled(sizes, l.constant(type, 0)),
                        {l.identityMap(rank), kept, kept}, iterators,
                        [&](ScalarBuilder &s, ValueRange args) {
                          Value x = s.cast(args[0], type, false, false);
                          return s.add(args[2], s.exp(s.sub(x, args[1])));
                        });
  return addLogarithm(l, sum, shift, element);
}

//===----------------------------------------------------------------------===//
// Axes known at run time
//===----------------------------------------------------------------------===//

/// For each dimension, whether it is among `axes`.
static SmallVector<Value> findReduced(Lowering &l, Value axes, int64_t rank,
                                      bool allIfEmpty) {
  SmallVector<Value> reduced(rank);
  int64_t count = Lowering::typeOf(axes).getNumElements();
  for (int64_t i = 0; i < rank; ++i) {
    reduced[i] = l.constant(l.b.getBoolAttr(count == 0 && allIfEmpty));
    for (int64_t j = 0; j < count; ++j) {
      Value axis = l.asValue(l.asIndex(l.scalar(axes, j)));
      for (int64_t same : {i, i - rank})
        reduced[i] = l.b.createOrFold<arith::OrIOp>(
            l.loc, reduced[i],
            l.b.createOrFold<arith::CmpIOp>(l.loc, arith::CmpIPredicate::eq,
                                            axis, l.index(same)));
    }
  }
  return reduced;
}

/// With the reduced dimensions as size 1: one loop nest over all elements, each
/// of which goes where the reduced indices are 0. With `shift`, of the result's
/// shape, x stands for exp(x - shift).
static Value reduceAtRunTime(Lowering &l, const Rule &rule, Value data,
                             ArrayRef<Value> reduced, Value shift = {}) {
  Type element = Lowering::elementType(data);
  Type type = getAccumulatorType(element);
  Sizes sizes = l.sizes(data), kept;
  OpFoldResult count = l.attr(1);
  for (auto [size, isReduced] : llvm::zip(sizes, reduced)) {
    auto choose = [&, isReduced = isReduced](OpFoldResult yes,
                                             OpFoldResult no) {
      Value yesValue = l.asValue(yes);
      return getAsOpFoldResult(l.b.createOrFold<arith::SelectOp>(
          l.loc, isReduced, yesValue, l.asValue(no)));
    };
    kept.push_back(choose(l.attr(1), size));
    count = l.mul(count, choose(size, l.attr(1)));
  }
  Value init = l.filled(kept, rule.init(l, type));
  SmallVector<Value> lower(sizes.size(), l.index(0)),
      step(sizes.size(), l.index(1)), upper;
  for (OpFoldResult size : sizes)
    upper.push_back(l.asValue(size));
  auto nest = scf::buildLoopNest(
      l.b, l.loc, lower, upper, step, init,
      [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange state) {
        ScalarBuilder s(b, loc, type, rule.isUnsigned);
        SmallVector<Value> to;
        for (auto [index, isReduced] : llvm::zip(indices, reduced))
          to.push_back(s.select(isReduced, s.zero(index), index));
        Value x = tensor::ExtractOp::create(b, loc, data, indices);
        Value acc = tensor::ExtractOp::create(b, loc, state[0], to);
        x = s.cast(x, type, false, false);
        if (shift)
          x = s.exp(s.sub(x, tensor::ExtractOp::create(b, loc, shift, to)));
        Value next = rule.combine(s, x, acc);
        return scf::ValueVector{
            tensor::InsertOp::create(b, loc, next, state[0], to)};
      });
  Value sum = sizes.empty() ? init : nest.results.front();
  if (shift)
    return sum;
  return finishReduction(l, rule, sum, count, element);
}

//===----------------------------------------------------------------------===//
// Reduce*
//===----------------------------------------------------------------------===//

static LogicalResult lowerReduction(Lowering &l, Kind kind, Value data,
                                    Value axes, bool noop) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Rule rule{kind, l.isUnsigned()};
  int64_t rank = Lowering::rank(data);
  std::optional<SmallVector<int64_t>> known = SmallVector<int64_t>{};
  if (axes)
    known = l.constants(axes);
  if (!known) {
    if (!Lowering::isShapeLike(axes))
      return l.fail("the number of axes must be static");
    if (rank == 0)
      return l.fail("axes of a scalar");
    SmallVector<Value> reduced = findReduced(l, axes, rank, !noop);
    Value result;
    if (kind == Kind::LogSumExp) {
      Type element = Lowering::elementType(data);
      Value greatest =
          l.castElements(reduceAtRunTime(l, {Kind::Max, false}, data, reduced),
                         getAccumulatorType(element));
      Value shift = withoutInfinities(l, greatest);
      Value sum = reduceAtRunTime(l, {Kind::Sum, false}, data, reduced, shift);
      result = addLogarithm(l, sum, shift, element);
    } else {
      result = reduceAtRunTime(l, rule, data, reduced);
    }
    return l.replace(l.reshape(result, *sizes));
  }
  SmallVector<int64_t> normalized;
  for (int64_t axis : *known)
    normalized.push_back(axis < 0 ? axis + rank : axis);
  if (normalized.empty() && !noop)
    for (int64_t i = 0; i < rank; ++i)
      normalized.push_back(i);
  llvm::sort(normalized);
  Value result = kind == Kind::LogSumExp
                     ? reduceLogSumExp(l, data, normalized)
                     : reduceAxes(l, rule, data, normalized);
  return l.replace(l.reshape(result, *sizes));
}

template <typename OpTy, Kind kind>
static LogicalResult lowerReduce(OpTy op, typename OpTy::Adaptor operands,
                                 Lowering &l) {
  return lowerReduction(l, kind, operands.getData(), operands.getAxes(),
                        op.getNoopWithEmptyAxes());
}

//===----------------------------------------------------------------------===//
// ArgMax, ArgMin
//===----------------------------------------------------------------------===//

/// Where the extreme element of each row is: found by its value, since lanes
/// that look at different elements of a row agree on a value at once, and on a
/// place only if they carry it along.
static Value findExtremeOfRows(Lowering &l, Value data, bool isMax,
                               bool takeLast) {
  int64_t rank = Lowering::rank(data), axis = rank - 1;
  // A comparison of bfloat16 is one of float32 that is rounded: the latter is
  // the slower part.
  if (Lowering::elementType(data).isBF16())
    data = l.castElements(data, l.b.getF32Type());
  Type element = Lowering::elementType(data);
  bool isUnsigned = l.isUnsigned();
  Value worst =
      isMax ? l.lowest(element, isUnsigned) : l.highest(element, isUnsigned);
  Value extreme = l.reduce(
      data, axis, worst,
      [&](ScalarBuilder &s, ValueRange args) {
        return isMax ? s.max(args[1], args[0]) : s.min(args[1], args[0]);
      },
      isUnsigned);
  // Indices of as many lanes as elements.
  std::optional<int64_t> length = getConstantIntValue(l.dim(data, axis));
  Type type =
      length && *length < INT32_MAX ? l.b.getI32Type() : Type(l.b.getI64Type());
  Value none = takeLast ? l.constant(type, -1) : l.highest(type, false);
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators[axis] = IteratorType::reduction;
  AffineMap map = l.dropDims(rank, axis);
  Value at = l.generic({data, extreme}, l.filled(l.sizes(extreme), none),
                       {l.identityMap(rank), map, map}, iterators,
                       [&](ScalarBuilder &s, ValueRange args) {
                         OpBuilder &b = s.getBuilder();
                         Value index = arith::IndexCastOp::create(
                             b, s.getLoc(), type,
                             linalg::IndexOp::create(b, s.getLoc(), axis));
                         // The extreme of a row with NaN is NaN.
                         Value isHere = s.eq(args[0], args[1]);
                         if (isa<FloatType>(element))
                           isHere = s.bitOr(isHere, s.isNaN(args[0]));
                         ScalarBuilder onIndices(b, s.getLoc(), type, false);
                         Value place = s.select(isHere, index, none);
                         return takeLast ? onIndices.max(args[2], place)
                                         : onIndices.min(args[2], place);
                       });
  return l.castElements(at, l.b.getI64Type());
}

/// Where the extreme element is along the axis, without that dimension.
static Value findExtreme(Lowering &l, Value data, int64_t axis, bool isMax,
                         bool takeLast) {
  int64_t rank = Lowering::rank(data);
  Type element = Lowering::elementType(data), i64 = l.b.getI64Type();
  bool isUnsigned = l.isUnsigned();
  if (rank > 0 && axis == rank - 1)
    return findExtremeOfRows(l, data, isMax, takeLast);
  Sizes kept = l.sizes(data);
  kept.erase(kept.begin() + axis);
  Value worst =
      isMax ? l.lowest(element, isUnsigned) : l.highest(element, isUnsigned);
  Value best = l.filled(kept, worst), at = l.filled(kept, l.constant(i64, 0));
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators[axis] = IteratorType::reduction;
  AffineMap map = l.dropDims(rank, axis);
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    ScalarBuilder s(b, loc, element, isUnsigned);
    Value x = args[0];
    Value index = arith::IndexCastOp::create(
        b, loc, i64, linalg::IndexOp::create(b, loc, axis));
    Value low = isMax ? args[1] : x, high = isMax ? x : args[1];
    Value isBetter = takeLast ? s.ge(high, low) : s.gt(high, low);
    if (isa<FloatType>(element)) {
      // A NaN is extreme, and the first one stays, or the last one.
      Value isNew = s.isNaN(x);
      if (!takeLast)
        isNew = s.bitAnd(isNew, s.bitNot(s.isNaN(args[1])));
      isBetter = s.bitOr(isBetter, isNew);
    }
    linalg::YieldOp::create(b, loc,
                            ValueRange{s.select(isBetter, x, args[1]),
                                       s.select(isBetter, index, args[2])});
  };
  auto generic = linalg::GenericOp::create(
      l.b, l.loc, TypeRange{best.getType(), at.getType()}, data,
      ValueRange{best, at}, {l.identityMap(rank), map, map}, iterators, body);
  return generic.getResult(1);
}

template <typename OpTy, bool isMax>
static LogicalResult lowerArg(OpTy op, typename OpTy::Adaptor operands,
                              Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value data = operands.getData();
  int64_t rank = Lowering::rank(data), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  if (rank) {
    OpFoldResult size = l.dim(data, axis);
    if (getConstantIntValue(size) == int64_t(0))
      return l.invalid(
          "the reduced axis has no elements, expected at least one");
    if (isa<Value>(size)) {
      Value number = l.asValue(size);
      l.check(l.b.createOrFold<arith::CmpIOp>(l.loc, arith::CmpIPredicate::sgt,
                                              number, l.index(0)),
              "there are no elements to choose from");
    }
  }
  Value at = findExtreme(l, data, axis, isMax, op.getSelectLastIndex());
  return l.replace(l.reshape(at, *sizes));
}

/// 1 at the first greatest element along the axis, 0 elsewhere.
static LogicalResult lowerHardmax(HardmaxOp op, HardmaxOp::Adaptor operands,
                                  Lowering &l) {
  Value input = operands.getInput();
  int64_t rank = Lowering::rank(input), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  Value best = findExtreme(l, input, axis, true, false);
  Type element = Lowering::elementType(input);
  return l.replace(l.map(best, l.dropDims(rank, axis), l.sizes(input), element,
                         [&](ScalarBuilder &s, ValueRange args) {
                           OpBuilder &b = s.getBuilder();
                           Value at = arith::IndexCastOp::create(
                               b, s.getLoc(), b.getI64Type(),
                               linalg::IndexOp::create(b, s.getLoc(), axis));
                           return s.cast(s.eq(at, args[0]), element, false,
                                         false);
                         }));
}

void onnxc::populateReduction(Lowerings &lowerings) {
  lowerings.add<ArgMaxOp>(lowerArg<ArgMaxOp, true>);
  lowerings.add<ArgMinOp>(lowerArg<ArgMinOp, false>);
  lowerings.add<HardmaxOp>(lowerHardmax);
  lowerings.add<ReduceL1Op>(lowerReduce<ReduceL1Op, Kind::L1>);
  lowerings.add<ReduceL2Op>(lowerReduce<ReduceL2Op, Kind::L2>);
  lowerings.add<ReduceLogSumOp>(lowerReduce<ReduceLogSumOp, Kind::LogSum>);
  lowerings.add<ReduceLogSumExpOp>(
      lowerReduce<ReduceLogSumExpOp, Kind::LogSumExp>);
  lowerings.add<ReduceMaxOp>(lowerReduce<ReduceMaxOp, Kind::Max>);
  lowerings.add<ReduceMeanOp>(lowerReduce<ReduceMeanOp, Kind::Mean>);
  lowerings.add<ReduceMinOp>(lowerReduce<ReduceMinOp, Kind::Min>);
  lowerings.add<ReduceProdOp>(lowerReduce<ReduceProdOp, Kind::Prod>);
  lowerings.add<ReduceSumOp>(lowerReduce<ReduceSumOp, Kind::Sum>);
  lowerings.add<ReduceSumSquareOp>(
      lowerReduce<ReduceSumSquareOp, Kind::SumSquare>);
}
