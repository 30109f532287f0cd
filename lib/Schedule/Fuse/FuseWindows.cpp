//===- FuseWindows.cpp - Pools of plain images, map by map ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the outside:
//
//   forall batch, channel, part of the result
//     the pixels that it reads with what lies around them, in a scratch buffer
//     each row combined with the others of its windows, in another one
//     each pixel combined with the others of its row's windows
//
// All of it stays near: a map that does is one part. A window is combined first
// along columns, since the vectors of whole rows need no strides, and each of
// its sums is read by all windows that have the column.
//
//===----------------------------------------------------------------------===//

#include "Kernels/CacheShares.h"
#include "Kernels/Conv/FormConvolutions.h"
#include "Kernels/KernelForms.h"
#include "Kernels/KernelLoops.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEWINDOWSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// Smaller images are over before a loop for each of their maps has begun,
/// unless (where sizes are known) windows are large: combined at once, they
/// would read so many pixels.
constexpr int64_t kLeastPixels = 28 * 28, kLeastReads = kLeastPixels * 9;
/// Of a map that may be far, or whose size is not known, a part has at most so
/// many rows and columns.
constexpr int64_t kMostRows = 32, kMostColumns = 256;
/// Scratch memory of an open number of columns has a multiple of these: the
/// longest vectors.
constexpr int64_t kWholeVectors = 16;
/// Bytes of the largest scratch buffer: far taps and strides read much around
/// few pixels.
constexpr int64_t kMostScratch = 1 << 22;
/// So many pixels of a window have code of their own.
constexpr int64_t kMostTaps = 9;
/// From so many pixels on, the greatest is that of greatest ones.
constexpr int64_t kTapsOfSteps = 8;
/// What a vector costs whose elements lie two apart, or more.
constexpr int64_t kCostOfPairs = 2, kCostOfGather = 8;

/// Of rows or of columns.
struct Line {
  int64_t taps, stride, dilation, before, after;
  int64_t reach() const { return (taps - 1) * dilation + 1; }
  /// How many of the image `count` of the result are made of.
  SaturatingInt readBy(int64_t count) const {
    return SaturatingInt(count - 1) * stride +
           SaturatingInt(taps - 1) * dilation + 1;
  }
};

constexpr Line kNoLine = {1, 1, 1, 0, 0};

/// A map, or a part of it; also all maps of an image, which have that size.
struct Map {
  Value value; // of rank 4, the last dims of which are rows and columns
  OpFoldResult rows, columns;

  SmallVector<OpFoldResult> getSizes(OpBuilder &b) const {
    return {b.getIndexAttr(1), b.getIndexAttr(1), rows, columns};
  }
};

/// Rows or columns of a result: `count` from `first` on. They are made of
/// `before` that lie in front of the image, `numRead` of the image from
/// `firstRead` on, and `after` behind it; none of these is negative.
struct Span {
  OpFoldResult first, count;
  OpFoldResult firstRead, numRead, before, after;
};

/// Some rows and columns.
struct Part {
  Span rows, columns;
};

/// How the greatest of `line` is found: each step takes two or three windows of
/// the step before, which may overlap.
SmallVector<Line> stepsOf(const Line &line) {
  SmallVector<Line> steps;
  for (int64_t done = 1; done < line.taps;) {
    int64_t rest = line.taps - done, taps = done * 3 <= line.taps ? 3 : 2;
    int64_t apart = taps == 2 ? std::min(rest, done) : done;
    steps.push_back({taps, 1, apart * line.dilation, 0, 0});
    done += (taps - 1) * apart;
  }
  return steps;
}

class MapByMap {
public:
  MapByMap(linalg::GenericOp op, const Pool &pool)
      : op(op), pool(pool), rows(lineOf(0)), columns(lineOf(1)) {}

