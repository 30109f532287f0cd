//===- DeformConv.cpp - Columns of windows --------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators in whose windows elements are not where a convolution would find
// them: DeformConv samples them, Col2Im puts them back together.
//
//===----------------------------------------------------------------------===//

#include "Sampling.h"

#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Window.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

static void checkDivides(Lowering &l, OpFoldResult parts, OpFoldResult whole,
                         const Twine &message) {
  l.checkEqual(l.mul(l.floorDiv(whole, parts), parts), whole, message);
}

//===----------------------------------------------------------------------===//
// DeformConv
//===----------------------------------------------------------------------===//

namespace {

class Deformation {
public:
  Deformation(Lowering &l, DeformConvOp op, DeformConvOp::Adaptor operands,
              ArrayRef<OpFoldResult> result)
      : l(l), op(op), x(operands.getX()), offset(operands.getOffset()),
        mask(operands.getMask()), spatial(Lowering::rank(x) - 2),
        window(l.shapes(),
               {op.getKernelShape(), op.getStrides(), op.getDilations(),
                op.getPads()},
               spatial, kernelDims(operands.getW()), "deformconv"),
        type(getAccumulatorType(Lowering::elementType(x))), result(result) {
    for (int64_t i = 0; i < spatial; ++i) {
      kernel.push_back(l.asIndex(window.kernel[i]));
      dims.push_back(i + 2);
      lengths.push_back(sizeAsFloat(l, l.dim(x, i + 2), type));
    }
  }

  LogicalResult check() {
    if (Lowering::rank(offset) != spatial + 2 ||
        (mask && Lowering::rank(mask) != spatial + 2))
      return l.invalid("offset and mask must have the rank of X");
    if (op.getGroup() < 1 || op.getOffsetGroup() < 1)
      return l.invalid("group and offset_group must be positive");
    OpFoldResult groups = l.attr(op.getOffsetGroup());
    checkDivides(l, groups, l.dim(x, 1),
                 "offset_group must divide the number of channels");
    OpFoldResult taps = l.mul(groups, l.product(kernel));
    checkShape(offset, l.mul(taps, l.attr(spatial)), "offset");
    if (mask)
      checkShape(mask, taps, "mask");
    checkReadable(l, x, dims, result);
    return success();
  }

  /// What each tap of each window reads: [n, group, channel, k…, o…].
  Value columns() {
    OpFoldResult groups = l.attr(op.getGroup());
    Sizes sizes{l.dim(x, 0), groups, l.floorDiv(l.dim(x, 1), groups)};
    llvm::append_range(sizes, kernel);
    llvm::append_range(sizes, result.drop_front(2));
    return op.getOffsetGroup() == 1 ? columnsOfOne(sizes)
                                    : columnsOfGroups(sizes);
  }

private:
  /// Where a tap of a window reads along an axis; `shift` is its offset.
  Taps tapsAt(ScalarBuilder &s, unsigned axis, Value tap, Value place,
              Value shift) {
    auto times = [&](Value index, int64_t factor) {
      Value number = indexToFloat(s, index, type);
      return s.mul(number, s.constant(number, double(factor)));
    };
    Value start = times(place, window.strides[axis]);
    Value at = s.add(start, times(tap, window.dilations[axis]));
    at = s.sub(at, s.constant(at, double(window.pads[axis])));
    Taps taps = linearTaps(s, s.add(at, shift));
    settleTaps(s, taps, lengths[axis], true);
    return taps;
  }

  Value read(ScalarBuilder &s, Value tensor, Value image, Value plane,
             ValueRange places) {
    SmallVector<Value> at{image, plane};
    llvm::append_range(at, places);
    Value element =
        tensor::ExtractOp::create(s.getBuilder(), s.getLoc(), tensor, at);
    return s.cast(element, type, false, false);
  }

