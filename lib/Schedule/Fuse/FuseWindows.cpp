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
//   forall batch, channel
//     the map with what lies around it, in a scratch buffer
//     each row combined with the others of its windows, in another one
//     each pixel combined with the others of its row's windows
//
// All of it stays near. A window is combined first along columns, since the
// vectors of whole rows need no strides, and each of its sums is read by all
// windows that have the column.
//
//===----------------------------------------------------------------------===//

#include "Kernels/CacheShares.h"
#include "Kernels/Conv/FormConvolutions.h"
#include "Kernels/KernelForms.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEWINDOWSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// Smaller maps are over before a loop for each of them has begun, unless
/// windows are large: combined at once, they would read so many pixels.
constexpr int64_t kLeastPixels = 28 * 28, kLeastReads = kLeastPixels * 9;
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
};

constexpr Line kNoLine = {1, 1, 1, 0, 0};

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
  bool isNear(ArrayRef<int64_t> image) const;
  ArrayRef<int64_t> shapeOf(Value image) const {
    return cast<RankedTensorType>(image.getType()).getShape();
  }
  Value pad(OpBuilder &b, Value map);
  Value combine(OpBuilder &b, Value map, Value init, const Line &ofRows,
                const Line &ofColumns);
  Value combineLine(OpBuilder &b, Value map, Value init, bool alongRows);

  linalg::GenericOp op;
  const Pool &pool;
  Line rows, columns;
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
bool MapByMap::isNear(ArrayRef<int64_t> image) const {
  SaturatingInt bytes = sizeof(float);
  for (int64_t size : image.drop_front(2))
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

bool MapByMap::isWorthwhile() {
  auto isKnown = [](ArrayRef<int64_t> shape) {
    return !llvm::any_of(shape.drop_front(2), ShapedType::isDynamic);
  };
  ArrayRef<int64_t> from = shapeOf(pool.image), to = shapeOf(pool.init);
  if (!isKnown(from) || !isKnown(to))
    return false;
  SaturatingInt pixels = ShapedType::getNumElements(from.drop_front(2));
  SaturatingInt reads = pixels * rows.taps * columns.taps;
  return getElementTypeOrSelf(pool.image).isF32() &&
         getElementTypeOrSelf(pool.init).isF32() &&
         (pixels >= kLeastPixels || (isSeparated() && reads >= kLeastReads)) &&
         isNear(from) && ShapedType::getNumElements(to.drop_front(2)) > 0 &&
         isShort() && (isSeparated() || isPadded());
}

/// A map with what changes nothing around it.
Value MapByMap::pad(OpBuilder &b, Value map) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> shape = shapeOf(map);
  int64_t height = shape[2] + rows.before + rows.after,
          width = shape[3] + columns.before + columns.after;
  auto type = RankedTensorType::get({1, 1, height, width}, b.getF32Type());
  Value whole =
      bufferization::AllocTensorOp::create(b, loc, type, ValueRange());
  Value neutral = pool.init.getDefiningOp<linalg::FillOp>().getInputs()[0];
  SmallVector<OpFoldResult> ones(4, b.getIndexAttr(1));
  auto place = [&](int64_t row, int64_t column, int64_t numRows,
                   int64_t numColumns, Value part) {
    if (numRows == 0 || numColumns == 0)
      return;
    SmallVector<OpFoldResult> offsets = getAsIndexOpFoldResult(
                                  b.getContext(), {0, 0, row, column}),
                              sizes = getAsIndexOpFoldResult(
                                  b.getContext(), {1, 1, numRows, numColumns});
    if (!part) {
      Value slice =
          tensor::ExtractSliceOp::create(b, loc, whole, offsets, sizes, ones);
      part = linalg::FillOp::create(b, loc, neutral, slice)->getResult(0);
    }
    whole = tensor::InsertSliceOp::create(b, loc, part, whole, offsets, sizes,
                                          ones);
  };
  place(0, 0, rows.before, width, Value());
  place(height - rows.after, 0, rows.after, width, Value());
  place(rows.before, 0, shape[2], columns.before, Value());
  place(rows.before, width - columns.after, shape[2], columns.after, Value());
  place(rows.before, columns.before, shape[2], shape[3], map);
  return whole;
}

