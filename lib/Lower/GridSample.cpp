//===- GridSample.cpp - Sampling at the points of a grid ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sampling.h"

#include "onnxc/Dialect/ONNX/Image.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

namespace {

enum class Padding { Zeros, Border, Reflection };

/// One spatial dimension; its numbers are floats.
struct GridAxis {
  Value size;
  bool alignCorners;
  Padding padding;

  Value low(ScalarBuilder &s) const {
    return s.constant(size, alignCorners ? 0 : -0.5);
  }
  Value high(ScalarBuilder &s) const {
    return s.sub(size, s.constant(size, alignCorners ? 1 : 0.5));
  }

  /// From [-1, 1] to positions among the elements.
  Value position(ScalarBuilder &s, Value x) const {
    Value one = s.one(x), half = s.constant(x, 0.5);
    Value fromStart = s.add(x, one);
    if (alignCorners) {
      Value scaled = s.mul(fromStart, half);
      return s.mul(scaled, s.sub(size, one));
    }
    return s.mul(s.sub(s.mul(fromStart, size), one), half);
  }

  /// `x` mirrored at the borders until it is between them.
  Value reflect(ScalarBuilder &s, Value x) const {
    Value low = this->low(s), high = this->high(s), range = s.sub(high, low);
    Value isBelow = s.lt(x, low), isAbove = s.gt(x, high);
    Value below = s.sub(low, x);
    Value beyond = s.select(isBelow, below, s.sub(x, high));
    Value times = s.floor(s.div(beyond, range));
    Value rest = s.sub(beyond, s.mul(times, range));
    Value half = s.mul(times, s.constant(times, 0.5));
    Value isOdd = s.ne(half, s.floor(half));
    // Below the low border an even number of reflections ends behind it.
    Value fromLow = s.bitXor(isBelow, isOdd);
    Value up = s.add(low, rest);
    Value inside = s.select(fromLow, up, s.sub(high, rest));
    return s.select(s.bitOr(isBelow, isAbove), inside, x);
  }

  /// What the padding makes of positions, and of the taps around them.
  Value moveInside(ScalarBuilder &s, Value x) const {
    if (padding == Padding::Zeros)
      return x;
    if (padding == Padding::Reflection)
      return reflect(s, x);
    Value isBelow = s.lt(x, low(s));
    Value isOutside = s.bitOr(isBelow, s.gt(x, high(s)));
    Value zero = s.zero(x);
    Value clamped = clampNumber(s, x, zero, s.sub(size, s.one(size)));
    return s.select(isOutside, clamped, x);
  }
  void settle(ScalarBuilder &s, Taps &taps) const {
    if (padding == Padding::Reflection)
      for (Value &at : taps.at)
        at = reflect(s, at);
    settleTaps(s, taps, size, padding == Padding::Zeros);
  }
};

} // namespace

static LogicalResult
lowerGridSample(GridSampleOp op, GridSampleOp::Adaptor operands, Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getX(), grid = operands.getGrid();
  int64_t spatial = Lowering::rank(x) - 2;
  StringRef mode = op.getMode(), paddingMode = op.getPaddingMode();
  if (mode != "linear" && mode != "nearest" && mode != "cubic")
    return l.invalid("mode '" + mode + "', expected linear, nearest or cubic");
  Padding padding = Padding::Zeros;
  if (paddingMode == "border")
    padding = Padding::Border;
  else if (paddingMode == "reflection")
    padding = Padding::Reflection;
  else if (paddingMode != "zeros")
    return l.invalid("padding_mode '" + paddingMode +
                     "', expected zeros, border or reflection");

  Type element = Lowering::elementType(x);
  bool isUnsigned = l.isUnsigned();
  Type type = isa<FloatType>(element) ? getAccumulatorType(element)
                                      : Type(l.b.getF32Type());
  Type numberType =
      type.isF64() ? type : getAccumulatorType(Lowering::elementType(grid));
  SmallVector<GridAxis> axes;
  SmallVector<int64_t> dims;
  SmallVector<Value> components;
  for (int64_t i = 0; i < spatial; ++i) {
    dims.push_back(i + 2);
    axes.push_back({sizeAsFloat(l, l.dim(x, i + 2), numberType),
                    op.getAlignCorners() != 0, padding});
    // Points are (x, y, z): the last dimension first.
    components.push_back(l.index(spatial - 1 - i));
  }
  checkReadable(l, x, dims, *sizes);

  // Points are the same for all channels: their taps are computed once.
  auto tapsOf = [&](ScalarBuilder &s, unsigned which, ValueRange loops) {
    const GridAxis &axis = axes[which];
    SmallVector<Value> place(loops);
    place.push_back(components[which]);
    Value point =
        tensor::ExtractOp::create(s.getBuilder(), s.getLoc(), grid, place);
    Value at = axis.position(s, s.cast(point, numberType, false, false));
    if (mode == "nearest")
      at = s.round(at);
    // Of a cubic polynomial the border is repeated for each tap, as torch and
    // ONNX Runtime do: moved there, a point would be on the border itself.
    if (mode != "cubic" || padding != Padding::Border)
      at = axis.moveInside(s, at);
    Taps around = mode == "nearest" ? Taps{{at}, {}, {}}
                  : mode == "cubic" ? cubicTaps(s, at, -0.75)
                                    : linearTaps(s, at);
    axis.settle(s, around);
    return around;
  };
  int64_t count = mode == "nearest" ? 1 : mode == "cubic" ? 4 : 2;
  unsigned rank = sizes->size();
  Sizes points = {sizes->front()};
  llvm::append_range(points, ArrayRef(*sizes).drop_front(2));
  SmallVector<AffineExpr> point = {l.b.getAffineDimExpr(0)};
  for (unsigned i = 2; i < rank; ++i)
    point.push_back(l.b.getAffineDimExpr(i));
  TableSampling sampling;
  sampling.type = type;
  sampling.element = element;
  sampling.toUnsigned = isUnsigned;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    TapTables table = tabulateTaps(
        l, points, count, count > 1 ? type : Type(), padding == Padding::Zeros,
        [&, i = i](ScalarBuilder &s, ValueRange loops) {
          return tapsOf(s, i, loops);
        });
    sampling.add(dim, table, rank, point);
  }
  return l.replace(sampleByTables(l, x, sampling, *sizes));
}

