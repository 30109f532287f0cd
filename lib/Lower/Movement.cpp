//===- Movement.cpp - Elements at other places ----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Concatenate.h"
#include "Indexing.h"
#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Support/InsertionGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;

static LogicalResult
lowerTranspose(TransposeOp op, TransposeOp::Adaptor operands, Lowering &l) {
  Value data = operands.getData();
  SmallVector<int64_t> perm;
  if (op.getPerm())
    perm.assign(op.getPerm()->begin(), op.getPerm()->end());
  else
    for (int64_t i = Lowering::rank(data) - 1; i >= 0; --i)
      perm.push_back(i);
  if (perm.empty() || llvm::is_sorted(perm))
    return l.replace(data);
  return l.replace(l.transpose(data, perm));
}

static Value insertAll(Lowering &l, ValueRange parts, int64_t axis,
                       const Sizes &sizes) {
  Type element = Lowering::elementType(parts.front());
  Value result = l.empty(sizes, element);
  Sizes at(sizes.size(), l.attr(0)), ones(sizes.size(), l.attr(1));
  for (Value part : parts) {
    Sizes own(sizes);
    own[axis] = l.dim(part, axis);
    if (llvm::any_of(own, [](OpFoldResult size) {
          return getConstantIntValue(size) == int64_t(0);
        }))
      continue;
    SmallVector<int64_t> shape;
    for (OpFoldResult size : own)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    part = l.castTo(part, RankedTensorType::get(shape, element));
    result =
        tensor::InsertSliceOp::create(l.b, l.loc, part, result, at, own, ones);
    at[axis] = l.add(at[axis], own[axis]);
  }
  return result;
}

Value onnxc::concatenate(Lowering &l, ValueRange parts, int64_t axis,
                         const Sizes &sizes) {
  SmallVector<Value> rest(parts);
  while (rest.size() > maxInsertions) {
    SmallVector<Value> groups;
    for (ArrayRef<Value> left = rest; !left.empty();) {
      ArrayRef<Value> group = left.take_front(insertionGroupSize);
      left = left.drop_front(group.size());
      Sizes own(sizes);
      own[axis] = l.attr(0);
      for (Value part : group)
        own[axis] = l.add(own[axis], l.dim(part, axis));
      groups.push_back(insertAll(l, group, axis, own));
    }
    rest = std::move(groups);
  }
  return insertAll(l, rest, axis, sizes);
}

static LogicalResult lowerConcat(ConcatOp op, ConcatOp::Adaptor operands,
                                 Lowering &l) {
  RankedTensorType type = l.resultType();
  if (Lowering::isShapeLike(type)) {
    SmallVector<Value> elements;
    for (Value input : operands.getInputs())
      elements.append(l.scalars(input));
    return l.replace(l.fromScalars(type, elements));
  }
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  int64_t axis = op.getAxis();
  axis += axis < 0 ? type.getRank() : 0;
  return l.replace(concatenate(l, operands.getInputs(), axis, *sizes));
}