  /// All channels read at the same places: these are computed once.
  Value columnsOfOne(ArrayRef<OpFoldResult> sizes) {
    unsigned loops = sizes.size();
    Sizes points = {sizes.front()};
    llvm::append_range(points, sizes.drop_front(3));
    SmallVector<AffineExpr> point = {l.b.getAffineDimExpr(0)};
    for (unsigned i = 3; i < loops; ++i)
      point.push_back(l.b.getAffineDimExpr(i));
    SmallVector<Value> extents;
    for (OpFoldResult size : kernel)
      extents.push_back(l.asValue(size));
    Value numComponents = l.index(spatial);
    SmallVector<TapTables> tables;
    TapOperands operands;
    for (int64_t i = 0; i < spatial; ++i) {
      Value component = l.index(i);
      tables.push_back(tabulateTaps(
          l, points, /*count=*/2, type, /*hasCounts=*/true,
          [&](ScalarBuilder &s, ValueRange at) {
            ValueRange taps = at.slice(1, spatial),
                       places = at.drop_front(1 + spatial);
            Value plane = taps.front();
            for (int64_t k = 1; k < spatial; ++k)
              plane = s.add(s.mul(plane, extents[k]), taps[k]);
            plane = s.add(s.mul(plane, numComponents), component);
            return tapsAt(s, i, taps[i], places[i],
                          read(s, offset, at.front(), plane, places));
          }));
      operands.append(tables.back(), loops, point);
    }
    if (mask) {
      operands.inputs.push_back(l.reshape(mask, points));
      operands.maps.push_back(
          AffineMap::get(loops, 0, point, l.b.getContext()));
    }
    Value channels = l.asValue(sizes[2]);
    return l.map(
        operands.inputs, operands.maps, sizes, type,
        [&](ScalarBuilder &s, ValueRange args) -> Value {
          auto index = [&](unsigned loop) -> Value {
            return linalg::IndexOp::create(s.getBuilder(), s.getLoc(), loop);
          };
          Value first = s.mul(index(1), channels);
          Value channel = s.add(first, index(2));
          SmallVector<Value> from{index(0), channel};
          from.append(spatial, Value());
          SmallVector<Taps> around;
          for (const TapTables &own : tables)
            around.push_back(readTaps(s, own, args));
          Value sum = sumTaps(s, x, from, dims, around, type, false);
          return mask ? s.mul(sum, s.cast(args.front(), type, false, false))
                      : sum;
        });
  }

  Value columnsOfGroups(ArrayRef<OpFoldResult> sizes) {
    Value channels = l.asValue(sizes[2]);
    Value perOffset =
        l.asValue(l.floorDiv(l.dim(x, 1), l.attr(op.getOffsetGroup())));
    SmallVector<Value> extents, components;
    for (int64_t i = 0; i < spatial; ++i) {
      extents.push_back(l.asValue(kernel[i]));
      components.push_back(l.index(i));
    }
    Value numComponents = l.index(spatial);
    return l.generate(sizes, type, [&](ScalarBuilder &s, ValueRange loops) {
      OpBuilder &b = s.getBuilder();
      ValueRange taps = loops.slice(3, spatial),
                 places = loops.drop_front(3 + spatial);
      Value channel = s.add(s.mul(loops[1], channels), loops[2]);
      // Of the mask: by offset group, then by tap.
      Value plane = arith::DivUIOp::create(b, s.getLoc(), channel, perOffset);
      for (auto [tap, extent] : llvm::zip(taps, extents))
        plane = s.add(s.mul(plane, extent), tap);
      SmallVector<Taps> around;
      for (int64_t i = 0; i < spatial; ++i) {
        Value shift = s.add(s.mul(plane, numComponents), components[i]);
        around.push_back(tapsAt(s, i, taps[i], places[i],
                                read(s, offset, loops[0], shift, places)));
      }
      SmallVector<Value> from{loops[0], channel};
      from.append(spatial, Value());
      Value sum = sumTaps(s, x, from, dims, around, type, false);
      return mask ? s.mul(sum, read(s, mask, loops[0], plane, places)) : sum;
    });
  }

  Dims kernelDims(Value w) {
    Dims dims;
    for (int64_t i = 0; i < spatial; ++i)
      dims.push_back(l.shapes().dim(w, i + 2));
    return dims;
  }
  void checkShape(Value tensor, OpFoldResult planes, StringRef name) {
    OpFoldResult batch = l.dim(tensor, 0);
    l.checkEqual(batch, l.dim(x, 0), name + " must have the batch size of X");
    l.checkEqual(l.dim(tensor, 1), planes,
                 name + " must have a plane for each offset group, tap" +
                     (tensor == offset ? ", and spatial dimension" : ""));
    for (int64_t i = 0; i < spatial; ++i)
      l.checkEqual(l.dim(tensor, i + 2), result[i + 2],
                   name + " must have the spatial sizes of the result");
  }

  Lowering &l;
  DeformConvOp op;
  Value x, offset, mask;
  int64_t spatial;
  Window window;
  Type type;
  ArrayRef<OpFoldResult> result;
  Sizes kernel;
  SmallVector<int64_t> dims;
  SmallVector<Value> lengths;
};

} // namespace