  bool isWorthwhile();
  void rewrite(IRRewriter &b);

private:
  Line lineOf(unsigned i) const {
    const Windows &w = pool.windows;
    return {w.taps[i], w.strides[i], w.dilations[i], w.pads[i], w.pads[i + 2]};
  }
  bool isPadded() const {
    return rows.before + rows.after + columns.before + columns.after > 0;
  }
  bool isSeparated() const;
  bool hasSteps(const Line &line) const {
    return pool.isMaximum && line.stride == 1 && line.taps >= kTapsOfSteps;
  }
  bool isShort() const;
  bool isNear() const;
  bool hasRoom(ArrayRef<int64_t> image) const;
  ArrayRef<int64_t> shapeOf(Value image) const {
    return cast<RankedTensorType>(image.getType()).getShape();
  }
  OpFoldResult countOf(OpFoldResult extent, int64_t most) const;
  Map allocate(IndexMath &index, OpFoldResult rows, OpFoldResult columns,
               int64_t mostRows) const;
  Map pad(IndexMath &index, const Map &map, const Part &part) const;
  Value combine(IndexMath &index, const Map &map, const Map &init,
                const Line &ofRows, const Line &ofColumns) const;
  Value combineLine(IndexMath &index, Map map, const Map &init,
                    bool alongRows) const;
  Value combinePart(IndexMath &index, Map map, const Map &init,
                    const Part &part) const;
  /// What the result's start is written to.
  Value getDestination() const {
    return pool.init.getDefiningOp<linalg::FillOp>().getOutputs()[0];
  }
  Value emitParts(IndexMath &index);
  Value emitAgain(OpBuilder &b) const;

  linalg::GenericOp op;
  const Pool &pool;
  Line rows, columns;
  /// What a part reads at most, with what lies around it.
  int64_t mostRows = 0, mostColumns = 0;
};

/// Whether rows are combined before columns.
bool MapByMap::isSeparated() const {
  int64_t load = columns.stride == 1   ? 1
                 : columns.stride == 2 ? kCostOfPairs
                                       : kCostOfGather;
  return rows.taps * columns.stride + columns.taps * load <
         rows.taps * columns.taps * load;
}

/// Whether a map stays in the second level while its rows are combined.
bool MapByMap::isNear() const {
  ArrayRef<int64_t> image = shapeOf(pool.image).drop_front(2);
  if (ShapedType::isDynamicShape(image))
    return false;
  SaturatingInt bytes = sizeof(float);
  for (int64_t size : image)
    bytes *= size;
  return bytes <= nearBytes(TargetAttr::of(op));
}

/// Whether the code of a window is not too long.
bool MapByMap::isShort() const {
  if (!isSeparated())
    return rows.taps * columns.taps <= kMostTaps;
  return llvm::all_of(ArrayRef({rows, columns}), [&](const Line &line) {
    return line.taps <= kMostTaps || hasSteps(line);
  });
}

/// Whether scratch memory is not much; `image` has its rows and columns.
bool MapByMap::hasRoom(ArrayRef<int64_t> image) const {
  SaturatingInt bytes = sizeof(float);
  if (isNear()) {
    bytes *= SaturatingInt(image[0]) + rows.before + rows.after;
    bytes *= SaturatingInt(image[1]) + columns.before + columns.after;
  } else {
    bytes *= rows.readBy(kMostRows);
    bytes *= columns.readBy(kMostColumns);
  }
  return bytes <= kMostScratch;
}

bool MapByMap::isWorthwhile() {
  ArrayRef<int64_t> from = shapeOf(pool.image).drop_front(2),
                    to = shapeOf(pool.init).drop_front(2);
  if (!getElementTypeOrSelf(pool.image).isF32() ||
      !getElementTypeOrSelf(pool.init).isF32() || !isShort() ||
      !(isSeparated() || isPadded()))
    return false;
  if (!hasRoom(from))
    return false;
  if (ShapedType::isDynamicShape(from) || ShapedType::isDynamicShape(to))
    return isSeparated();
  SaturatingInt pixels = ShapedType::getNumElements(from);
  SaturatingInt reads = pixels * rows.taps * columns.taps;
  return (pixels >= kLeastPixels || (isSeparated() && reads >= kLeastReads)) &&
         (isNear() || isSeparated()) && ShapedType::getNumElements(to) > 0;
}

/// How many rows or columns of a result are one part.
OpFoldResult MapByMap::countOf(OpFoldResult extent, int64_t most) const {
  std::optional<int64_t> known = getConstantIntValue(extent);
  if (known && (isNear() || *known <= most))
    return extent;
  return Builder(op->getContext()).getIndexAttr(most);
}

