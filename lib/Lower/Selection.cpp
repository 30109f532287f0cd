//===- Selection.cpp - Elements chosen by their values --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many elements are chosen is found first; then a loop writes down where
// they are, and all else is done for each of them on its own.
//
//===----------------------------------------------------------------------===//

#include "Concatenate.h"
#include "Indexing.h"

#include "onnxc/Dialect/ONNX/ClassicML.h"
#include "onnxc/Dialect/ONNX/Indexing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

/// What is kept of all columns at once fits the registers, and a row some
/// vectors.
static constexpr int64_t kMostOfColumns = 8, kLeastColumns = 16;

/// The indices of the true elements of `mask` (of rank 1), as i64.
static Value findTrue(Lowering &l, Value mask) {
  Type i64 = l.b.getI64Type();
  Value sum = l.reduce(
      mask, 0, l.constant(i64, 0), [&](ScalarBuilder &s, ValueRange args) {
        return s.add(args[1], s.cast(args[0], i64, false, false));
      });
  OpFoldResult count = l.asIndex(
      tensor::ExtractOp::create(l.b, l.loc, sum, ValueRange{}).getResult());
  // Each index is written where the next true element's belongs, and stays if
  // its element is true: one place more than there are true elements.
  Value all = l.empty(l.add(count, l.attr(1)), i64);
  Value zero = l.index(0), one = l.index(1);
  auto loop = scf::ForOp::create(
      l.b, l.loc, zero, l.asValue(l.dim(mask, 0)), one, ValueRange{all, zero},
      [&](OpBuilder &b, Location loc, Value i, ValueRange state) {
        Value here = arith::IndexCastOp::create(b, loc, i64, i);
        Value next = tensor::InsertOp::create(b, loc, here, state[0], state[1]);
        Value isTrue = tensor::ExtractOp::create(b, loc, mask, i);
        Value after = arith::AddIOp::create(b, loc, state[1], one);
        after = arith::SelectOp::create(b, loc, isTrue, after, state[1]);
        scf::YieldOp::create(b, loc, ValueRange{next, after});
      });
  return l.slice(loop.getResult(0), l.attr(0), count);
}

/// `x` at `indices` (known to be inside) along `axis`.
static Value take(Lowering &l, Value x, Value indices, int64_t axis) {
  Sizes sizes = l.sizes(x);
  sizes[axis] = l.dim(indices, 0);
  AffineMap map = AffineMap::get(sizes.size(), 0, l.b.getAffineDimExpr(axis));
  return l.map(indices, map, sizes, Lowering::elementType(x),
               [&](ScalarBuilder &s, ValueRange args) -> Value {
                 OpBuilder &b = s.getBuilder();
                 SmallVector<Value> from;
                 for (size_t i = 0; i < sizes.size(); ++i)
                   from.push_back(
                       int64_t(i) == axis
                           ? toIndex(s, args[0])
                           : Value(linalg::IndexOp::create(b, s.getLoc(), i)));
                 return tensor::ExtractOp::create(b, s.getLoc(), x, from);
               });
}

static Value flatten(Lowering &l, Value x) {
  return l.reshape(x, l.product(l.sizes(x)));
}

static LogicalResult lowerCompress(CompressOp op, CompressOp::Adaptor operands,
                                   Lowering &l) {
  Value x = operands.getInput(), condition = operands.getCondition();
  if (Lowering::rank(condition) != 1)
    return l.invalid("condition must have rank 1");
  int64_t axis = op.getAxis().value_or(0);
  if (!op.getAxis())
    x = flatten(l, x);
  axis += axis < 0 ? Lowering::rank(x) : 0;
  // What the condition has no element for is left out.
  OpFoldResult length = l.dim(condition, 0), size = l.dim(x, axis);
  if (!isSameIndex(length, size))
    condition = l.slice(condition, l.attr(0), l.min(length, size));
  return l.replace(take(l, x, findTrue(l, condition), axis));
}