/// Each element of `init` of the windows' pixels in `map`.
Value MapByMap::combine(OpBuilder &b, Value map, Value init, const Line &ofRows,
                        const Line &ofColumns) {
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  ArrayRef<int64_t> from = shapeOf(map), to = shapeOf(init);
  SmallVector<OpFoldResult> ones(4, b.getIndexAttr(1));
  auto addTap = [&](int64_t row, int64_t column) {
    SmallVector<int64_t> offsets(4, 0), sizes(from);
    SmallVector<AffineExpr> exprs;
    for (unsigned d = 0; d < 4; ++d)
      exprs.push_back(b.getAffineDimExpr(d));
    auto skip = [&](unsigned d, const Line &line, int64_t tap) {
      if (line.stride > 1) {
        exprs[d] = exprs[d] * line.stride + tap * line.dilation;
        return;
      }
      // A plain index says how many steps the loop has.
      offsets[d] = tap * line.dilation;
      sizes[d] = to[d];
    };
    if (ofRows.taps > 1 || ofRows.stride > 1)
      skip(2, ofRows, row);
    if (ofColumns.taps > 1 || ofColumns.stride > 1)
      skip(3, ofColumns, column);
    Value pixels = map;
    if (sizes != from)
      pixels = tensor::ExtractSliceOp::create(
          b, loc, map, getAsIndexOpFoldResult(b.getContext(), offsets),
          getAsIndexOpFoldResult(b.getContext(), sizes), ones);
    inputs.push_back(pixels);
    maps.push_back(AffineMap::get(4, 0, exprs, b.getContext()));
  };
  for (int64_t i = 0; i < ofRows.taps; ++i)
    for (int64_t j = 0; j < ofColumns.taps; ++j)
      addTap(i, j);
  maps.push_back(b.getMultiDimIdentityMap(4));
  SmallVector<utils::IteratorType> parallel(4, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, init.getType(), inputs, init, maps, parallel,
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
Value MapByMap::combineLine(OpBuilder &b, Value map, Value init,
                            bool alongRows) {
  const Line &line = alongRows ? rows : columns;
  SmallVector<Line> steps{line};
  if (hasSteps(line))
    steps = stepsOf(line);
  for (auto [i, step] : llvm::enumerate(steps)) {
    Value to = init;
    if (i + 1 < steps.size()) {
      SmallVector<int64_t> shape(shapeOf(map));
      shape[alongRows ? 2 : 3] -= step.reach() - 1;
      to = bufferization::AllocTensorOp::create(
          b, op.getLoc(), RankedTensorType::get(shape, b.getF32Type()),
          ValueRange());
    }
    map = alongRows ? combine(b, map, to, step, kNoLine)
                    : combine(b, map, to, kNoLine, step);
  }
  return map;
}

void MapByMap::rewrite(IRRewriter &b) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  Value init = pool.init.getDefiningOp<linalg::FillOp>().getOutputs()[0];
  OpFoldResult extents[] = {tensor::getMixedSize(b, loc, init, 0),
                            tensor::getMixedSize(b, loc, init, 1)};
  auto loop = scf::ForallOp::create(b, loc, extents, ValueRange{init},
                                    /*mapping=*/std::nullopt);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0)),
        ones(4, b.getIndexAttr(1));
    for (unsigned i : {0u, 1u})
      if (getConstantIntValue(extents[i]) != int64_t(1))
        offsets[i] = OpFoldResult(loop.getInductionVars()[i]);
    auto sizesOf = [&](Value image) {
      ArrayRef<int64_t> shape = shapeOf(image);
      return getAsIndexOpFoldResult(b.getContext(), {1, 1, shape[2], shape[3]});
    };
    Value arg = loop.getRegionIterArgs()[0];
    SmallVector<OpFoldResult> sizes = sizesOf(init);
    Value part =
        tensor::ExtractSliceOp::create(b, loc, arg, offsets, sizes, ones);
    Value map = tensor::ExtractSliceOp::create(b, loc, pool.image, offsets,
                                               sizesOf(pool.image), ones);
    if (isPadded())
      map = pad(b, map);
    if (isSeparated()) {
      auto type = RankedTensorType::get(
          {1, 1, shapeOf(init)[2], shapeOf(map)[3]}, b.getF32Type());
      Value ofRows =
          bufferization::AllocTensorOp::create(b, loc, type, ValueRange());
      ofRows = combineLine(b, map, ofRows, /*alongRows=*/true);
      part = combineLine(b, ofRows, part, /*alongRows=*/false);
    } else {
      part = combine(b, map, part, rows, columns);
    }
    b.setInsertionPointToStart(loop.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(b, loc, part, arg, offsets, sizes,
                                          ones);
  }
  b.replaceOp(op, loop.getResults());
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