static LogicalResult lowerSplit(SplitOp op, SplitOp::Adaptor operands,
                                Lowering &l) {
  Value input = operands.getInput();
  int64_t axis = op.getAxis();
  axis += axis < 0 ? Lowering::rank(input) : 0;
  Sizes at(Lowering::rank(input), l.attr(0));
  SmallVector<Value> results;
  for (unsigned i = 0, e = op->getNumResults(); i < e; ++i) {
    FailureOr<Sizes> sizes = l.resultSizes(i);
    if (failed(sizes))
      return failure();
    if (Lowering::isShapeLike(input) && Lowering::isShapeLike(l.resultType(i)))
      if (std::optional<int64_t> start = getConstantIntValue(at[0])) {
        SmallVector<Value> part = l.scalars(input);
        ArrayRef<Value> own =
            ArrayRef(part).slice(*start, l.resultType(i).getNumElements());
        results.push_back(l.fromScalars(l.resultType(i), own));
        at[axis] = l.add(at[axis], (*sizes)[axis]);
        continue;
      }
    results.push_back(l.slice(input, at, *sizes));
    at[axis] = l.add(at[axis], (*sizes)[axis]);
  }
  return l.replace(results);
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// Which axes a list of numbers is for: constants where they are known, else
/// what the run time compares.
namespace {
class AxisList {
public:
  AxisList(Lowering &l, Value axes, int64_t rank, int64_t count)
      : l(l), rank(rank) {
    for (int64_t i = 0; i < count; ++i)
      all.push_back(axes ? l.asIndex(l.scalar(axes, i)) : l.attr(i));
  }

  /// `yes` if axis number `index` is dimension `dim`, else `no`.
  OpFoldResult select(int64_t index, int64_t dim,
                      llvm::function_ref<OpFoldResult()> yes, OpFoldResult no) {
    if (std::optional<int64_t> known = getConstantIntValue(all[index]))
      return *known == dim || *known == dim - rank ? yes() : no;
    auto equals = [&](int64_t value) {
      Value number = l.asValue(all[index]);
      return l.b.createOrFold<arith::CmpIOp>(l.loc, arith::CmpIPredicate::eq,
                                             number, l.index(value));
    };
    Value isFirst = equals(dim);
    Value isDim =
        l.b.createOrFold<arith::OrIOp>(l.loc, isFirst, equals(dim - rank));
    Value yesValue = l.asValue(yes());
    return getAsOpFoldResult(l.b.createOrFold<arith::SelectOp>(
        l.loc, isDim, yesValue, l.asValue(no)));
  }

private:
  Lowering &l;
  int64_t rank;
  Sizes all;
};
} // namespace

static OpFoldResult selectNegative(Lowering &l, OpFoldResult number,
                                   OpFoldResult yes, OpFoldResult no) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return *known < 0 ? yes : no;
  Value value = l.asValue(number);
  Value isNegative = l.b.createOrFold<arith::CmpIOp>(
      l.loc, arith::CmpIPredicate::slt, value, l.index(0));
  Value yesValue = l.asValue(yes);
  return getAsOpFoldResult(l.b.createOrFold<arith::SelectOp>(
      l.loc, isNegative, yesValue, l.asValue(no)));
}

static LogicalResult lowerSlice(SliceOp op, SliceOp::Adaptor operands,
                                Lowering &l) {
  Value data = operands.getData();
  RankedTensorType type = l.resultType();
  int64_t rank = type.getRank();
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  if (!Lowering::isShapeLike(operands.getStarts()) ||
      !Lowering::isShapeLike(operands.getEnds()))
    return l.fail("the number of starts must be static");
  Sizes starts = l.indices(operands.getStarts());
  int64_t count = starts.size();
  for (Value list : {operands.getAxes(), operands.getSteps()})
    if (list && (!Lowering::isShapeLike(list) ||
                 Lowering::typeOf(list).getNumElements() != count))
      return l.fail("axes and steps must be as many as starts");
  AxisList axes(l, operands.getAxes(), rank, count);
  Sizes steps(count, l.attr(1));
  if (Value given = operands.getSteps())
    steps = l.indices(given);

  // Where the slice starts: start brought into [0, dim], or [0, dim - 1] where
  // it runs backwards.
  Sizes at(rank, l.attr(0)), strides(rank, l.attr(1));
  for (int64_t d = 0; d < rank; ++d) {
    OpFoldResult dim = l.dim(data, d);
    for (int64_t k = 0; k < count; ++k) {
      auto place = [&]() -> OpFoldResult {
        OpFoldResult first = starts[k];
        std::optional<int64_t> known = getConstantIntValue(first);
        if (!known || *known < 0)
          first = selectNegative(l, first, l.add(first, dim), first);
        OpFoldResult last =
            selectNegative(l, steps[k], l.sub(dim, l.attr(1)), dim);
        return l.max(l.min(first, last), l.attr(0));
      };
      at[d] = axes.select(k, d, place, at[d]);
      strides[d] = axes.select(k, d, [&] { return steps[k]; }, strides[d]);
    }
  }
  bool isForward = llvm::all_of(strides, [](OpFoldResult step) {
    std::optional<int64_t> known = getConstantIntValue(step);
    return known && *known > 0;
  });

  if (Lowering::isShapeLike(data) && Lowering::isShapeLike(type)) {
    std::optional<int64_t> start = getConstantIntValue(at[0]);
    std::optional<int64_t> step = getConstantIntValue(strides[0]);
    if (start && step) {
      SmallVector<Value> all = l.scalars(data), part;
      for (int64_t i = 0; i < type.getNumElements(); ++i)
        part.push_back(all[*start + i * *step]);
      return l.replace(l.fromScalars(type, part));
    }
  }
  if (isForward)
    return l.replace(l.slice(data, at, *sizes, strides));
  return l.replace(l.generate(
      *sizes, type.getElementType(),
      [&](ScalarBuilder &s, ValueRange indices) -> Value {
        SmallVector<Value> from;
        for (auto [index, start, step] : llvm::zip(indices, at, strides)) {
          Value first = l.asValue(start);
          from.push_back(s.add(first, s.mul(index, l.asValue(step))));
        }
        return tensor::ExtractOp::create(s.getBuilder(), s.getLoc(), data,
                                         from);
      }));
}