static LogicalResult lowerNonZero(NonZeroOp op, NonZeroOp::Adaptor operands,
                                  Lowering &l) {
  Value x = operands.getX();
  int64_t rank = Lowering::rank(x);
  Type i1 = l.b.getI1Type(), i64 = l.b.getI64Type();
  Value mask = x;
  if (!Lowering::elementType(x).isInteger(1))
    mask = l.mapSame(x, i1, [](ScalarBuilder &s, ValueRange args) {
      return s.ne(args[0], s.zero(args[0]));
    });
  Value places = findTrue(l, flatten(l, mask));
  OpFoldResult count = l.dim(places, 0);
  if (rank == 0)
    return l.replace(l.empty({l.attr(0), count}, i64));
  // Index `i` of an element is its flat place, divided and cut.
  SmallVector<Value> sizes, strides(rank);
  OpFoldResult stride = l.attr(1);
  for (int64_t i = rank - 1; i >= 0; --i) {
    strides[i] = l.asValue(stride);
    stride = l.mul(stride, l.dim(x, i));
  }
  for (OpFoldResult size : l.sizes(x))
    sizes.push_back(l.asValue(size));
  AffineMap column = AffineMap::get(2, 0, l.b.getAffineDimExpr(1));
  return l.replace(
      l.map(places, column, {l.attr(rank), count}, i64,
            [&](ScalarBuilder &s, ValueRange args) -> Value {
              OpBuilder &b = s.getBuilder();
              Value which = linalg::IndexOp::create(b, s.getLoc(), 0);
              Value size = sizes.front(), stride = strides.front();
              for (int64_t i = 1; i < rank; ++i) {
                Value isHere = s.eq(which, s.constant(which, double(i)));
                size = s.select(isHere, sizes[i], size);
                stride = s.select(isHere, strides[i], stride);
              }
              Value at = toIndex(s, args[0]);
              at = arith::DivUIOp::create(b, s.getLoc(), at, stride);
              at = arith::RemUIOp::create(b, s.getLoc(), at, size);
              return arith::IndexCastOp::create(b, s.getLoc(), i64, at);
            }));
}

//===----------------------------------------------------------------------===//
// ArrayFeatureExtractor
//===----------------------------------------------------------------------===//

/// Elements along the last dimension; of a vector, as a matrix of one row.
static LogicalResult
lowerArrayFeatureExtractor(ArrayFeatureExtractorOp op,
                           ArrayFeatureExtractorOp::Adaptor operands,
                           Lowering &l) {
  Value x = operands.getX(), indices = flatten(l, operands.getY());
  if (Lowering::rank(x) == 0)
    return l.invalid("X must not be a scalar");
  int64_t last = Lowering::rank(x) - 1;
  if (last == 0) {
    x = l.reshape(x, {l.attr(1), l.dim(x, 0)});
    last = 1;
  }
  OpFoldResult limit = l.dim(x, last);
  if (failed(checkIndices(l, indices, limit)))
    return failure();
  Value bound = l.asValue(limit);
  Value inside = l.mapSame(
      indices, l.b.getI64Type(), [&](ScalarBuilder &s, ValueRange args) {
        Value at = clampIndex(s, toIndex(s, args[0]), bound);
        return arith::IndexCastOp::create(s.getBuilder(), s.getLoc(),
                                          l.b.getI64Type(), at)
            .getResult();
      });
  return l.replace(take(l, x, inside, last));
}

//===----------------------------------------------------------------------===//
// By comparing
//===----------------------------------------------------------------------===//

static Value wide(Lowering &l, int64_t value) {
  return l.constant(l.b.getI64IntegerAttr(value));
}

/// An integer that compares as a float does, with zeros equal, and NaN the
/// greatest; the other way round for the largest ones. None is INT32_MAX.
static Value makeKey(ScalarBuilder &s, Value x, bool largest) {
  OpBuilder &b = s.getBuilder();
  Location loc = s.getLoc();
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), x);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  Value magnitude = arith::AndIOp::create(b, loc, bits, constant(INT32_MAX));
  Value sign = arith::ShRSIOp::create(b, loc, bits, constant(31));
  Value key = arith::XOrIOp::create(b, loc, magnitude, sign);
  key = arith::SubIOp::create(b, loc, key, sign);
  Value isNaN = s.isNaN(x), greatest = constant(0x7f800001);
  key = s.select(isNaN, greatest, key);
  return largest ? arith::SubIOp::create(b, loc, constant(0), key) : key;
}