static LogicalResult
lowerDeformConv(DeformConvOp op, DeformConvOp::Adaptor operands, Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value w = operands.getW();
  int64_t rank = sizes->size(), spatial = rank - 2;
  Deformation deformation(l, op, operands, *sizes);
  if (failed(deformation.check()))
    return failure();
  OpFoldResult groups = l.attr(op.getGroup());
  auto split = [&](ArrayRef<OpFoldResult> sizes, int64_t dim) {
    Sizes parts(sizes);
    parts[dim] = l.floorDiv(sizes[dim], groups);
    parts.insert(parts.begin() + dim, groups);
    return parts;
  };
  Type element = Lowering::elementType(w), type = getAccumulatorType(element);
  Value weights = l.reshape(w, split(l.sizes(w), 0));
  Value init = startFromBias(l, operands.getB(), *sizes, type);
  init = l.reshape(init, split(*sizes, 1));
  // Loops: n, group, filter, o…, channel, k….
  auto d = [&](int64_t i) { return l.b.getAffineDimExpr(i); };
  int64_t loops = 4 + 2 * spatial, channel = 3 + spatial;
  SmallVector<AffineExpr> xs{d(0), d(1), d(channel)},
      ws{d(1), d(2), d(channel)}, ys{d(0), d(1), d(2)};
  for (int64_t i = 0; i < spatial; ++i) {
    xs.push_back(d(channel + 1 + i));
    ws.push_back(d(channel + 1 + i));
    ys.push_back(d(3 + i));
  }
  for (int64_t i = 0; i < spatial; ++i)
    xs.push_back(d(3 + i));
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, l.b.getContext());
  };
  SmallVector<IteratorType> iterators(channel, IteratorType::parallel);
  iterators.append(1 + spatial, IteratorType::reduction);
  Value sum = l.generic({deformation.columns(), weights}, init,
                        {map(xs), map(ws), map(ys)}, iterators,
                        [&](ScalarBuilder &s, ValueRange args) {
                          Value weight = s.cast(args[1], type, false, false);
                          return s.add(args[2], s.mul(args[0], weight));
                        });
  return l.replace(l.castElements(l.reshape(sum, *sizes), element));
}

//===----------------------------------------------------------------------===//
// Col2Im
//===----------------------------------------------------------------------===//

namespace {
/// The blocks that tile the padded image along each spatial dimension.
struct BlockGrid {
  /// The number of blocks.
  Sizes counts;
  /// The same as values, and the sizes of a block.
  SmallVector<Value> countValues, extents;
};
} // namespace

/// `image` and `kernel` are the spatial sizes of the image and of a block; the
/// window has no automatic padding.
static BlockGrid makeBlockGrid(Lowering &l, ArrayRef<OpFoldResult> image,
                               ArrayRef<OpFoldResult> kernel,
                               const Window &window) {
  BlockGrid grid;
  int64_t spatial = image.size();
  for (int64_t i = 0; i < spatial; ++i) {
    OpFoldResult reach =
        l.add(l.mul(l.sub(kernel[i], l.attr(1)), l.attr(window.dilations[i])),
              l.attr(1));
    OpFoldResult padded =
        l.add(image[i], l.attr(window.pads[i] + window.pads[i + spatial]));
    OpFoldResult count = l.add(
        l.floorDiv(l.sub(padded, reach), l.attr(window.strides[i])), l.attr(1));
    grid.counts.push_back(l.max(count, l.attr(0)));
    grid.countValues.push_back(l.asValue(grid.counts.back()));
    grid.extents.push_back(l.asValue(kernel[i]));
  }
  return grid;
}

namespace {
/// The element of the columns that a tap adds to an element of the image.
struct TapElement {
  Value row, column;
  /// Whether a block has the element of the image at this tap; the column is 0
  /// if not.
  Value exists;
};
} // namespace

