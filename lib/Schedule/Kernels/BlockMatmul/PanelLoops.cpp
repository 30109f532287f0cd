//===- PanelLoops.cpp - Loops over panels of columns and rows -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PanelLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

PanelLoops::PanelLoops(OpBuilder &b, kernel::KernelOpInterface op, Value lhs,
                       Value weights, Value scales, int64_t width,
                       TargetAttr target)
    : b(b), loc(op.getLoc()), index{b, loc}, kernel(op), target(target),
      lanes(target.getVectorBytes() / 4), width(width),
      floats(VectorType::get(lanes, b.getF32Type())),
      words(VectorType::get(lanes, b.getI32Type())) {
  AffineMap matrix = AffineMap::getMultiDimIdentityMap(2, b.getContext());
  this->lhs = makeLoopOperand(index, lhs, matrix);
  result = makeLoopOperand(index, op.getInitMutable().get(), matrix);
  for (auto [extra, map] :
       llvm::zip_equal(op.getExtras(), op.getEpilogueAffineMaps()))
    extras.push_back(makeLoopOperand(index, extra, map));
  this->weights = flatten(index, weights);
  this->scales = flatten(index, scales);
}

Value PanelLoops::fill(float value) {
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(floats, value));
}

void PanelLoops::fetchAhead(const PanelPlace &place, const FlatBuffer &from,
                            OpFoldResult at, int64_t vector) {
  if (place.rows == 1 && !place.wide && vector * lanes * 4 % kCacheLine == 0)
    prefetchStream(index, target, from.memory, [&](int64_t bytes) {
      return index.add(at, index.constant(bytes / 4));
    });
}

SmallVector<Value> PanelLoops::loadScales(const PanelPlace &place,
                                          OpFoldResult block, int64_t row) {
  SmallVector<Value> loaded;
  for (int64_t v = 0; v < place.vectors; ++v) {
    OpFoldResult ofBlock = index.mul(block, scales.strides[1]);
    OpFoldResult at = index.add(ofBlock, index.mul(scales.strides[2], row));
    at = index.add(at, index.add(place.scales, index.constant(v * lanes)));
    loaded.push_back(
        vector::LoadOp::create(b, loc, floats, scales.memory, index.value(at)));
    fetchAhead(place, scales, at, v);
  }
  return loaded;
}

SmallVector<Value> PanelLoops::loadWords(const PanelPlace &place,
                                         OpFoldResult word) {
  SmallVector<Value> loaded;
  for (int64_t v = 0; v < place.vectors; ++v) {
    OpFoldResult at = index.add(place.weights, index.mul(word, width));
    at = index.add(at, index.constant(v * lanes));
    loaded.push_back(
        vector::LoadOp::create(b, loc, words, weights.memory, index.value(at)));
    fetchAhead(place, weights, at, v);
  }
  return loaded;
}

Value PanelLoops::readOperand(const LoopOperand &operand, OpFoldResult row,
                              OpFoldResult column, int64_t live) {
  return readLanes(index, operand, addressOf(operand, row, column),
                   operand.step[1], lanes, live);
}

void PanelLoops::finish(const PanelPlace &place, ArrayRef<Value> sums) {
  for (int64_t r = 0; r < place.rows; ++r)
    for (int64_t v = 0; v < place.vectors; ++v) {
      int64_t live = v + 1 == place.vectors ? place.live : lanes;
      OpFoldResult row = index.add(place.row, index.constant(r)),
                   column = index.add(place.column, index.constant(v * lanes));
      SmallVector<Value> values;
      for (const LoopOperand &extra : extras)
        values.push_back(readOperand(extra, row, column, live));
      Value made =
          emitEpilogue(b, loc, kernel, sums[r * place.vectors + v], values);
      Value at = index.value(addressOf(result, row, column));
      if (live == lanes)
        vector::StoreOp::create(b, loc, made, result.memory, at);
      else
        storeMasked(b, loc, result.memory, at, makeMask(index, lanes, live),
                    made);
    }
}

void PanelLoops::forEachStrip(PanelPlace place, int64_t vectors,
                              llvm::function_ref<void(PanelPlace)> body) {
  for (int64_t v = 0; v < place.vectors; v += vectors) {
    PanelPlace strip = place;
    strip.vectors = std::min(vectors, place.vectors - v);
    strip.live = v + strip.vectors == place.vectors ? place.live : lanes;
    strip.column = index.add(place.column, index.constant(v * lanes));
    strip.weights = index.add(place.weights, index.constant(v * lanes));
    strip.scales = index.add(place.scales, index.constant(v * lanes));
    body(strip);
  }
}

void PanelLoops::emitTiles(const PanelPlace &place) {
  forEachStrip(place,
               place.rows == 1 || place.wide ? place.vectors : kTileVectors,
               [&](PanelPlace strip) { emitTile(strip); });
}

void PanelLoops::coverRows(PanelPlace place, int64_t most) {
  OpFoldResult from = place.firstRow, to = place.endRow;
  auto piece = [&](OpFoldResult end, int64_t rows) {
    carryLoop(index, from, end, rows, {}, [&](OpFoldResult at, ValueRange) {
      place.row = at;
      place.rows = rows;
      emitTiles(place);
      return SmallVector<Value>();
    });
    from = end;
  };
  std::optional<int64_t> rows = getConstantIntValue(to);
  if (rows && isIndex(from, 0)) {
    if (*rows == 0)
      return;
    most = llvm::divideCeil(*rows, llvm::divideCeil(*rows, most));
    int64_t full = *rows / most * most;
    piece(index.constant(full), most);
    if (full != *rows)
      piece(to, *rows - full);
    return;
  }
  for (int64_t rows = most; rows >= 1; rows = rows > 4 ? 4 : rows / 2) {
    OpFoldResult tiles = index.floorDiv(index.sub(to, from), rows);
    piece(index.add(from, index.mul(tiles, rows)), rows);
  }
}

void PanelLoops::emitPanels(int64_t first, int64_t count, int64_t vectors,
                            int64_t live) {
  if (count == 0)
    return;
  int64_t work = 0, near = countNearRows();
  OpFoldResult numRows = result.sizes[0], numBlocks = index.constant(1);
  std::optional<int64_t> rows = getConstantIntValue(numRows);
  if (near && (!rows || *rows > near)) {
    numBlocks = index.ceilDiv(numRows, near);
    rows = near;
  }
  if (rows)
    work = countSteps() * vectors * (*rows / 2 + 2);
  parallelLoop(
      index, {numBlocks, index.constant(count)}, work,
      [&](ArrayRef<OpFoldResult> at) {
        OpFoldResult panel = index.add(at.back(), index.constant(first));
        PanelPlace place;
        place.firstRow = index.constant(0);
        place.endRow = numRows;
        if (!isIndex(numBlocks, 1)) {
          place.firstRow = index.mul(at.front(), near);
          place.endRow = index.min(
              numRows, index.add(place.firstRow, index.constant(near)));
        }
        place.vectors = vectors;
        place.live = live;
        place.column = index.mul(panel, width);
        place.weights = index.mul(panel, weights.strides[0]);
        place.scales = index.mul(panel, scales.strides[0]);
        coverPanel(place);
      });
}

void PanelLoops::emitAll() {
  int64_t columns = cast<MemRefType>(kernel.getInitMutable().get().getType())
                        .getDimSize(1),
          rest = columns % width;
  emitPanels(0, columns / width, width / lanes, lanes);
  if (rest != 0)
    emitPanels(columns / width, 1, llvm::divideCeil(rest, lanes),
               rest % lanes == 0 ? lanes : rest % lanes);
}