//===----------------------------------------------------------------------===//
// AffineGrid
//===----------------------------------------------------------------------===//

static LogicalResult
lowerAffineGrid(AffineGridOp op, AffineGridOp::Adaptor operands, Lowering &l) {
  if (failed(l.setLength(1, l.resultType().getRank())))
    return failure();
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value theta = operands.getTheta();
  int64_t spatial = sizes->size() - 2;
  if (Lowering::rank(theta) != 3)
    return l.invalid("theta must have rank 3");
  l.checkEqual(l.dim(theta, 0), sizes->front(),
               "theta must have a matrix for each image");
  l.checkEqual(l.dim(theta, 1), l.attr(spatial),
               "theta must have a row for each spatial dimension");
  l.checkEqual(l.dim(theta, 2), l.attr(spatial + 1),
               "theta must have a column for each spatial dimension and one "
               "for the translation");
  Type element = Lowering::elementType(theta),
       type = getAccumulatorType(element);
  bool alignCorners = op.getAlignCorners() != 0;
  SmallVector<Value> lengths, columns;
  for (int64_t i = 0; i < spatial; ++i)
    lengths.push_back(sizeAsFloat(l, (*sizes)[1 + i], type));
  for (int64_t i = 0; i <= spatial; ++i)
    columns.push_back(l.index(i));

  // The point of element `i` of `size` on the line from -1 to 1.
  auto place = [&](ScalarBuilder &s, Value i, Value size) {
    Value x = indexToFloat(s, i, type), one = s.one(x), two = s.add(one, one);
    if (!alignCorners)
      return s.sub(s.div(s.add(s.mul(two, x), one), size), one);
    Value doubled = s.mul(two, x);
    Value on = s.sub(s.div(doubled, s.sub(size, one)), one);
    Value isMany = s.gt(size, one);
    return s.select(isMany, on, s.neg(one));
  };
  auto body = [&](ScalarBuilder &s, ValueRange loops) -> Value {
    auto factor = [&](int64_t column) {
      Value read = tensor::ExtractOp::create(
          s.getBuilder(), s.getLoc(), theta,
          ValueRange{loops.front(), loops.back(), columns[column]});
      return s.cast(read, type, false, false);
    };
    Value sum = factor(spatial);
    // The first column is for x: the last dimension.
    for (int64_t i = 0; i < spatial; ++i) {
      Value coefficient = factor(spatial - 1 - i);
      sum = s.add(sum, s.mul(coefficient, place(s, loops[1 + i], lengths[i])));
    }
    return s.cast(sum, element, false, false);
  };
  return l.replace(l.generate(*sizes, element, body));
}

void onnxc::populateGridSample(Lowerings &lowerings) {
  lowerings.add<AffineGridOp>(lowerAffineGrid);
  lowerings.add<GridSampleOp>(lowerGridSample);
}