//===----------------------------------------------------------------------===//
// Expand, Tile, Pad
//===----------------------------------------------------------------------===//

static LogicalResult lowerExpand(ExpandOp, ExpandOp::Adaptor operands,
                                 Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value input = operands.getInput();
  RankedTensorType type = l.resultType();
  // Of the same shape if at all, which the rule has checked.
  if (type.hasStaticShape() && type == input.getType())
    return l.replace(input);
  if (Lowering::isShapeLike(input) && Lowering::isShapeLike(type)) {
    SmallVector<Value> elements = l.scalars(input);
    if (elements.size() == 1)
      elements.resize(type.getNumElements(), elements.front());
    return l.replace(l.fromScalars(type, elements));
  }
  auto [read, map] = l.broadcast(input, *sizes);
  return l.replace(
      l.map(read, map, *sizes, type.getElementType(),
            [](ScalarBuilder &, ValueRange args) { return args[0]; }));
}

/// Elements of `input` at places that each dimension has for itself. `isMoved`
/// says of which dimensions `place` gives the place of an index; other ones are
/// read at the result's. Places are computed once for each index along a
/// dimension, not for each element.
static Value
readByPlaces(Lowering &l, Value input, const Sizes &sizes,
             llvm::function_ref<bool(int64_t)> isMoved,
             llvm::function_ref<Value(ScalarBuilder &, int64_t, Value)> place) {
  Type i64 = l.b.getI64Type(), element = Lowering::elementType(input);
  int64_t rank = sizes.size();
  auto isOne = [](OpFoldResult size) {
    return getConstantIntValue(size) == int64_t(1);
  };
  // Along one axis alone a table would be as long as the result.
  if (llvm::count_if(sizes, isOne) >= rank - 1)
    return l.generate(sizes, element,
                      [&](ScalarBuilder &s, ValueRange at) -> Value {
                        SmallVector<Value> from(at);
                        for (int64_t dim = 0; dim < rank; ++dim)
                          if (isMoved(dim))
                            from[dim] = place(s, dim, at[dim]);
                        return tensor::ExtractOp::create(
                            s.getBuilder(), s.getLoc(), input, from);
                      });
  SmallVector<Value> tables;
  SmallVector<AffineMap> maps;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!isMoved(dim))
      continue;
    tables.push_back(
        l.generate(sizes[dim], i64, [&](ScalarBuilder &s, ValueRange index) {
          Value at = place(s, dim, index.front());
          return arith::IndexCastOp::create(s.getBuilder(), s.getLoc(), i64, at)
              .getResult();
        }));
    maps.push_back(AffineMap::get(rank, 0, l.b.getAffineDimExpr(dim)));
  }
  return l.map(tables, maps, sizes, element,
               [&](ScalarBuilder &s, ValueRange places) -> Value {
                 OpBuilder &b = s.getBuilder();
                 SmallVector<Value> from;
                 for (int64_t dim = 0; dim < rank; ++dim) {
                   if (!isMoved(dim)) {
                     from.push_back(
                         linalg::IndexOp::create(b, s.getLoc(), dim));
                     continue;
                   }
                   from.push_back(arith::IndexCastOp::create(
                       b, s.getLoc(), b.getIndexType(), places.front()));
                   places = places.drop_front();
                 }
                 return tensor::ExtractOp::create(b, s.getLoc(), input, from);
               });
}

