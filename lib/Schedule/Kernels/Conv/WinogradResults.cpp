//===- WinogradResults.cpp - From sums of products to pixels --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Infinities and NaN would reach whole squares: where a result is not finite,
// it is summed up as it is defined.
//
//===----------------------------------------------------------------------===//

#include "ConvWinograd.h"
#include "Kernels/Epilogue.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <functional>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::conv;
using namespace onnxc::winograd;

static Pixel pixelOf(const Corner &corner) {
  return {corner.batch, {corner.slice, corner.row, corner.column}};
}

/// The sum of a pixel as it is defined, of block `j` of the panel's filters.
Value ConvWinograd::sumAsDefined(const Panel &panel, const Pixel &pixel,
                                 OpFoldResult j) {
  OpFoldResult weights = startOfPanel(panelOf(panel)),
               packed = index.floorDiv(j, packedVectors);
  weights = index.add(weights, index.mul(packed, filterPanel));
  OpFoldResult part = index.sub(j, index.mul(packed, packedVectors));
  weights = index.add(weights, index.mul(part, lanes));
  OpFoldResult from = index.mul(pixel.batch, image.strides[0]);
  from = index.add(
      from, index.mul(index.mul(panel.group, channels / lanes), imageBlock));
  // The taps that lie in the image.
  OpFoldResult low[kAxes], high[kAxes];
  for (AxisName a : {kDepth, kRow, kColumn}) {
    OpFoldResult before = index.constant(axes[a].before);
    low[a] = index.max(index.constant(0), index.sub(before, pixel.at[a]));
    high[a] = index.sub(index.add(axes[a].in, before), pixel.at[a]);
    high[a] = index.min(index.constant(axes[a].taps), high[a]);
    OpFoldResult start = index.sub(pixel.at[a], before);
    from = index.add(from, index.mul(start, axes[a].ofImage));
  }
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  int64_t perBlock = channelBlocks * lanes;
  auto overChannels = [&](OpFoldResult channel,
                          ValueRange ofChannel) -> SmallVector<Value> {
    OpFoldResult block = index.floorDiv(channel, lanes);
    OpFoldResult x = index.add(from, index.mul(block, imageBlock));
    OpFoldResult inBlock = index.sub(channel, index.mul(block, lanes));
    x = index.add(x, index.mul(inBlock, imageChannel));
    OpFoldResult whole = index.floorDiv(channel, perBlock);
    OpFoldResult w = index.add(weights, index.mul(whole, filterBlock));
    OpFoldResult inWhole = index.sub(channel, index.mul(whole, perBlock));
    w = index.add(w, index.mul(inWhole, filterChannel));
    std::function<SmallVector<Value>(unsigned, OpFoldResult, OpFoldResult,
                                     ValueRange)>
        overTaps = [&](unsigned a, OpFoldResult atX, OpFoldResult atW,
                       ValueRange sum) -> SmallVector<Value> {
      if (a < kAxes)
        return carryLoop(index, low[a], high[a], 1, sum,
                         [&](OpFoldResult tap, ValueRange carried) {
                           OpFoldResult nextX =
                               index.add(atX, index.mul(tap, axes[a].ofImage));
                           OpFoldResult nextW =
                               index.add(atW, index.mul(tap, axes[a].ofFilter));
                           return overTaps(a + 1, nextX, nextW, carried);
                         });
      Value scalar = broadcast(
          memref::LoadOp::create(b, loc, image.memory, index.value(atX)));
      Value taps = loadVector(filter, atW);
      if (!filter.element.isF32())
        taps = arith::ExtFOp::create(b, loc, vectorType, taps);
      return {vector::FMAOp::create(b, loc, scalar, taps, sum[0])};
    };
    return overTaps(0, x, w, ofChannel);
  };
  return carryLoop(index, index.constant(0), index.constant(channels), 1, zero,
                   overChannels)[0];
}

/// A row of a square's pixels, or, if one of them is not a finite number, the
/// same as sums that are defined: an infinity or NaN in the image reaches the
/// windows that it is in, and no others, and numbers near the greatest one do
/// not overflow on the way.
SmallVector<Value> ConvWinograd::keepFinite(const Panel &panel,
                                            const Corner &corner,
                                            OpFoldResult j, OpFoldResult row,
                                            ValueRange pixels) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  Value product = zero; // NaN where a factor is not finite
  for (Value pixel : pixels)
    product = vector::FMAOp::create(b, loc, pixel, zero, product);
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                      product, product);
  Value isAny =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, isNaN);
  SmallVector<Type> types(pixels.size(), vectorType);
  auto choice =
      scf::IfOp::create(b, loc, types, isAny, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, pixels);
  b.setInsertionPointToStart(choice.thenBlock());
  // A loop: code that is seldom run should be short.
  Value kept = makeScratch(filtering.columns.outputs * lanes);
  overRange(corner.columns, [&](OpFoldResult column) {
    Pixel pixel = pixelOf(corner);
    pixel.at[kRow] = index.add(corner.row, row);
    pixel.at[kColumn] = index.add(corner.column, column);
    Value sum = sumAsDefined(panel, pixel, j);
    storeBlock(sum, kept, index.mul(column, lanes));
  });
  SmallVector<Value> exact;
  for (int64_t x = 0; x < int64_t(pixels.size()); ++x)
    exact.push_back(loadBlock(kept, index.constant(x * lanes)));
  scf::YieldOp::create(b, loc, exact);
  return choice.getResults();
}