/// `count` rows or columns of a result from `first` on; the image has `extent`.
static Span spanOf(IndexMath &index, const Line &line, OpFoldResult first,
                   OpFoldResult count, OpFoldResult extent) {
  OpFoldResult zero = index.constant(0),
               last = index.sub(count, index.constant(1)),
               begin = index.sub(index.mul(first, line.stride),
                                 index.constant(line.before)),
               needed = index.add(index.mul(last, line.stride),
                                  index.constant(line.reach()));
  if (line.before + line.after == 0)
    return {first, count, begin, needed, zero, zero};
  OpFoldResult from = index.min(index.max(begin, zero), extent),
               to = index.min(index.add(begin, needed), extent),
               read = index.max(index.sub(to, from), zero);
  // Padding may be wider than the part: the image is then out of its reach.
  OpFoldResult before =
      index.min(index.max(index.sub(from, begin), zero), needed);
  return {first, count,  from,
          read,  before, index.sub(needed, index.add(before, read))};
}

/// Scratch memory. What is not known takes as much of it as the largest part.
Map MapByMap::allocate(IndexMath &index, OpFoldResult rows,
                       OpFoldResult columns, int64_t mostRows) const {
  OpBuilder &b = index.b;
  int64_t shape[] = {1, 1, getConstantIntValue(rows).value_or(mostRows),
                     getConstantIntValue(columns).value_or(mostColumns)};
  Map map{bufferization::AllocTensorOp::create(
              b, index.loc, RankedTensorType::get(shape, b.getF32Type()),
              ValueRange()),
          rows, columns};
  if (getConstantIntValue(rows) && getConstantIntValue(columns))
    return map;
  SmallVector<OpFoldResult> zeros(4, b.getIndexAttr(0)),
      ones(4, b.getIndexAttr(1));
  map.value = tensor::ExtractSliceOp::create(b, index.loc, map.value, zeros,
                                             map.getSizes(b), ones);
  return map;
}

/// What a part reads with what changes nothing around it.
Map MapByMap::pad(IndexMath &index, const Map &map, const Part &part) const {
  OpBuilder &b = index.b;
  const Span &rows = part.rows, &columns = part.columns;
  OpFoldResult zero = index.constant(0),
               below = index.add(rows.before, map.rows),
               behind = index.add(columns.before, map.columns);
  OpFoldResult width = index.add(behind, columns.after);
  // Whole vectors take no masks. The columns that this adds are not written:
  // what is made of them lies behind the results, and is not read either.
  if (!getConstantIntValue(width))
    width = index.mul(index.ceilDiv(width, kWholeVectors), kWholeVectors);
  Map whole = allocate(index, index.add(below, rows.after), width, mostRows);
  Value neutral = pool.init.getDefiningOp<linalg::FillOp>().getInputs()[0];
  SmallVector<OpFoldResult> ones(4, b.getIndexAttr(1));
  auto place = [&](OpFoldResult row, OpFoldResult column, const Map &from) {
    if (isIndex(from.rows, 0) || isIndex(from.columns, 0))
      return;
    SmallVector<OpFoldResult> offsets = {zero, zero, row, column},
                              sizes = from.getSizes(b);
    Value value = from.value;
    if (!value) {
      Value slice = tensor::ExtractSliceOp::create(b, index.loc, whole.value,
                                                   offsets, sizes, ones);
      value =
          linalg::FillOp::create(b, index.loc, neutral, slice)->getResult(0);
    }
    whole.value = tensor::InsertSliceOp::create(
        b, index.loc, value, whole.value, offsets, sizes, ones);
  };
  place(zero, zero, {Value(), rows.before, whole.columns});
  place(below, zero, {Value(), rows.after, whole.columns});
  place(rows.before, zero, {Value(), map.rows, columns.before});
  place(rows.before, behind, {Value(), map.rows, columns.after});
  place(rows.before, columns.before, map);
  return whole;
}