/// The remainder of an index by a size; indices and sizes are not negative.
static Value wrap(ScalarBuilder &s, Value index, Value size) {
  return arith::RemUIOp::create(s.getBuilder(), s.getLoc(), index, size);
}

/// `input` repeated along each dimension, where repetitions have a dimension of
/// their own: what is read lies one behind the other.
static Value repeat(Lowering &l, Value input, ArrayRef<OpFoldResult> repeats,
                    ArrayRef<OpFoldResult> sizes) {
  Sizes own = l.sizes(input), loops;
  SmallVector<AffineExpr> from;
  for (auto [dim, times] : llvm::enumerate(repeats)) {
    bool isSame = isSameIndex(own[dim], sizes[dim]);
    if (getConstantIntValue(own[dim]) == int64_t(1) && !isSame) {
      from.push_back(l.b.getAffineConstantExpr(0));
      loops.push_back(sizes[dim]);
      continue;
    }
    if (!isSame)
      loops.push_back(times);
    from.push_back(l.b.getAffineDimExpr(loops.size()));
    loops.push_back(own[dim]);
  }
  AffineMap map = AffineMap::get(loops.size(), 0, from, l.b.getContext());
  Value all = l.map(input, map, loops, Lowering::elementType(input),
                    [](ScalarBuilder &, ValueRange args) { return args[0]; });
  return l.reshape(all, sizes);
}

static LogicalResult lowerTile(TileOp, TileOp::Adaptor operands, Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value input = operands.getInput(), repeats = operands.getRepeats();
  Sizes own = l.sizes(input);
  // Two or three elements are fewer than it takes to begin a vector.
  int64_t row =
      Lowering::rank(input) ? Lowering::typeOf(input).getShape().back() : 1;
  if (Lowering::isShapeLike(repeats) &&
      (row < 2 || row > 3 || isSameIndex(own.back(), sizes->back())))
    return l.replace(repeat(l, input, l.indices(repeats), *sizes));
  return l.replace(readByPlaces(
      l, input, *sizes,
      [&](int64_t dim) { return !isSameIndex(own[dim], (*sizes)[dim]); },
      [&](ScalarBuilder &s, int64_t dim, Value index) {
        return wrap(s, index, l.asValue(own[dim]));
      }));
}

/// Where an index into the padded tensor reads from, in [0, size).
static Value readPadded(ScalarBuilder &s, Value index, Value low, Value size,
                        StringRef mode) {
  Value at = s.sub(index, low), zero = s.zero(at), one = s.one(at);
  Value last = s.sub(size, one);
  if (mode == "edge")
    return s.max(zero, s.min(at, last));
  if (mode == "wrap")
    return s.mod(at, size);
  // Reflection has the period 2 (size - 1); a single element repeats.
  Value period = s.max(s.mul(s.constant(at, 2), last), one);
  Value inPeriod = s.mod(at, period);
  return s.min(inPeriod, s.sub(period, inPeriod));
}