/// The first few elements of all columns at once: those of a row are put where
/// they belong among those that came before.
static LogicalResult selectFewOfColumns(Lowering &l, Value x, int64_t axis,
                                        int64_t count, bool largest,
                                        const Sizes &sizes) {
  int64_t rank = Lowering::rank(x);
  Type i32 = l.b.getI32Type(), i64 = l.b.getI64Type();
  Sizes kept = l.sizes(x);
  kept.erase(kept.begin() + axis);
  SmallVector<Value> inits;
  for (int64_t i = 0; i < 2 * count; ++i)
    inits.push_back(
        l.filled(kept, i < count ? l.highest(i32, false) : l.constant(i32, 0)));
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators[axis] = IteratorType::reduction;
  SmallVector<AffineMap> maps(2 * count, l.dropDims(rank, axis));
  maps.insert(maps.begin(), l.identityMap(rank));
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    ScalarBuilder s(b, loc, i32, false);
    Value key = makeKey(s, args[0], largest);
    Value index = arith::IndexCastOp::create(
        b, loc, i32, linalg::IndexOp::create(b, loc, axis));
    SmallVector<Value> next(args.drop_front());
    Value moves;
    for (int64_t i = 0; i < count; ++i) {
      // What is pushed out comes before all that follows.
      Value isBefore = s.lt(key, next[i]);
      moves = moves ? s.bitOr(moves, isBefore) : isBefore;
      for (auto [value, place] :
           {std::pair(&key, &next[i]), std::pair(&index, &next[count + i])}) {
        Value out = s.select(moves, *place, *value);
        *place = s.select(moves, *value, *place);
        *value = out;
      }
    }
    linalg::YieldOp::create(b, loc, next);
  };
  auto all = linalg::GenericOp::create(l.b, l.loc, TypeRange(ValueRange(inits)),
                                       x, inits, maps, iterators, body);
  Sizes one = sizes;
  one[axis] = l.attr(1);
  SmallVector<Value> rows;
  for (Value row : all.getResults().drop_front(count))
    rows.push_back(l.reshape(row, one));
  Value indices = l.castElements(concatenate(l, rows, axis, sizes), i64);
  Value values = l.map(
      indices, l.identityMap(rank), sizes, Lowering::elementType(x),
      [&](ScalarBuilder &s, ValueRange args) -> Value {
        OpBuilder &b = s.getBuilder();
        SmallVector<Value> from;
        for (int64_t i = 0; i < rank; ++i)
          from.push_back(
              i == axis ? toIndex(s, args[0])
                        : Value(linalg::IndexOp::create(b, s.getLoc(), i)));
        return tensor::ExtractOp::create(b, s.getLoc(), x, from);
      });
  return l.replace({values, indices});
}

/// Whether a few elements are chosen of each of many columns, whose length is
/// known.
static bool choosesFewOfColumns(RankedTensorType type, int64_t axis,
                                int64_t count) {
  int64_t length = type.getDimSize(axis), row = type.getShape().back();
  return type.getElementType().isF32() && axis + 1 < type.getRank() &&
         count > 0 && count <= kMostOfColumns && length >= count &&
         length < INT32_MAX && row >= kLeastColumns;
}

