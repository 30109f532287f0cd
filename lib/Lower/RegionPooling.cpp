//===- RegionPooling.cpp - Pools over regions, and back -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many elements a region has is known only when run: each result element
// has a loop nest of its own, but where the number of samples is given
// (RoiAlign).
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Sampling.h"

#include "onnxc/Dialect/ONNX/Pooling.h"
#include "onnxc/Dialect/ONNX/Window.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;

/// Two loops around `body`, which gets the indices and what it gave before.
static Value
loopOver(ScalarBuilder &s, std::pair<Value, Value> rows,
         std::pair<Value, Value> columns, Value init,
         llvm::function_ref<Value(ScalarBuilder &, ValueRange, Value)> body) {
  Value one = arith::ConstantIndexOp::create(s.getBuilder(), s.getLoc(), 1);
  auto inner = [&](OpBuilder &b, Location loc, ValueRange loops,
                   ValueRange state) {
    ScalarBuilder nested(b, loc, s.getResultType(), false);
    return scf::ValueVector{body(nested, loops, state.front())};
  };
  return scf::buildLoopNest(
             s.getBuilder(), s.getLoc(), {rows.first, columns.first},
             {rows.second, columns.second}, {one, one}, init, inner)
      .results.front();
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

namespace {

/// One side of a region: where its bin for a result element begins, and the
/// samples in it, of which those before `first` and from `last` on are far from
/// the image. Numbers are floats.
struct Bin {
  Value start, step, samples, first, last;
};

class RegionAligner {
public:
  RegionAligner(Lowering &l, RoiAlignOp op, RoiAlignOp::Adaptor operands)
      : l(l), op(op), x(operands.getX()), rois(operands.getRois()),
        batches(operands.getBatchIndices()),
        type(getAccumulatorType(Lowering::elementType(x))),
        isHalfPixel(op.getCoordinateTransformationMode() == "half_pixel") {
    for (int64_t dim : {2, 3})
      lengths.push_back(sizeAsFloat(l, l.dim(x, dim), type));
    count = l.asValue(l.dim(x, 0));
  }

  Value align(ScalarBuilder &s, ValueRange loops) {
    OpBuilder &b = s.getBuilder();
    Location loc = s.getLoc();
    Value batch = tensor::ExtractOp::create(b, loc, batches, loops[0]);
    SmallVector<Value> from{
        clampIndex(s, toIndex(s, batch), count), loops[1], {}, {}};
    Bin rows = bin(s, loops[0], 1, op.getOutputHeight(), loops[2]);
    Bin columns = bin(s, loops[0], 0, op.getOutputWidth(), loops[3]);
    bool isMax = op.getMode() == "max";
    Value zero = s.constant(rows.start, 0);
    Value least = isMax ? l.lowest(type, false) : zero;
    Value firstRow = floatToIndex(s, rows.first);
    Value lastRow = floatToIndex(s, rows.last);
    Value firstColumn = floatToIndex(s, columns.first);
    Value lastColumn = floatToIndex(s, columns.last);
    Value result = loopOver(
        s, {firstRow, lastRow}, {firstColumn, lastColumn}, least,
        [&](ScalarBuilder &s, ValueRange at, Value total) {
          Value y = sample(s, rows, at[0]), x = sample(s, columns, at[1]);
          Value isFar = isOutside(s, y, 0);
          isFar = s.bitOr(isFar, isOutside(s, x, 1));
          SmallVector<Taps> taps{tapsAt(s, y, 0), tapsAt(s, x, 1)};
          Value value =
              isMax ? greatestTap(s, from, taps)
                    : sumTaps(s, this->x, from, {2, 3}, taps, type, false);
          value = s.select(isFar, s.zero(value), value);
          return isMax ? s.max(total, value) : s.add(total, value);
        });
    Value samples = s.mul(rows.samples, columns.samples);
    // What is far from the image is 0.
    if (isMax && isAdaptive()) {
      Value isLess = leavesOut(s, rows);
      isLess = s.bitOr(isLess, leavesOut(s, columns));
      result = s.select(isLess, s.max(result, zero), result);
    }
    if (isMax)
      return s.select(s.gt(samples, zero), result, zero);
    return s.div(result, s.max(samples, s.one(samples)));
  }

  /// Whether each region has the same few samples, whose taps are computed once
  /// for all channels.
  bool hasTables() {
    return !isAdaptive() && op.getMode() == "avg" &&
           op.getSamplingRatio() <= kMostTabulated;
  }
  Value alignByTables(ArrayRef<OpFoldResult> sizes);

private:
  /// With more samples tables are longer than what they save.
  static constexpr int64_t kMostTabulated = 8;

  Bin bin(ScalarBuilder &s, Value roi, int64_t column, int64_t bins,
          Value which) {
    OpBuilder &b = s.getBuilder();
    auto edge = [&](int64_t column) {
      Value at = arith::ConstantIndexOp::create(b, s.getLoc(), column);
      Value read =
          tensor::ExtractOp::create(b, s.getLoc(), rois, ValueRange{roi, at});
      Value wide = s.cast(read, type, false, false);
      wide =
          s.mul(wide, s.constant(wide, op.getSpatialScale().convertToDouble()));
      return isHalfPixel ? s.sub(wide, s.constant(wide, 0.5)) : wide;
    };
    Value start = edge(column), size = s.sub(edge(column + 2), start);
    if (!isHalfPixel)
      size = s.max(size, s.one(size));
    Value step = s.div(size, s.constant(size, double(bins)));
    Value samples;
    if (!isAdaptive()) {
      samples = s.constant(step, double(op.getSamplingRatio()));
    } else {
      Value whole = s.ceil(step), zero = s.zero(step);
      samples = clampNumber(s, whole, zero, s.constant(step, double(1 << 20)));
    }
    start = s.add(start, s.mul(indexToFloat(s, which, type), step));
    Bin all = {start, step, samples, s.zero(samples), samples};
    return isAdaptive() ? nearImage(s, all, lengths[1 - column]) : all;
  }

  /// A region of any size has few samples near the image. With a margin for
  /// roundings; NaN leaves out none.
  Bin nearImage(ScalarBuilder &s, Bin bin, Value length) {
    Value zero = s.zero(bin.step), distance = s.div(bin.step, bin.samples);
    Value isNegative = s.lt(bin.start, zero);
    Value size = s.select(isNegative, s.neg(bin.start), bin.start);
    size = s.mul(size, s.constant(size, std::ldexp(1.0, -20)));
    Value margin = s.div(size, distance);
    margin = s.add(margin, s.constant(margin, 2));
    auto indexOf = [&](Value position) {
      Value away = s.sub(position, bin.start);
      return s.div(away, distance);
    };
    Value low = indexOf(s.constant(zero, -1)), high = indexOf(length);
    low = s.sub(low, margin);
    low = s.floor(low);
    high = s.add(high, margin);
    high = s.ceil(high);
    bin.first = clampNumber(s, low, zero, bin.samples);
    Value isInside = s.lt(high, bin.samples);
    bin.last = s.select(isInside, s.max(high, zero), bin.samples);
    return bin;
  }
  bool isAdaptive() { return op.getSamplingRatio() == 0; }
  static Value leavesOut(ScalarBuilder &s, const Bin &bin) {
    Value isLater = s.gt(bin.first, s.zero(bin.first));
    return s.bitOr(isLater, s.lt(bin.last, bin.samples));
  }

  Value sample(ScalarBuilder &s, const Bin &bin, Value index) {
    Value middle = indexToFloat(s, index, type);
    middle = s.add(middle, s.constant(middle, 0.5));
    return s.add(bin.start, s.div(s.mul(middle, bin.step), bin.samples));
  }
  Value isOutside(ScalarBuilder &s, Value position, int64_t axis) {
    Value isBelow = s.lt(position, s.constant(position, -1));
    return s.bitOr(isBelow, s.gt(position, lengths[axis]));
  }
  Taps tapsAt(ScalarBuilder &s, Value position, int64_t axis) {
    Value size = lengths[axis];
    Value zero = s.zero(position);
    Taps taps =
        linearTaps(s, clampNumber(s, position, zero, s.sub(size, s.one(size))));
    settleTaps(s, taps, size, false);
    return taps;
  }
  /// ONNX takes the greatest of the weighted elements, not of their sums.
  Value greatestTap(ScalarBuilder &s, ArrayRef<Value> from,
                    ArrayRef<Taps> taps) {
    SmallVector<Value> place(from);
    Value greatest;
    for (auto [y, yWeight] : llvm::zip(taps[0].at, taps[0].weights))
      for (auto [x, xWeight] : llvm::zip(taps[1].at, taps[1].weights)) {
        place[2] = y;
        place[3] = x;
        Value read = tensor::ExtractOp::create(s.getBuilder(), s.getLoc(),
                                               this->x, place);
        Value product =
            s.mul(s.mul(yWeight, xWeight), s.cast(read, type, false, false));
        greatest = greatest ? s.max(greatest, product) : product;
      }
    return greatest;
  }

  Lowering &l;
  RoiAlignOp op;
  Value x, rois, batches;
  Type type;
  bool isHalfPixel;
  /// Height and width; and how many images there are.
  SmallVector<Value> lengths;
  Value count;
};

/// Means of samples: loops over regions, channels, bins and samples, of which
/// those of a region's rows and of its columns are tabulated for themselves.
Value RegionAligner::alignByTables(ArrayRef<OpFoldResult> sizes) {
  auto d = [&](unsigned i) { return l.b.getAffineDimExpr(i); };
  int64_t samples = op.getSamplingRatio();
  SmallVector<int64_t> bins = {int64_t(op.getOutputHeight()),
                               int64_t(op.getOutputWidth())};
  constexpr unsigned loops = 6;
  SmallVector<TapTables> tables;
  TapOperands operands;
  for (unsigned axis : {0, 1}) {
    Sizes points = {sizes[0], sizes[2 + axis], l.attr(samples)};
    tables.push_back(tabulateTaps(
        l, points, /*count=*/2, type, /*hasCounts=*/true,
        [&](ScalarBuilder &s, ValueRange at) {
          Bin own = bin(s, at[0], 1 - axis, bins[axis], at[1]);
          Value position = sample(s, own, at[2]);
          Taps taps = tapsAt(s, position, axis);
          Value yes = arith::ConstantIntOp::create(s.getBuilder(), s.getLoc(),
                                                   1, /*width=*/1);
          taps.counts.assign(2, s.bitXor(isOutside(s, position, axis), yes));
          return taps;
        }));
    operands.append(tables.back(), loops, {d(0), d(2 + axis), d(4 + axis)});
  }
  AffineMap ofResult =
      AffineMap::get(loops, 0, {d(0), d(1), d(2), d(3)}, l.b.getContext());
  SmallVector<Value> inputs = {batches};
  SmallVector<AffineMap> maps = {AffineMap::get(loops, 0, d(0))};
  llvm::append_range(inputs, operands.inputs);
  llvm::append_range(maps, operands.maps);
  maps.push_back(ofResult);
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  iterators.append(2, utils::IteratorType::reduction);
  Value sums = l.generic(
      inputs, l.filled(sizes, l.constant(type, 0)), maps, iterators,
      [&](ScalarBuilder &s, ValueRange args) -> Value {
        OpBuilder &b = s.getBuilder();
        Value channel = linalg::IndexOp::create(b, s.getLoc(), 1);
        SmallVector<Value> from{
            clampIndex(s, toIndex(s, args[0]), count), channel, {}, {}};
        ValueRange rest = args.drop_front();
        SmallVector<Taps> taps;
        for (const TapTables &own : tables)
          taps.push_back(readTaps(s, own, rest));
        return s.add(rest.front(),
                     sumTaps(s, x, from, {2, 3}, taps, type, false));
      });
  return l.mapSame(sums, type, [&](ScalarBuilder &s, ValueRange args) {
    return s.div(args[0], s.constant(args[0], double(samples * samples)));
  });
}

} // namespace

static LogicalResult lowerRoiAlign(RoiAlignOp op, RoiAlignOp::Adaptor operands,
                                   Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getX(), rois = operands.getRois(),
        batches = operands.getBatchIndices();
  if (Lowering::rank(x) != 4 || Lowering::rank(rois) != 2 ||
      Lowering::rank(batches) != 1)
    return l.invalid(
        "the ranks of X, rois and batch_indices must be 4, 2 and 1");
  if (op.getMode() != "avg" && op.getMode() != "max")
    return l.invalid("mode '" + op.getMode() + "', expected avg or max");
  l.checkEqual(l.dim(rois, 1), l.attr(4), "rois must have 4 columns");
  OpFoldResult regions = l.dim(batches, 0);
  l.checkEqual(regions, l.dim(rois, 0),
               "batch_indices must have one element for each region");
  checkReadable(l, x, {0, 2, 3}, *sizes);
  if (failed(checkIndices(l, batches, l.dim(x, 0))))
    return failure();
  RegionAligner aligner(l, op, operands);
  Type element = Lowering::elementType(x);
  if (aligner.hasTables())
    return l.replace(l.castElements(aligner.alignByTables(*sizes), element));
  return l.replace(
      l.generate(*sizes, element, [&](ScalarBuilder &s, ValueRange loops) {
        return s.cast(aligner.align(s, loops), element, false, false);
      }));
}

//===----------------------------------------------------------------------===//
// MaxRoiPool
//===----------------------------------------------------------------------===//

/// The nearest integer; halves go away from 0.
static Value roundAway(ScalarBuilder &s, Value x) {
  Value half = s.constant(x, 0.5);
  Value isNegative = s.lt(x, s.zero(x));
  Value negative = s.ceil(s.sub(x, half));
  return s.select(isNegative, negative, s.floor(s.add(x, half)));
}

static LogicalResult
lowerMaxRoiPool(MaxRoiPoolOp op, MaxRoiPoolOp::Adaptor operands, Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getX(), rois = operands.getRois();
  if (Lowering::rank(x) != 4 || Lowering::rank(rois) != 2)
    return l.invalid("the ranks of X and rois must be 4 and 2");
  l.checkEqual(l.dim(rois, 1), l.attr(5), "rois must have 5 columns");
  Type element = Lowering::elementType(x), type = getAccumulatorType(element);
  auto readRoi = [&](ScalarBuilder &s, Value roi, int64_t column) {
    OpBuilder &b = s.getBuilder();
    Value at = arith::ConstantIndexOp::create(b, s.getLoc(), column);
    Value read =
        tensor::ExtractOp::create(b, s.getLoc(), rois, ValueRange{roi, at});
    return s.cast(read, type, false, false);
  };
  Value batches = l.generate(
      l.dim(rois, 0), l.b.getI64Type(), [&](ScalarBuilder &s, ValueRange at) {
        return s.cast(readRoi(s, at[0], 0), l.b.getI64Type(), false, false);
      });
  checkReadable(l, x, {0, 2, 3}, *sizes);
  if (failed(checkIndices(l, batches, l.dim(x, 0))))
    return failure();
  Value count = l.asValue(l.dim(x, 0));
  SmallVector<Value> lengths;
  for (int64_t dim : {2, 3})
    lengths.push_back(sizeAsFloat(l, l.dim(x, dim), type));
  double scale = op.getSpatialScale().convertToDouble();

  // The elements of bin `which` along one side of a region.
  auto range = [&](ScalarBuilder &s, Value roi, int64_t axis, Value which) {
    auto edge = [&](int64_t column) {
      Value read = readRoi(s, roi, column);
      return roundAway(s, s.mul(read, s.constant(read, scale)));
    };
    Value start = edge(2 - axis), end = edge(4 - axis), one = s.one(start);
    Value size = s.max(s.add(s.sub(end, start), one), one);
    Value step =
        s.div(size, s.constant(size, double(op.getPooledShape()[axis])));
    Value at = indexToFloat(s, which, type);
    auto bound = [&](Value offset) {
      Value moved = s.add(offset, start);
      return floatToIndex(s,
                          clampNumber(s, moved, s.zero(start), lengths[axis]));
    };
    Value first = bound(s.floor(s.mul(at, step)));
    return std::pair(first, bound(s.ceil(s.mul(s.add(at, one), step))));
  };
  Value least = l.lowest(element, false);
  return l.replace(
      l.generate(*sizes, element, [&](ScalarBuilder &s, ValueRange loops) {
        auto rows = range(s, loops[0], 0, loops[2]);
        auto columns = range(s, loops[0], 1, loops[3]);
        Value batch = tensor::ExtractOp::create(s.getBuilder(), s.getLoc(),
                                                batches, loops[0]);
        batch = clampIndex(s, toIndex(s, batch), count);
        Value greatest =
            loopOver(s, rows, columns, least,
                     [&](ScalarBuilder &s, ValueRange at, Value greatest) {
                       Value read = tensor::ExtractOp::create(
                           s.getBuilder(), s.getLoc(), x,
                           ValueRange{batch, loops[1], at[0], at[1]});
                       return s.max(greatest, read);
                     });
        Value isRowEmpty = s.ge(rows.first, rows.second);
        Value isEmpty =
            s.bitOr(isRowEmpty, s.ge(columns.first, columns.second));
        return s.select(isEmpty, s.zero(greatest), greatest);
      }));
}

//===----------------------------------------------------------------------===//
// MaxUnpool
//===----------------------------------------------------------------------===//

/// The elements go where MaxPool found them in a tensor of the size that
/// kernel, strides and pads tell; a larger output_shape adds zeros behind.
static LogicalResult
lowerMaxUnpool(MaxUnpoolOp op, MaxUnpoolOp::Adaptor operands, Lowering &l) {
  if (operands.getOutputShape() &&
      failed(l.setLength(2, l.resultType().getRank())))
    return failure();
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getX(), indices = operands.getI();
  int64_t rank = Lowering::rank(x), spatial = rank - 2;
  if (int64_t(op.getKernelShape().size()) != spatial ||
      Lowering::rank(indices) != rank)
    return l.invalid("kernel_shape or the indices do not fit the rank of X");
  Sizes from = l.sizes(x), unpooled(from);
  for (int64_t i = 0; i < rank; ++i)
    l.checkEqual(from[i], l.dim(indices, i),
                 "X and the indices must have the same shape");
  Window window(
      l.shapes(),
      {op.getKernelShape(), op.getStrides(), std::nullopt, op.getPads()},
      spatial, {}, "maxunpool");
  for (int64_t i = 0; i < spatial; ++i) {
    OpFoldResult lastStart =
        l.mul(l.sub(from[i + 2], l.attr(1)), l.attr(window.strides[i]));
    OpFoldResult pads = l.attr(window.pads[i] + window.pads[i + spatial]);
    unpooled[i + 2] = l.max(
        l.sub(l.add(lastStart, l.asIndex(window.kernel[i])), pads), l.attr(0));
  }
  OpFoldResult count = l.product(unpooled);
  if (failed(checkIndices(l, indices, count)))
    return failure();
  Value zero = l.constant(Lowering::elementType(x), 0);
  Value bound = l.asValue(count);
  FailureOr<Value> flat = scatter(
      l, l.filled(count, zero), x, "none", Lowering::rank(x),
      [&](ScalarBuilder &s, ValueRange loops) {
        Value index = tensor::ExtractOp::create(s.getBuilder(), s.getLoc(),
                                                indices, loops);
        return SmallVector<Value>{clampIndex(s, toIndex(s, index), bound)};
      });
  if (failed(flat))
    return failure();
  Value y = l.reshape(*flat, unpooled);
  if (!operands.getOutputShape())
    return l.replace(y);
  Sizes low(rank, l.attr(0)), high;
  for (auto [i, size] : llvm::enumerate(unpooled)) {
    OpFoldResult more = l.sub((*sizes)[i], size);
    Value number = l.asValue(more);
    l.check(l.b.createOrFold<arith::CmpIOp>(l.loc, arith::CmpIPredicate::sge,
                                            number, l.index(0)),
            "output_shape must be at least the size that kernel_shape, strides "
            "and pads imply (dimension " +
                Twine(i) + ")");
    high.push_back(l.max(more, l.attr(0)));
  }
  return l.replace(l.pad(y, low, high, zero));
}

void onnxc::populateRegionPooling(Lowerings &lowerings) {
  lowerings.add<MaxRoiPoolOp>(lowerMaxRoiPool);
  lowerings.add<MaxUnpoolOp>(lowerMaxUnpool);
  lowerings.add<RoiAlignOp>(lowerRoiAlign);
}