static LogicalResult lowerPad(PadOp op, PadOp::Adaptor operands, Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value data = operands.getData();
  RankedTensorType type = l.resultType();
  int64_t rank = type.getRank();
  if (!Lowering::isShapeLike(operands.getPads()))
    return l.fail("the number of pads must be static");
  Sizes pads = l.indices(operands.getPads());
  int64_t count = pads.size() / 2;
  Value given = operands.getAxes();
  if (pads.size() % 2 != 0 ||
      (given ? !Lowering::isShapeLike(given) ||
                   Lowering::typeOf(given).getNumElements() != count
             : count != rank))
    return l.fail("pads must have two elements for each axis");
  AxisList axes(l, given, rank, count);
  Sizes low(rank, l.attr(0)), high(rank, l.attr(0));
  for (int64_t d = 0; d < rank; ++d)
    for (int64_t k = 0; k < count; ++k) {
      low[d] = axes.select(k, d, [&] { return pads[k]; }, low[d]);
      high[d] = axes.select(k, d, [&] { return pads[count + k]; }, high[d]);
    }

  // Negative amounts crop, first the data and then what the other side adds;
  // what is left is padded.
  Type element = type.getElementType();
  Sizes at(rank, l.attr(0)), own = l.sizes(data);
  bool crops = false;
  auto isPositive = [](OpFoldResult amount) {
    return getConstantIntValue(amount).value_or(-1) >= 0;
  };
  for (int64_t i = 0; i < rank; ++i) {
    if (isPositive(low[i]) && isPositive(high[i]))
      continue;
    crops = true;
    OpFoldResult zero = l.attr(0), size = own[i];
    OpFoldResult before = l.max(l.sub(zero, low[i]), zero),
                 behind = l.max(l.sub(zero, high[i]), zero);
    OpFoldResult lowPad = l.max(low[i], zero);
    low[i] = l.sub(lowPad, l.max(l.sub(behind, size), zero));
    OpFoldResult highPad = l.max(high[i], zero);
    high[i] = l.sub(highPad, l.max(l.sub(before, size), zero));
    at[i] = l.min(before, size);
    own[i] = l.max(l.sub(l.sub(size, at[i]), behind), zero);
  }
  if (crops)
    data = l.slice(data, at, own);
  if (op.getMode() != "constant")
    return l.replace(readByPlaces(
        l, data, *sizes,
        [&](int64_t dim) {
          return getConstantIntValue(low[dim]) != int64_t(0) ||
                 getConstantIntValue(high[dim]) != int64_t(0);
        },
        [&](ScalarBuilder &s, int64_t dim, Value index) {
          Value before = l.asValue(low[dim]);
          return readPadded(s, index, before, l.asValue(own[dim]),
                            op.getMode());
        }));
  Value value = operands.getConstantValue()
                    ? l.scalar(operands.getConstantValue())
                    : l.constant(element, 0);
  return l.replace(l.pad(data, low, high, value));
}

//===----------------------------------------------------------------------===//
// DepthToSpace, SpaceToDepth, Trilu
//===----------------------------------------------------------------------===//

static LogicalResult lowerDepthToSpace(DepthToSpaceOp op,
                                       DepthToSpaceOp::Adaptor operands,
                                       Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value input = operands.getInput();
  OpFoldResult n = l.dim(input, 0), h = l.dim(input, 2), w = l.dim(input, 3),
               c = (*sizes)[1], block = l.attr(op.getBlocksize());
  bool isDCR = op.getMode() == "DCR";
  Sizes split =
      isDCR ? Sizes{n, block, block, c, h, w} : Sizes{n, c, block, block, h, w};
  l.checkSameCount(l.sizes(input), split);
  SmallVector<int64_t> perm = isDCR ? SmallVector<int64_t>{0, 3, 4, 1, 5, 2}
                                    : SmallVector<int64_t>{0, 1, 4, 2, 5, 3};
  return l.replace(
      l.reshape(l.transpose(l.reshape(input, split), perm), *sizes));
}

static LogicalResult lowerSpaceToDepth(SpaceToDepthOp op,
                                       SpaceToDepthOp::Adaptor operands,
                                       Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value input = operands.getInput();
  OpFoldResult n = l.dim(input, 0), c = l.dim(input, 1), h = (*sizes)[2],
               w = (*sizes)[3], block = l.attr(op.getBlocksize());
  Sizes split{n, c, h, block, w, block};
  l.checkSameCount(l.sizes(input), split);
  SmallVector<int64_t> perm = op.getMode() == "DCR"
                                  ? SmallVector<int64_t>{0, 3, 5, 1, 2, 4}
                                  : SmallVector<int64_t>{0, 1, 3, 5, 2, 4};
  return l.replace(
      l.reshape(l.transpose(l.reshape(input, split), perm), *sizes));
}