void ConvWinograd::finishPixel(const Panel &panel, const Pixel &pixel,
                               OpFoldResult j, Value sum,
                               ArrayRef<Value> shared) {
  OpFoldResult block = index.add(index.mul(panelOf(panel), panelVectors), j);
  SmallVector<Value> values(shared);
  for (auto [extra, value] : llvm::zip_equal(extras, values))
    if (!value)
      value =
          readExtra(extra, pixel, block, index.constant(0), index.constant(0));
  OpFoldResult at = index.mul(pixel.batch, result.strides[0]);
  at = index.add(at, index.mul(block, result.strides[1]));
  for (AxisName a : {kDepth, kRow, kColumn})
    at = index.add(at, index.mul(pixel.at[a], axes[a].ofResult));
  storeBlock(emitEpilogue(b, loc, op, sum, values), result.memory, at);
}

/// Row `row` of a square, whose sums have been added up along columns.
void ConvWinograd::finishRow(const Panel &panel, const Corner &corner,
                             OpFoldResult j, OpFoldResult row,
                             ValueRange halves, ArrayRef<Value> shared) {
  SmallVector<Value> pixels =
      emitProduct(b, loc, filtering.columns.sums, halves);
  pixels = keepFinite(panel, corner, j, row, pixels);
  Pixel first = pixelOf(corner);
  first.at[kRow] = index.add(corner.row, row);
  auto finishAt = [&](OpFoldResult column, Value sum) {
    Pixel pixel = first;
    pixel.at[kColumn] = index.add(corner.column, column);
    finishPixel(panel, pixel, j, sum, shared);
  };
  if (isIndex(corner.columns, int64_t(pixels.size())) && !isLongEpilogue(op)) {
    for (auto [x, sum] : llvm::enumerate(pixels))
      finishAt(index.constant(int64_t(x)), sum);
    return;
  }
  Value kept = makeScratch(filtering.columns.outputs * lanes);
  for (auto [x, sum] : llvm::enumerate(pixels))
    storeBlock(sum, kept, index.constant(int64_t(x) * lanes));
  overRange(corner.columns, [&](OpFoldResult column) {
    finishAt(column, loadBlock(kept, index.mul(column, lanes)));
  });
}

/// The square at place `square` of a run.
void ConvWinograd::finishSquare(const Panel &panel, OpFoldResult square,
                                const Corner &corner) {
  int64_t width = panel.vectors * lanes, ofPlace = sumsOf(panel);
  overRange(index.constant(panel.vectors), [&](OpFoldResult j) {
    OpFoldResult from = index.mul(square, width);
    from = index.add(from, index.mul(j, lanes));
    SmallVector<Value> products;
    for (int64_t i = 0; i < places; ++i)
      products.push_back(
          loadBlock(sums, index.add(from, index.constant(i * ofPlace))));
    OpFoldResult block = index.add(index.mul(panelOf(panel), panelVectors), j);
    SmallVector<Value> shared;
    for (const Extra &extra : extras)
      shared.push_back(isSharedByPixels(extra)
                           ? readExtra(extra, pixelOf(corner), block,
                                       index.constant(0), index.constant(0))
                           : Value());
    // A loop over rows: unrolled, it would take most of the kernel's code.
    int64_t ofRow = filtering.columns.points();
    Value rows = makeScratch(filtering.rows.outputs * ofRow * lanes);
    for (auto [i, half] :
         llvm::enumerate(emitColumns(b, loc, filtering.rows.sums, products)))
      storeBlock(half, rows, index.constant(int64_t(i) * lanes));
    overRange(corner.rows, [&](OpFoldResult row) {
      SmallVector<Value> halves;
      OpFoldResult start = index.mul(row, ofRow * lanes);
      for (int64_t x = 0; x < ofRow; ++x)
        halves.push_back(
            loadBlock(rows, index.add(start, index.constant(x * lanes))));
      finishRow(panel, corner, j, row, halves, shared);
    });
  });
}
