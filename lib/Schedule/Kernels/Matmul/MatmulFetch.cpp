//===- MatmulFetch.cpp - What kernel.matmul fetches ahead -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatmulEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

/// Steps of the sum between two lines that are fetched, if there are enough
/// tiles.
static constexpr int64_t kLinesApart = 4;

/// The next panel comes line by line, while the first tiles are computed: the
/// memory is slower than them, so the lines are spread over as many tiles as
/// there are. Returns the first tile that fetches nothing.
OpFoldResult MatmulEmitter::emitFetchingTiles(
    const MatmulPanel &panel, OpFoldResult tiles, MatmulDepth depth,
    function_ref<void(OpFoldResult, OpFoldResult, int64_t, int64_t)> cover) {
  int64_t bytes = width(panel) * rhs.element.getIntOrFloatBitWidth() / 8;
  // So many tiles fetch the whole of it, a line each `apart` steps.
  auto tilesOf = [&](int64_t apart) {
    return std::max<int64_t>(1, llvm::divideCeil(bytes * apart, kCacheLine));
  };
  std::optional<int64_t> steps = getConstantIntValue(depth.count),
                         known = getConstantIntValue(tiles);
  OpFoldResult first = index.constant(0);
  OpFoldResult few = index.min(tiles, index.constant(tilesOf(1)));
  OpFoldResult many = index.constant(tilesOf(kLinesApart));
  if (!steps || *steps % kLinesApart != 0 ||
      (known && *known < tilesOf(kLinesApart))) {
    // Of fewer tiles each step fetches several.
    bool isFew = known && *known > 0 && *known < tilesOf(1);
    cover(first, few, 1, isFew ? llvm::divideCeil(tilesOf(1), *known) : 1);
    return few;
  }
  if (known) {
    cover(first, many, kLinesApart, 1);
    return many;
  }
  Value all = index.value(tiles);
  Value isMany = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, all,
                                       index.value(many));
  auto choice = scf::IfOp::create(b, loc, isMany, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    cover(first, many, kLinesApart, 1);
    b.setInsertionPointToStart(choice.elseBlock());
    cover(first, few, 1, 1);
  }
  Value ifMany = index.value(many);
  return arith::SelectOp::create(b, loc, isMany, ifMany, index.value(few))
      .getResult();
}

void MatmulEmitter::emitPrefetch(const MatmulPanel &panel,
                                 const MatmulFetch &fetch, MatmulDepth depth,
                                 OpFoldResult step) {
  int64_t lineElements = kCacheLine * 8 / rhs.element.getIntOrFloatBitWidth();
  // From line (tile * count + step) * lines / apart of this part of the panel
  // on.
  OpFoldResult at = index.mul(depth.from, width(panel));
  OpFoldResult line = index.add(index.mul(fetch.tile, depth.count), step);
  at = index.add(at, index.mul(line, lineElements * fetch.lines / fetch.apart));
  for (int64_t i = 0; i < fetch.lines; ++i)
    memref::PrefetchOp::create(
        b, loc, rhs.memory,
        index.value(index.add(index.add(panel.next, at),
                              index.constant(i * lineElements))),
        /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
}

/// Few rows wait for memory: what comes soon is fetched, across pages.
void MatmulEmitter::emitStreamPrefetch(const MatmulPanel &panel,
                                       OpFoldResult at) {
  int64_t bytes = rhs.element.getIntOrFloatBitWidth() / 8;
  for (int64_t i = 0; i < width(panel); i += kCacheLine / bytes)
    prefetchStream(
        index, TargetAttr::of(op), panel.memory, [&](int64_t distance) {
          // What is not packed may have other columns behind a row of the
          // panel.
          OpFoldResult ahead = index.constant(distance / bytes);
          if (!isPacked())
            ahead = index.mul(
                panel.rowStep,
                std::max<int64_t>(1, distance / bytes / width(panel)));
          OpFoldResult row = index.add(at, ahead);
          return index.add(row, offsetIn(panel, i));
        });
}

/// What the epilogue of a tile reads for each element comes while the sums
/// grow: loads behind them would wait for it.
void MatmulEmitter::prefetchExtras(const MatmulPanel &panel, OpFoldResult row,
                                   int64_t rows) {
  for (auto [extra, base] : llvm::zip_equal(extras, extraBases)) {
    if (extra.scalar || isIndex(extra.step[m], 0) ||
        !isIndex(extra.step[n], 1) || !isFar(extra, TargetAttr::of(op)))
      continue;
    int64_t perLine =
        kCacheLine * 8 / int64_t(extra.element.getIntOrFloatBitWidth());
    for (int64_t i = 0; i < rows; ++i) {
      OpFoldResult at = index.add(row, index.constant(i));
      at = index.add(index.mul(at, extra.step[m]), panel.column);
      at = index.add(base, at);
      for (int64_t column = 0; column < width(panel); column += perLine)
        memref::PrefetchOp::create(
            b, loc, extra.memory,
            index.value(index.add(at, index.constant(column))),
            /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
    }
  }
}