/// Each element of `init` of the windows' pixels in `map`.
Value MapByMap::combine(IndexMath &index, const Map &map, const Map &init,
                        const Line &ofRows, const Line &ofColumns) const {
  OpBuilder &b = index.b;
  Location loc = index.loc;
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  SmallVector<OpFoldResult> ones(4, b.getIndexAttr(1)), to = init.getSizes(b);
  auto addTap = [&](int64_t row, int64_t column) {
    SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0)),
        sizes = map.getSizes(b);
    SmallVector<AffineExpr> exprs;
    for (unsigned d = 0; d < 4; ++d)
      exprs.push_back(b.getAffineDimExpr(d));
    auto skip = [&](unsigned d, const Line &line, int64_t tap) {
      if (line.stride > 1) {
        exprs[d] = exprs[d] * line.stride + tap * line.dilation;
        return;
      }
      // A plain index says how many steps the loop has.
      offsets[d] = b.getIndexAttr(tap * line.dilation);
      sizes[d] = to[d];
    };
    if (ofRows.taps > 1 || ofRows.stride > 1)
      skip(2, ofRows, row);
    if (ofColumns.taps > 1 || ofColumns.stride > 1)
      skip(3, ofColumns, column);
    Value pixels = map.value;
    if (sizes != map.getSizes(b))
      pixels =
          tensor::ExtractSliceOp::create(b, loc, pixels, offsets, sizes, ones);
    inputs.push_back(pixels);
    maps.push_back(AffineMap::get(4, 0, exprs, b.getContext()));
  };
  for (int64_t i = 0; i < ofRows.taps; ++i)
    for (int64_t j = 0; j < ofColumns.taps; ++j)
      addTap(i, j);
  maps.push_back(b.getMultiDimIdentityMap(4));
  SmallVector<utils::IteratorType> parallel(4, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, init.value.getType(), inputs, init.value, maps, parallel,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Value all = args[0];
               for (Value x : args.drop_back().drop_front())
                 // Which zero is the greatest is not defined.
                 all = pool.isMaximum
                           ? arith::MaximumFOp::create(
                                 b, loc, all, x, arith::FastMathFlags::nsz)
                                 .getResult()
                           : arith::AddFOp::create(b, loc, all, x).getResult();
               linalg::YieldOp::create(b, loc, all);
             })
      ->getResult(0);
}

/// Along one dimension, at once or in steps.
Value MapByMap::combineLine(IndexMath &index, Map map, const Map &init,
                            bool alongRows) const {
  const Line &line = alongRows ? rows : columns;
  SmallVector<Line> steps{line};
  if (hasSteps(line))
    steps = stepsOf(line);
  for (auto [i, step] : llvm::enumerate(steps)) {
    Map to = init;
    if (i + 1 < steps.size()) {
      OpFoldResult less = index.constant(step.reach() - 1);
      to = alongRows ? allocate(index, index.sub(map.rows, less), map.columns,
                                mostRows)
                     : allocate(index, map.rows, index.sub(map.columns, less),
                                kMostRows);
    }
    to.value = alongRows ? combine(index, map, to, step, kNoLine)
                         : combine(index, map, to, kNoLine, step);
    map = to;
  }
  return map.value;
}

/// A part of a result, `init`, of what it reads.
Value MapByMap::combinePart(IndexMath &index, Map map, const Map &init,
                            const Part &part) const {
  if (isPadded())
    map = pad(index, map, part);
  if (!isSeparated())
    return combine(index, map, init, rows, columns);
  Map ofRows = allocate(index, init.rows, map.columns, kMostRows);
  ofRows.value = combineLine(index, map, ofRows, /*alongRows=*/true);
  return combineLine(index, ofRows, init, /*alongRows=*/false);
}