/// In a body whose loops are n, c, p… (places in the image), k… (taps).
static TapElement findTapElement(ScalarBuilder &s, Value firstColumn,
                                 const BlockGrid &grid, const Window &window) {
  OpBuilder &b = s.getBuilder();
  Location loc = s.getLoc();
  int64_t spatial = grid.extents.size();
  ScalarBuilder onIndices(b, loc, b.getIndexType(), false);
  auto loop = [&](int64_t i) -> Value {
    return linalg::IndexOp::create(b, loc, i);
  };
  auto times = [&](Value value, int64_t factor) {
    return onIndices.mul(value, onIndices.constant(value, double(factor)));
  };
  TapElement element{loop(1), firstColumn, Value()};
  for (int64_t i = 0; i < spatial; ++i) {
    Value tap = loop(2 + spatial + i), place = loop(2 + i);
    Value at = onIndices.sub(place, times(tap, window.dilations[i]));
    at = onIndices.add(at, onIndices.constant(at, double(window.pads[i])));
    // The block that begins `at`, if one does.
    Value stride = onIndices.constant(at, double(window.strides[i]));
    Value which = arith::FloorDivSIOp::create(b, loc, at, stride);
    Value isBlock = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          which, grid.countValues[i]);
    isBlock = onIndices.bitAnd(isBlock,
                               onIndices.eq(onIndices.mul(which, stride), at));
    element.exists =
        element.exists ? onIndices.bitAnd(element.exists, isBlock) : isBlock;
    element.column = onIndices.add(
        onIndices.mul(element.column, grid.countValues[i]), which);
    element.row =
        onIndices.add(onIndices.mul(element.row, grid.extents[i]), tap);
  }
  element.column = onIndices.select(element.exists, element.column,
                                    onIndices.zero(element.column));
  return element;
}

/// The image: each element is the sum over the taps that read it.
static Value sumTaps(Lowering &l, Value x, const Sizes &sizes,
                     const Sizes &kernel, const BlockGrid &grid,
                     const Window &window) {
  int64_t rank = sizes.size(), spatial = rank - 2;
  auto d = [&](int64_t i) { return l.b.getAffineDimExpr(i); };
  SmallVector<AffineExpr> taps, places;
  for (int64_t i = 0; i < rank; ++i)
    places.push_back(d(i));
  for (int64_t i = 0; i < spatial; ++i)
    taps.push_back(d(rank + i));
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(rank + spatial, 0, exprs, l.b.getContext());
  };
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.append(spatial, IteratorType::reduction);
  Type element = Lowering::elementType(x), type = getAccumulatorType(element);
  bool isUnsigned = l.isUnsigned();
  Value overTaps = l.empty(kernel, element);
  return l.generic(
      overTaps, l.filled(sizes, l.constant(type, 0)), {map(taps), map(places)},
      iterators,
      [&](ScalarBuilder &s, ValueRange args) {
        OpBuilder &b = s.getBuilder();
        Location loc = s.getLoc();
        TapElement from = findTapElement(s, l.index(0), grid, window);
        Value image = linalg::IndexOp::create(b, loc, 0);
        Value read = tensor::ExtractOp::create(
            b, loc, x, ValueRange{image, from.row, from.column});
        Value wide = s.cast(read, type, isUnsigned, false);
        if (element.isInteger(1))
          return s.bitOr(args[1], s.bitAnd(from.exists, wide));
        return s.add(args[1], s.select(from.exists, wide, s.zero(wide)));
      },
      isUnsigned);
}

static LogicalResult lowerCol2Im(Col2ImOp op, Col2ImOp::Adaptor operands,
                                 Lowering &l) {
  for (unsigned shape : {1, 2})
    if (failed(l.setLength(shape, l.resultType().getRank() - 2)))
      return failure();
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getInput(), block = operands.getBlockShape();
  int64_t spatial = sizes->size() - 2;
  if (Lowering::rank(x) != 3 || !Lowering::isShapeLike(block) ||
      Lowering::typeOf(block).getNumElements() != spatial)
    return l.fail("the input must have rank 3, and block_shape an element for "
                  "each spatial dimension");
  Sizes kernel = l.indices(block);
  Dims kernelDims;
  for (int64_t i = 0; i < spatial; ++i)
    kernelDims.push_back(l.shapes().value(block, i));
  Window window(
      l.shapes(),
      {std::nullopt, op.getStrides(), op.getDilations(), op.getPads()}, spatial,
      kernelDims, "col2im");
  OpFoldResult channels = l.dim(x, 1);
  l.checkEqual(channels, l.mul((*sizes)[1], l.product(kernel)),
               "the product of block_shape must divide dimension 1 of the "
               "input");
  BlockGrid grid =
      makeBlockGrid(l, ArrayRef(*sizes).drop_front(2), kernel, window);
  OpFoldResult columns = l.dim(x, 2);
  l.checkEqual(columns, l.product(grid.counts),
               "dimension 2 of the input must be the number of blocks");
  checkReadable(l, x, {2}, *sizes);
  Value sum = sumTaps(l, x, *sizes, kernel, grid, window);
  return l.replace(l.castElements(sum, Lowering::elementType(x)));
}

void onnxc::populateDeformConv(Lowerings &lowerings) {
  lowerings.add<Col2ImOp>(lowerCol2Im);
  lowerings.add<DeformConvOp>(lowerDeformConv);
}