static LogicalResult lowerTrilu(TriluOp op, TriluOp::Adaptor operands,
                                Lowering &l) {
  Value input = operands.getInput();
  int64_t rank = Lowering::rank(input);
  OpFoldResult k = operands.getK() ? l.asIndex(l.scalar(operands.getK()))
                                   : OpFoldResult(l.attr(0));
  // No further off than there are rows or columns: sums do not wrap around.
  OpFoldResult bounded = l.min(k, l.dim(input, rank - 1));
  Value diagonal =
      l.asValue(l.max(bounded, l.sub(l.attr(0), l.dim(input, rank - 2))));
  return l.replace(l.map(
      input, l.identityMap(rank), l.sizes(input), Lowering::elementType(input),
      [&](ScalarBuilder &s, ValueRange args) {
        OpBuilder &b = s.getBuilder();
        Value row = linalg::IndexOp::create(b, s.getLoc(), rank - 2);
        Value column = linalg::IndexOp::create(b, s.getLoc(), rank - 1);
        Value edge = s.add(row, diagonal);
        Value kept = op.getUpper() ? s.ge(column, edge) : s.le(column, edge);
        return s.select(kept, args[0], s.zero(args[0]));
      }));
}

//===----------------------------------------------------------------------===//
// CenterCropPad, ReverseSequence
//===----------------------------------------------------------------------===//

/// The middle of the input in the middle of the result.
static LogicalResult lowerCenterCropPad(CenterCropPadOp,
                                        CenterCropPadOp::Adaptor operands,
                                        Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value input = operands.getInputData();
  int64_t rank = Lowering::rank(input);
  Sizes at(rank), kept(rank), low(rank), high(rank);
  OpFoldResult zero = l.attr(0), two = l.attr(2);
  for (int64_t i = 0; i < rank; ++i) {
    OpFoldResult from = l.dim(input, i), to = (*sizes)[i];
    at[i] = l.floorDiv(l.max(l.sub(from, to), zero), two);
    kept[i] = l.min(from, to);
    OpFoldResult missing = l.max(l.sub(to, from), zero);
    low[i] = l.floorDiv(missing, two);
    high[i] = l.sub(missing, low[i]);
  }
  Value middle = l.slice(input, at, kept);
  return l.replace(
      l.pad(middle, low, high, l.constant(Lowering::elementType(input), 0)));
}

static LogicalResult lowerReverseSequence(ReverseSequenceOp op,
                                          ReverseSequenceOp::Adaptor operands,
                                          Lowering &l) {
  Value input = operands.getInput();
  int64_t rank = Lowering::rank(input), batch = op.getBatchAxis(),
          time = op.getTimeAxis();
  Value limit = l.asValue(l.dim(input, time));
  checkUpTo(l, operands.getSequenceLens(), limit,
            "sequence_lens must be at least 0 and at most the size of the "
            "time axis");
  return l.replace(
      l.map(operands.getSequenceLens(),
            AffineMap::get(rank, 0, l.b.getAffineDimExpr(batch)),
            l.sizes(input), Lowering::elementType(input),
            [&](ScalarBuilder &s, ValueRange args) -> Value {
              OpBuilder &b = s.getBuilder();
              SmallVector<Value> at;
              for (int64_t i = 0; i < rank; ++i)
                at.push_back(linalg::IndexOp::create(b, s.getLoc(), i));
              Value length = arith::IndexCastOp::create(
                  b, s.getLoc(), b.getIndexType(), args[0]);
              length = s.min(length, limit);
              Value mirrored = s.sub(s.sub(length, s.one(length)), at[time]);
              at[time] = s.select(s.lt(at[time], length), mirrored, at[time]);
              return tensor::ExtractOp::create(b, s.getLoc(), input, at);
            }));
}

void onnxc::populateMovement(Lowerings &lowerings) {
  lowerings.add<CenterCropPadOp>(lowerCenterCropPad);
  lowerings.add<ReverseSequenceOp>(lowerReverseSequence);
  lowerings.add<ConcatOp>(lowerConcat);
  lowerings.add<DepthToSpaceOp>(lowerDepthToSpace);
  lowerings.add<ExpandOp>(lowerExpand);
  lowerings.add<PadOp>(lowerPad);
  lowerings.add<SliceOp>(lowerSlice);
  lowerings.add<SpaceToDepthOp>(lowerSpaceToDepth);
  lowerings.add<SplitOp>(lowerSplit);
  lowerings.add<TileOp>(lowerTile);
  lowerings.add<TransposeOp>(lowerTranspose);
  lowerings.add<TriluOp>(lowerTrilu);
}