/// The result, part by part.
Value MapByMap::emitParts(IndexMath &index) {
  OpBuilder &b = index.b;
  Location loc = index.loc;
  Value init = getDestination();
  auto getMap = [&](Value images) {
    return Map{images, tensor::getMixedSize(b, loc, images, 2),
               tensor::getMixedSize(b, loc, images, 3)};
  };
  Map image = getMap(pool.image), result = getMap(init);
  mostRows = rows.readBy(kMostRows);
  mostColumns = llvm::alignTo(columns.readBy(kMostColumns), kWholeVectors);
  OpFoldResult perPart[] = {countOf(result.rows, kMostRows),
                            countOf(result.columns, kMostColumns)};
  OpFoldResult extents[] = {tensor::getMixedSize(b, loc, init, 0),
                            tensor::getMixedSize(b, loc, init, 1),
                            index.ceilDiv(result.rows, perPart[0]),
                            index.ceilDiv(result.columns, perPart[1])};
  auto loop = scf::ForallOp::create(b, loc, extents, ValueRange{init},
                                    /*mapping=*/std::nullopt);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<OpFoldResult> at(4, b.getIndexAttr(0)),
        ones(4, b.getIndexAttr(1));
    for (auto [i, extent] : llvm::enumerate(extents))
      if (!isIndex(extent, 1))
        at[i] = OpFoldResult(loop.getInductionVars()[i]);
    auto spanAlong = [&](const Line &line, OpFoldResult number,
                         OpFoldResult count, OpFoldResult ofResult,
                         OpFoldResult ofImage) {
      OpFoldResult first = index.mul(number, count);
      if (!isIndex(number, 0))
        count = index.min(count, index.sub(ofResult, first));
      else if (!getConstantIntValue(ofResult))
        count = index.min(count, ofResult);
      return spanOf(index, line, first, count, ofImage);
    };
    Part part{
        spanAlong(rows, at[2], perPart[0], result.rows, image.rows),
        spanAlong(columns, at[3], perPart[1], result.columns, image.columns)};
    Value arg = loop.getRegionIterArgs()[0];
    SmallVector<OpFoldResult> offsets = {at[0], at[1], part.rows.first,
                                         part.columns.first};
    Map to{Value(), part.rows.count, part.columns.count},
        from{Value(), part.rows.numRead, part.columns.numRead};
    to.value = tensor::ExtractSliceOp::create(b, loc, arg, offsets,
                                              to.getSizes(b), ones);
    from.value = tensor::ExtractSliceOp::create(
        b, loc, pool.image,
        {at[0], at[1], part.rows.firstRead, part.columns.firstRead},
        from.getSizes(b), ones);
    Value made = combinePart(index, from, to, part);
    b.setInsertionPointToStart(loop.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(b, loc, made, arg, offsets,
                                          to.getSizes(b), ones);
  }
  return loop.getResult(0);
}

/// A copy of the operation, of what fills its result before, and of what pads
/// its image.
Value MapByMap::emitAgain(OpBuilder &b) const {
  IRMapping copies;
  for (Value operand : op->getOperands())
    if (auto padded = operand.getDefiningOp<tensor::PadOp>())
      b.clone(*padded, copies);
  b.clone(*pool.init.getDefiningOp(), copies);
  return b.clone(*op, copies)->getResult(0);
}

void MapByMap::rewrite(IRRewriter &b) {
  b.setInsertionPoint(op);
  IndexMath index{b, op.getLoc()};
  auto sizeOf = [&](unsigned d) {
    return tensor::getMixedSize(b, index.loc, pool.image, d);
  };
  OpFoldResult pixels = index.mul(sizeOf(2), sizeOf(3));
  if (getConstantIntValue(pixels)) {
    b.replaceOp(op, emitParts(index));
    return;
  }
  Value count = index.value(pixels),
        least = index.value(index.constant(kLeastPixels));
  Value isLarge = arith::CmpIOp::create(b, index.loc, arith::CmpIPredicate::sge,
                                        count, least);
  auto choice = scf::IfOp::create(b, index.loc, op.getResultTypes(), isLarge,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, index.loc, emitParts(index));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, index.loc, emitAgain(b));
  }
  b.replaceOp(op, choice.getResults());
}

class FuseWindows : public onnxc::impl::FuseWindowsPassBase<FuseWindows> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, bufferization::BufferizationDialect,
                    linalg::LinalgDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    IRRewriter b(&getContext());
    for (auto op : collectOps<linalg::GenericOp>(getOperation())) {
      std::string why;
      std::optional<Pool> pool = matchPool(op, why);
      // Maps have rows and columns.
      if (!pool || pool->windows.taps.size() != 2 ||
          op->getParentOfType<scf::ForallOp>())
        continue;
      MapByMap maps(op, *pool);
      if (maps.isWorthwhile())
        maps.rewrite(b);
    }
  }
};

} // namespace