static LogicalResult lowerTopK(TopKOp op, TopKOp::Adaptor operands,
                               Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getX();
  int64_t axis = op.getAxis();
  axis += axis < 0 ? Lowering::rank(x) : 0;
  int64_t count = getConstantIntValue((*sizes)[axis]).value_or(0);
  if (choosesFewOfColumns(Lowering::typeOf(x), axis, count))
    return selectFewOfColumns(l, x, axis, count, op.getLargest() != 0, *sizes);
  int32_t dtype = l.operandDtype(0);
  SmallVector<Value> inputs = {x, wide(l, axis), wide(l, op.getLargest() != 0)};
  return l.replace(l.call("top_k", inputs,
                          {l.empty(*sizes, Lowering::elementType(x)),
                           l.empty(*sizes, l.b.getI64Type())},
                          {}, {dtype, 0, 0, dtype, 0}));
}

/// A tensor type of this rank and no known sizes.
static Type tensorOf(int64_t rank, Type element) {
  return RankedTensorType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic),
                               element);
}

static LogicalResult lowerUnique(UniqueOp op, UniqueOp::Adaptor operands,
                                 Lowering &l) {
  Value x = operands.getX();
  int64_t rank = Lowering::rank(x), axis = op.getAxis().value_or(-1);
  if (op.getAxis() && axis < 0)
    axis += rank;
  Type vector = tensorOf(1, l.b.getI64Type());
  Type y = tensorOf(op.getAxis() ? rank : 1, Lowering::elementType(x));
  int32_t dtype = l.operandDtype(0);
  SmallVector<Value> all =
      l.call("unique", {x, wide(l, axis), wide(l, op.getSorted() != 0)}, {},
             {y, vector, vector, vector}, {dtype, 0, 0, dtype, 0, 0, 0});
  SmallVector<Value> results{all[0]};
  SmallVector<Value, 3> asked{op.getIndices(), op.getInverseIndices(),
                              op.getCounts()};
  for (auto [result, made] : llvm::zip(asked, ArrayRef(all).drop_front()))
    if (result)
      results.push_back(made);
  return l.replace(results);
}

static LogicalResult
lowerNonMaxSuppression(NonMaxSuppressionOp op,
                       NonMaxSuppressionOp::Adaptor operands, Lowering &l) {
  Value boxes = operands.getBoxes(), scores = operands.getScores();
  if (Lowering::rank(boxes) != 3 || Lowering::rank(scores) != 3)
    return l.invalid("boxes and scores must have rank 3");
  l.checkEqual(l.dim(boxes, 2), l.attr(4), "boxes must have 4 numbers each");
  OpFoldResult batch = l.dim(boxes, 0);
  l.checkEqual(batch, l.dim(scores, 0),
               "boxes and scores must have the same batch size");
  OpFoldResult numBoxes = l.dim(boxes, 1);
  l.checkEqual(numBoxes, l.dim(scores, 2), "boxes and scores must be as many");
  auto number = [&](Value tensor, TypedAttr absent, StringRef name) {
    if (!tensor)
      return l.constant(absent);
    for (OpFoldResult size : l.sizes(tensor))
      l.checkEqual(size, l.attr(1), name + " must be one number");
    return l.scalar(tensor);
  };
  FloatAttr zero = l.b.getF32FloatAttr(0);
  Value threshold = operands.getScoreThreshold();
  Type triples =
      RankedTensorType::get({ShapedType::kDynamic, 3}, l.b.getI64Type());
  return l.replace(l.call(
      "suppress_boxes",
      {boxes, scores,
       number(operands.getMaxOutputBoxesPerClass(), l.b.getI64IntegerAttr(0),
              "max_output_boxes_per_class"),
       number(operands.getIouThreshold(), zero, "iou_threshold"),
       number(threshold, zero, "score_threshold"),
       wide(l, threshold != nullptr), wide(l, op.getCenterPointBox() != 0)},
      {}, triples));
}

void onnxc::populateSelection(Lowerings &lowerings) {
  lowerings.add<ArrayFeatureExtractorOp>(lowerArrayFeatureExtractor);
  lowerings.add<CompressOp>(lowerCompress);
  lowerings.add<NonMaxSuppressionOp>(lowerNonMaxSuppression);
  lowerings.add<NonZeroOp>(lowerNonZero);
  lowerings.add<TopKOp>(lowerTopK);
  lowerings.add<UniqueOp>(lowerUnique);
}
