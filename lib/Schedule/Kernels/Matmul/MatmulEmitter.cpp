//===- MatmulEmitter.cpp - The loops of kernel.matmul ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the outside:
//
//   batches, blocks of rows and panels of columns, in parallel
//     the panel of rhs is copied, if it does not lie well
//     tiles of rows
//       sums of the tile in registers, over all steps of k or a block of them
//       the epilogue, row by row; results are stored
//
// What remains of the rows is covered by tiles of fewer rows; the last panel
// has as many vectors as it needs, and the last of them a mask.
//
//===----------------------------------------------------------------------===//

#include "MatmulEmitter.h"
#include "Kernels/Epilogue.h"
#include "Kernels/Halves.h"
#include "Kernels/KernelLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <numeric>

using namespace mlir;
using namespace onnxc;

/// Longer epilogues are one loop for all vectors of a tile instead of code for
/// each.
static constexpr int64_t kMaxUnrolledOps = 8;
/// Where rhs does not lie as the schedule expects.
static constexpr int64_t kFallbackDepth = 512, kFallbackBlock = 256;

void MatmulEmitter::prepare() {
  unsigned loops = k + 1;
  Value operands[] = {op.getInit(), op.getLhs(), op.getRhs()};
  unsigned maps[] = {2, 0, 1};
  extent.assign(loops, OpFoldResult());
  for (unsigned d = 0; d < loops; ++d) {
    AffineExpr dim = b.getAffineDimExpr(d);
    int64_t known = op.getLoopExtent(d);
    if (!ShapedType::isDynamic(known)) {
      extent[d] = index.constant(known);
      continue;
    }
    for (auto [operand, map] : llvm::zip_equal(operands, maps))
      for (auto [i, expr] : llvm::enumerate(op.getMap(map).getResults()))
        if (expr == dim && !extent[d])
          extent[d] = memref::DimOp::create(b, loc, operand, i).getResult();
  }

  // Panels have a step of their own.
  AffineMap rhsMap = op.getMap(1);
  lhs = makeLoopOperand(index, op.getLhs(), op.getMap(0));
  rhs = makeLoopOperand(index, op.getRhs(), rhsMap);
  result = makeLoopOperand(index, op.getInit(), op.getMap(2));
  if (isPacked()) {
    FlatBuffer flat = flatten(index, op.getRhs());
    panelStep = flat.strides[flat.strides.size() - 3];
  }
  AffineMap place = op.getMap(2);
  for (auto [extra, map] : llvm::zip_equal(
           op.getExtras(), cast<kernel::KernelOpInterface>(op.getOperation())
                               .getEpilogueAffineMaps())) {
    extras.push_back(makeLoopOperand(index, extra, map.compose(place)));
  }
  // The layout may be another one than that of the tensor.
  if (!isPacked() && !s.getCopy() && !isIndex(rhs.step[n], 1)) {
    s = kernel::MatmulScheduleAttr::get(
        b.getContext(), s.getRows(), s.getColumns(), kFallbackDepth,
        llvm::alignTo(kFallbackBlock, s.getRows()), /*rows_outside=*/false,
        /*prefetch=*/false, /*copy=*/true, s.getWiden(), s.getByElement(),
        /*single_row=*/0, /*two_rows=*/0, /*each_rest=*/false);
  }
  int64_t ops = 0;
  for (Operation &inner : op.getEpilogue().front().without_terminator()) {
    if (isa<arith::ConstantOp>(inner))
      continue;
    ops += isa<arith::ArithDialect>(inner.getDialect()) ? 1 : kMaxUnrolledOps;
  }
  hasLongEpilogue = ops > kMaxUnrolledOps;
}

Value MatmulEmitter::load(Value memory, Type element, OpFoldResult address,
                          Value mask) {
  VectorType type = vectorOf(element);
  Value at = index.value(address);
  if (!mask)
    return vector::LoadOp::create(b, loc, type, memory, at);
  return vector::MaskedLoadOp::create(b, loc, type, memory, at, mask,
                                      zeros(element));
}

/// To the type of the sum: scalars and vectors.
Value MatmulEmitter::extend(Value value, bool isUnsigned) {
  if (getElementTypeOrSelf(value.getType()) == sum)
    return value;
  Type type = isa<VectorType>(value.getType()) ? Type(vectorOf(sum)) : sum;
  if (isa<FloatType>(sum))
    return arith::ExtFOp::create(b, loc, type, value);
  if (isUnsigned)
    return arith::ExtUIOp::create(b, loc, type, value);
  return arith::ExtSIOp::create(b, loc, type, value);
}

/// The same of rhs, unless it has been extended already.
Value MatmulEmitter::extendRhs(Value value) {
  FloatAttr factor = op.getRhsFactorAttr();
  if (factor && isHalf(getElementTypeOrSelf(value.getType())))
    return widenElements(b, loc, value, factor);
  return extend(value, op.getRhsUnsigned());
}

Value MatmulEmitter::multiplyAdd(Value x, Value y, Value acc) {
  if (isa<FloatType>(sum))
    return vector::FMAOp::create(b, loc, x, y, acc);
  return arith::AddIOp::create(b, loc, acc,
                               arith::MulIOp::create(b, loc, x, y));
}

OpFoldResult MatmulEmitter::baseOf(const LoopOperand &operand,
                                   ArrayRef<OpFoldResult> batch) {
  OpFoldResult base = index.constant(0);
  for (auto [d, position] : llvm::enumerate(batch))
    base = index.add(base, index.mul(position, operand.step[d]));
  return base;
}

void MatmulEmitter::enter(ArrayRef<OpFoldResult> batch) {
  lhsBase = baseOf(lhs, batch);
  rhsBase = baseOf(rhs, batch);
  resultBase = baseOf(result, batch);
  extraBases = llvm::map_to_vector(
      extras, [&](const LoopOperand &extra) { return baseOf(extra, batch); });
}

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

/// Panel `number` of those that are `width` columns apart, from column `from`
/// on.
MatmulPanel MatmulEmitter::panelAt(OpFoldResult from, OpFoldResult number,
                                   int64_t width, int64_t vectors,
                                   bool masked) {
  MatmulPanel panel;
  panel.vectors = vectors;
  panel.column = index.add(from, index.mul(number, width));
  if (masked)
    panel.mask = maskOf(
        index.sub(extent[n], index.add(panel.column,
                                       index.constant((vectors - 1) * lanes))));
  panel.memory = rhs.memory;
  panel.element = rhs.element;
  panel.rowStep = rhs.step[k];
  if (!isPacked()) {
    panel.base = index.add(rhsBase, index.mul(panel.column, rhs.step[n]));
    return panel;
  }
  OpFoldResult ofAll = index.add(index.floorDiv(from, s.getColumns()), number);
  // A tile has whole panels of the packed operand, or a part of one.
  int64_t packed = op.getPanelWidth(), parts = packed / s.getColumns();
  OpFoldResult first = index.mul(ofAll, s.getColumns() / packed);
  if (parts > 1)
    first = index.floorDiv(ofAll, parts);
  panel.base = index.add(rhsBase, index.mul(first, panelStep));
  if (parts > 1)
    panel.base = index.add(
        panel.base,
        index.mul(index.sub(ofAll, index.mul(first, parts)), s.getColumns()));
  panel.panelStep = panelStep;
  panel.padded = true;
  if (s.getPrefetch() && width == s.getColumns() && parts <= 1)
    panel.next =
        index.add(panel.base, index.mul(panelStep, s.getColumns() / packed));
  return panel;
}

/// In how many parts threads share the rows, where panels are so few that they
/// cannot be shared out evenly.
int64_t MatmulEmitter::countRowParts(OpFoldResult count) {
  std::optional<int64_t> rows = getConstantIntValue(extent[m]),
                         panels = getConstantIntValue(count);
  for (OpFoldResult batch : ArrayRef<OpFoldResult>(extent).take_front(m)) {
    std::optional<int64_t> size = getConstantIntValue(batch);
    panels =
        panels && size ? std::optional<int64_t>(*panels * *size) : std::nullopt;
  }
  if (!rows || !panels || s.getRowsOutside() || s.getCopy() ||
      *panels >= kFewPanels || *panels % 2 == 0)
    return 1;
  return std::min<int64_t>(*panels == 1 ? 4 : 2,
                           llvm::divideCeil(*rows, s.getRows()));
}

/// Shares `count` panels of `vectors` vectors out, and blocks of rows.
/// `panelOf` gives the panel of a number; it may be called for a block of its
/// own.
void MatmulEmitter::sharePanels(
    OpFoldResult count, int64_t vectors,
    function_ref<void(OpFoldResult, function_ref<void(MatmulPanel)>)> panelOf) {
  SmallVector<OpFoldResult> loops(ArrayRef<OpFoldResult>(extent).take_front(m));
  std::optional<int64_t> rows = getConstantIntValue(extent[m]),
                         steps = getConstantIntValue(extent[k]);
  int64_t parts = countRowParts(count),
          block = s.getRowsOutside() ? s.getBlock() : 0;
  if (s.getRowsOutside())
    loops.push_back(index.ceilDiv(extent[m], s.getBlock()));
  loops.push_back(count);
  if (parts > 1) {
    block = llvm::alignTo(llvm::divideCeil(*rows, parts), s.getRows());
    parts = llvm::divideCeil(*rows, block);
    loops.push_back(index.constant(parts));
  }
  int64_t work = 0;
  if (steps && (rows || block))
    work = *steps * vectors *
           std::max((block ? block : *rows) / 2, kCyclesPerLine);

  parallelLoop(index, loops, work, [&](ArrayRef<OpFoldResult> at) {
    enter(at.take_front(m));
    if (parts > 1)
      return panelOf(at[m], [&](MatmulPanel panel) {
        switchOver(index, at[m + 1], parts - 1,
                   [&](std::optional<int64_t> part) {
                     int64_t first = part.value_or(parts - 1) * block;
                     emitPanel(panel, index.constant(first),
                               index.constant(std::min(block, *rows - first)));
                   });
      });
    OpFoldResult first = index.constant(0), ofBlock = extent[m];
    if (s.getRowsOutside()) {
      first = index.mul(at[m], s.getBlock());
      ofBlock = index.constant(s.getBlock());
      if (!rows || *rows % s.getBlock() != 0)
        ofBlock = index.min(ofBlock, index.sub(extent[m], first));
    }
    panelOf(at.back(),
            [&](MatmulPanel panel) { emitPanel(panel, first, ofBlock); });
  });
}

void MatmulEmitter::emitProduct() {
  int64_t vectors = s.getColumns() / lanes;
  OpFoldResult full = index.floorDiv(extent[n], s.getColumns()),
               none = index.constant(0);
  OpFoldResult done = index.mul(full, s.getColumns());
  auto emitAlike = [&](OpFoldResult from, OpFoldResult count, int64_t width,
                       int64_t vectors, bool masked) {
    if (!isIndex(count, 0))
      sharePanels(count, vectors, [&](OpFoldResult number, auto emit) {
        emit(panelAt(from, number, width, vectors, masked));
      });
  };
  std::optional<int64_t> columns = getConstantIntValue(extent[n]);
  if (!columns) {
    emitAlike(none, full, s.getColumns(), vectors, false);
    OpFoldResult count = index.ceilDiv(index.sub(extent[n], done), lanes);
    return emitAlike(done, count, lanes, 1, true);
  }
  int64_t rest = *columns % s.getColumns();
  int64_t restVectors = llvm::divideCeil(rest, lanes);
  if (!rest || *columns < s.getColumns())
    return rest ? emitAlike(none, index.constant(1), s.getColumns(),
                            restVectors, rest % lanes != 0)
                : emitAlike(none, full, s.getColumns(), vectors, false);
  // The last panel has fewer columns.
  sharePanels(index.add(full, index.constant(1)), vectors,
              [&](OpFoldResult number, auto emit) {
                Value own = index.value(number);
                Value isLast = arith::CmpIOp::create(
                    b, loc, arith::CmpIPredicate::eq, own, index.value(full));
                auto choice = scf::IfOp::create(b, loc, isLast, true);
                OpBuilder::InsertionGuard guard(b);
                b.setInsertionPointToStart(choice.thenBlock());
                emit(panelAt(done, none, s.getColumns(), restVectors,
                             rest % lanes != 0));
                b.setInsertionPointToStart(choice.elseBlock());
                emit(panelAt(none, number, s.getColumns(), vectors, false));
              });
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

void MatmulEmitter::emitPanel(const MatmulPanel &panel, OpFoldResult from,
                              OpFoldResult count) {
  if (hasLongEpilogue)
    tileScratch = scratch(s.getRows() * width(panel), sum);
  if (!s.getWiden() || getConstantIntValue(extent[m]))
    return emitBlocks(panel, from, count);
  // Few rows wait for memory: halves are as fast as floats there.
  emitEither(
      index, arith::CmpIPredicate::sge, count,
      index.constant(kTilesThatWiden * s.getRows()),
      [&] { emitBlocks(panel, from, count); },
      [&] {
        llvm::SaveAndRestore narrow(s, s.withoutWidening());
        emitBlocks(panel, from, count);
      });
}

void MatmulEmitter::emitBlocks(const MatmulPanel &panel, OpFoldResult from,
                               OpFoldResult count) {
  if (!s.getDepth()) {
    MatmulDepth all{index.constant(0), extent[k]};
    MatmulPanel read = panel;
    if (s.getCopy() || s.getWiden())
      read = copyPanel(
          panel, copyScratch(panel, *getConstantIntValue(extent[k])), all);
    emitRows(read, from, count, all, MatmulSums());
    return;
  }
  if (s.getRowsOutside())
    return emitDepths(panel, from, count);
  std::optional<int64_t> rows = getConstantIntValue(count);
  carryLoop(index, index.constant(0), count, s.getBlock(), {},
            [&](OpFoldResult start, ValueRange) {
              OpFoldResult ofBlock = index.constant(s.getBlock());
              if (!rows || *rows % s.getBlock() != 0)
                ofBlock = index.min(ofBlock, index.sub(count, start));
              emitDepths(panel, index.add(from, start), ofBlock);
              return SmallVector<Value>();
            });
}

/// A block of rows, at most as many as the schedule's, cut along the sum.
/// Between the pieces sums lie in a scratch buffer: an extra of the epilogue
/// may share the memory of the result.
void MatmulEmitter::emitDepths(const MatmulPanel &panel, OpFoldResult from,
                               OpFoldResult count) {
  Value partial = scratch(s.getBlock() * width(panel), sum);
  Value memory =
      s.getCopy() || s.getWiden() ? copyScratch(panel, s.getDepth()) : Value();
  auto piece = [&](MatmulDepth depth, bool load, bool store) {
    MatmulPanel part = memory ? copyPanel(panel, memory, depth) : panel;
    MatmulSums sums;
    sums.partial = partial;
    sums.row = from;
    sums.load = load;
    sums.store = store;
    emitRows(part, from, count, depth, sums);
  };
  // All but the last piece; that one may be shorter, but is not empty unless
  // there is nothing to sum.
  OpFoldResult whole;
  std::optional<int64_t> steps = getConstantIntValue(extent[k]);
  if (steps)
    whole = index.constant((*steps - 1) / s.getDepth() * s.getDepth());
  else
    whole = index.max(
        index.mul(index.floorDiv(index.sub(extent[k], index.constant(1)),
                                 s.getDepth()),
                  s.getDepth()),
        index.constant(0));
  if (steps && *steps > s.getDepth()) {
    piece({index.constant(0), index.constant(s.getDepth())}, false, true);
    carryLoop(index, index.constant(s.getDepth()), whole, s.getDepth(), {},
              [&](OpFoldResult at, ValueRange) {
                piece({at, index.constant(s.getDepth())}, true, true);
                return SmallVector<Value>();
              });
    piece({whole, index.sub(extent[k], whole)}, true, false);
    return;
  }
  if (!steps) {
    OpFoldResult elements = index.mul(count, width(panel));
    carryLoop(index, index.constant(0), elements, lanes, {},
              [&](OpFoldResult at, ValueRange) {
                Value start = zeros(sum);
                vector::StoreOp::create(b, loc, start, partial,
                                        index.value(at));
                return SmallVector<Value>();
              });
    carryLoop(index, index.constant(0), whole, s.getDepth(), {},
              [&](OpFoldResult at, ValueRange) {
                piece({at, index.constant(s.getDepth())}, true, true);
                return SmallVector<Value>();
              });
  }
  piece({whole, index.sub(extent[k], whole)}, !steps, false);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Covers the rows by full tiles; then by smaller ones.
void MatmulEmitter::emitRows(const MatmulPanel &panel, OpFoldResult from,
                             OpFoldResult count, MatmulDepth depth,
                             const MatmulSums &sums) {
  OpFoldResult tiles = index.floorDiv(count, s.getRows());
  // Of few rows each column of rhs is read once; where their number is open,
  // they may be all that there are of a tile's remainder.
  std::optional<int64_t> all = getConstantIntValue(extent[m]);
  bool few = all && *all <= kFewRows;
  MatmulFetch remainder;
  remainder.streams = all ? few : s.getRows() > 1;
  auto cover = [&](OpFoldResult first, OpFoldResult last, int64_t apart,
                   int64_t lines) {
    carryLoop(index, first, last, 1, {}, [&](OpFoldResult tile, ValueRange) {
      MatmulFetch fetch;
      fetch.tile = tile;
      fetch.apart = apart;
      fetch.lines = lines;
      fetch.streams = few || (!all && s.getRows() == 1);
      emitTile(panel, index.add(from, index.mul(tile, s.getRows())),
               s.getRows(), depth, sums, fetch);
      return SmallVector<Value>();
    });
  };
  OpFoldResult first = index.constant(0);
  if (panel.next)
    first = emitFetchingTiles(panel, tiles, depth, cover);
  cover(first, tiles, 0, 0);

  OpFoldResult done = index.mul(tiles, s.getRows());
  if (std::optional<int64_t> rows = getConstantIntValue(count)) {
    if (int64_t rest = *rows % s.getRows())
      emitTile(panel, index.add(from, done), rest, depth, sums, remainder);
    return;
  }
  if (s.getEachRest())
    return switchOver(index, index.sub(count, done), s.getRows(),
                      [&](std::optional<int64_t> rows) {
                        if (rows.value_or(0) > 0)
                          emitTile(panel, index.add(from, done), *rows, depth,
                                   sums, remainder);
                      });
  for (int64_t rows = llvm::bit_floor(uint64_t(s.getRows() - 1)); rows > 0;
       rows /= 2) {
    OpFoldResult rest = index.floorDiv(index.sub(count, done), rows);
    OpFoldResult end = index.add(done, index.mul(rest, rows));
    carryLoop(index, done, end, rows, {}, [&](OpFoldResult row, ValueRange) {
      emitTile(panel, index.add(from, row), rows, depth, sums, remainder);
      return SmallVector<Value>();
    });
    done = end;
  }
}

/// From the first element of a row of the panel to that of column `column`.
OpFoldResult MatmulEmitter::offsetIn(const MatmulPanel &panel, int64_t column) {
  if (!panel.panelStep)
    return index.constant(column);
  int64_t packed = op.getPanelWidth();
  return index.add(index.mul(*panel.panelStep, column / packed),
                   index.constant(column % packed));
}

/// Element `element` of the vector in all lanes.
Value MatmulEmitter::broadcast(Value vector, int64_t element) {
  SmallVector<int64_t> lane(lanes, element);
  return vector::ShuffleOp::create(b, loc, vector, vector, lane);
}

/// One step of the sum in a tile, given what lhs has in each row.
SmallVector<Value> MatmulEmitter::sumStep(const MatmulPanel &panel,
                                          OpFoldResult at, int64_t rows,
                                          function_ref<Value(int64_t)> ofRow,
                                          ValueRange carried) {
  SmallVector<Value> vectors, next;
  for (int64_t v = 0; v < panel.vectors; ++v)
    vectors.push_back(extendRhs(load(
        panel.memory, panel.element, index.add(at, offsetIn(panel, v * lanes)),
        isMasked(panel, v) && !panel.padded ? panel.mask : Value())));
  for (int64_t i = 0; i < rows; ++i) {
    Value all = ofRow(i);
    for (int64_t v = 0; v < panel.vectors; ++v)
      next.push_back(
          multiplyAdd(all, vectors[v], carried[i * panel.vectors + v]));
  }
  return next;
}

/// How many steps of a sum are written out in a tile with so many multiply-adds
/// in each.
int64_t MatmulEmitter::stepsTogether(int64_t products, MatmulDepth depth,
                                     int64_t apart) {
  std::optional<int64_t> count = getConstantIntValue(depth.count);
  int64_t together = std::lcm(apart, kStepsTogether);
  return isCountingCostly(products) && count && *count >= together &&
                 *count % apart == 0
             ? together
             : apart;
}

/// Adds the products of all steps to the sums of a tile.
SmallVector<Value> MatmulEmitter::sumTile(const MatmulPanel &panel,
                                          OpFoldResult row, int64_t rows,
                                          MatmulDepth depth,
                                          const MatmulFetch &fetch,
                                          ValueRange sums) {
  // Rows that lie a known distance apart share an address register.
  bool known = getConstantIntValue(lhs.step[m]).has_value();
  OpFoldResult start = index.add(lhsBase, index.mul(row, lhs.step[m]));
  start = index.add(start, index.mul(depth.from, lhs.step[k]));
  SmallVector<OpFoldResult> starts(1, start);
  for (int64_t i = 1; i < rows; ++i)
    starts.push_back(known ? start : index.add(starts.back(), lhs.step[m]));
  OpFoldResult rhsStart =
      index.add(panel.base, index.mul(depth.from, panel.rowStep));
  auto addressOf = [&](int64_t i, OpFoldResult step) -> Value {
    OpFoldResult address = index.add(starts[i], index.mul(step, lhs.step[k]));
    if (known)
      address = index.add(address, index.mul(lhs.step[m], i));
    return index.value(address);
  };

  // Values that weights of attention are multiplied by may be a cache.
  bool streams = fetch.streams && rows <= kFewRows && !s.getWiden() &&
                 (isPacked() ? s.getPrefetch()
                             : !getConstantIntValue(extent[k]) &&
                                   isIndex(rhs.step[n], 1) && !s.getCopy());
  int64_t apart = std::max<int64_t>(1, fetch.apart);
  auto sumSteps = [&](OpFoldResult from, OpFoldResult to, bool byElement,
                      int64_t together, ValueRange before) {
    return carryLoop(
        index, from, to, together, before,
        [&](OpFoldResult step, ValueRange carried) {
          SmallVector<Value> next(carried), elements;
          OpFoldResult first =
              index.add(rhsStart, index.mul(step, panel.rowStep));
          for (int64_t i = 0; i < rows && byElement; ++i)
            elements.push_back(vector::LoadOp::create(
                b, loc, vectorOf(sum), lhs.memory, addressOf(i, step)));
          for (int64_t part = 0; part < together; ++part) {
            OpFoldResult here = index.add(step, index.constant(part));
            // Apart by what the compiler knows, so that one register has the
            // address of all.
            OpFoldResult at = index.add(first, index.mul(panel.rowStep, part));
            if (streams)
              emitStreamPrefetch(panel, at);
            else if (fetch.apart && part % apart == 0)
              emitPrefetch(panel, fetch, depth, here);
            auto ofRow = [&](int64_t i) -> Value {
              if (byElement)
                return broadcast(elements[i], part);
              Value element = memref::LoadOp::create(b, loc, lhs.memory,
                                                     addressOf(i, here));
              return vector::BroadcastOp::create(
                  b, loc, vectorOf(sum), extend(element, op.getLhsUnsigned()));
            };
            next = sumStep(panel, at, rows, ofRow, next);
          }
          return next;
        });
  };
  SmallVector<Value> values(sums);
  OpFoldResult done = index.constant(0);
  if (s.getByElement() && isIndex(lhs.step[k], 1) && lanes % apart == 0) {
    done = index.mul(index.floorDiv(depth.count, lanes), lanes);
    values =
        sumSteps(index.constant(0), done, /*byElement=*/true, lanes, values);
  }
  if (int64_t together = stepsTogether(rows * panel.vectors, depth, apart);
      together > apart && isIndex(done, 0)) {
    int64_t whole = *getConstantIntValue(depth.count) / together * together;
    done = index.constant(whole);
    values = sumSteps(index.constant(0), done, /*byElement=*/false, together,
                      values);
  }
  if (isIndex(done, getConstantIntValue(depth.count).value_or(-1)))
    return values;
  return sumSteps(done, depth.count, /*byElement=*/false, apart, values);
}

void MatmulEmitter::emitTile(const MatmulPanel &panel, OpFoldResult row,
                             int64_t rows, MatmulDepth depth,
                             const MatmulSums &sums, const MatmulFetch &fetch) {
  auto partialAt = [&](int64_t i, int64_t v) {
    OpFoldResult at = index.mul(index.sub(row, sums.row), width(panel));
    return index.value(
        index.add(at, index.constant(i * width(panel) + v * lanes)));
  };
  SmallVector<Value> values;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t v = 0; v < panel.vectors; ++v)
      values.push_back(sums.load ? vector::LoadOp::create(b, loc, vectorOf(sum),
                                                          sums.partial,
                                                          partialAt(i, v))
                                       .getResult()
                                 : zeros(sum));

  if (!sums.store)
    prefetchExtras(panel, row, rows);
  values = sumTile(panel, row, rows, depth, fetch, values);
  if (!sums.store)
    return finishTile(panel, row, rows, values);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t v = 0; v < panel.vectors; ++v)
      vector::StoreOp::create(b, loc, values[i * panel.vectors + v],
                              sums.partial, partialAt(i, v));
}

void MatmulEmitter::finishTile(const MatmulPanel &panel, OpFoldResult row,
                               int64_t rows, ArrayRef<Value> values) {
  if (!hasLongEpilogue || values.size() == 1) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t v = 0; v < panel.vectors; ++v)
        finish(panel, index.add(row, index.constant(i)), v,
               values[i * panel.vectors + v]);
    return;
  }
  for (auto [i, value] : llvm::enumerate(values))
    vector::StoreOp::create(b, loc, value, tileScratch,
                            index.value(vectorAt(i)));
  carryLoop(index, index.constant(0), index.constant(rows), 1, {},
            [&](OpFoldResult i, ValueRange) {
              for (int64_t v = 0; v < panel.vectors; ++v) {
                OpFoldResult at = index.mul(i, width(panel));
                at = index.add(at, vectorAt(v));
                Value value = vector::LoadOp::create(
                    b, loc, vectorOf(sum), tileScratch, index.value(at));
                finish(panel, index.add(row, i), v, value);
              }
              return SmallVector<Value>();
            });
}

/// The epilogue of one vector of sums, and its results to memory.
void MatmulEmitter::finish(const MatmulPanel &panel, OpFoldResult row,
                           int64_t vector, Value value) {
  OpFoldResult column = index.add(panel.column, vectorAt(vector));
  Value mask = isMasked(panel, vector) ? panel.mask : Value();
  auto addressOf = [&](const LoopOperand &o, OpFoldResult base) {
    base = index.add(base, index.mul(row, o.step[m]));
    return index.add(base, index.mul(column, o.step[n]));
  };
  auto offsetsOf = [&](const LoopOperand &o) -> Value {
    VectorType type = vectorOf(b.getIndexType());
    Value steps = vector::StepOp::create(b, loc, type);
    return arith::MulIOp::create(
        b, loc, steps,
        vector::BroadcastOp::create(b, loc, type, index.value(o.step[n])));
  };
  SmallVector<Value> values;
  Block &block = op.getEpilogue().front();
  for (auto [i, extra] : llvm::enumerate(extras)) {
    if (block.getArgument(i + 1).use_empty()) {
      values.push_back(Value());
      continue;
    }
    if (extra.scalar) {
      values.push_back(extra.scalar);
      continue;
    }
    OpFoldResult address = addressOf(extra, extraBases[i]);
    if (isIndex(extra.step[n], 0)) {
      values.push_back(
          memref::LoadOp::create(b, loc, extra.memory, index.value(address)));
    } else if (isIndex(extra.step[n], 1)) {
      values.push_back(load(extra.memory, extra.element, address, mask));
    } else {
      Value start = index.value(address), offsets = offsetsOf(extra);
      Value live = mask ? mask : maskOf(index.constant(lanes));
      Value none = zeros(extra.element);
      values.push_back(vector::GatherOp::create(b, loc, vectorOf(extra.element),
                                                extra.memory, start, offsets,
                                                live, none));
    }
  }
  Value made = emitEpilogue(b, loc, op, value, values);
  Value address = index.value(addressOf(result, resultBase));
  if (!isIndex(result.step[n], 1) && !isIndex(extent[n], 1)) {
    Value offsets = offsetsOf(result);
    vector::ScatterOp::create(b, loc, Type(), result.memory, address, offsets,
                              mask ? mask : maskOf(index.constant(lanes)),
                              made);
  } else if (mask) {
    storeMasked(b, loc, result.memory, address, mask, made);
  } else {
    vector::StoreOp::create(b, loc, made, result.memory, address);
  }
}

/// The product; where the number of rows is open, a single row or two may have
/// tiles of their own.
void MatmulEmitter::emitWithFewRows() {
  if (!s.getSingleRow() || getConstantIntValue(extent[m]))
    return emitProduct();
  auto emitFew = [&](int64_t rows, int64_t columns) {
    llvm::SaveAndRestore few(
        s, kernel::MatmulScheduleAttr::get(
               b.getContext(), rows, columns, /*depth=*/0, /*block=*/0,
               /*rows_outside=*/false, s.getPrefetch(), /*copy=*/false,
               /*widen=*/false, s.getByElement(), /*single_row=*/0,
               /*two_rows=*/0, /*each_rest=*/false));
    llvm::SaveAndRestore all(extent[m], index.constant(rows));
    emitProduct();
  };
  auto emitMore = [&] {
    if (!s.getTwoRows())
      return emitProduct();
    emitEither(
        index, arith::CmpIPredicate::eq, extent[m], index.constant(2),
        [&] { emitFew(2, s.getTwoRows()); }, [&] { emitProduct(); });
  };
  emitEither(
      index, arith::CmpIPredicate::eq, extent[m], index.constant(1),
      [&] { emitFew(1, s.getSingleRow()); }, emitMore);
}

void MatmulEmitter::emit() {
  prepare();
  bool dots = !isPacked() && isIndex(rhs.step[k], 1) &&
              isIndex(lhs.step[k], 1) && !isIndex(rhs.step[n], 1);
  std::optional<int64_t> rows = getConstantIntValue(extent[m]);
  if (!dots || (rows && *rows > kFewRows)) {
    emitWithFewRows();
    return;
  }
  if (rows) {
    emitDots();
    return;
  }
  emitEither(
      index, arith::CmpIPredicate::sle, extent[m], index.constant(kFewRows),
      [&] { emitDots(); }, [&] { emitProduct(); });
}

void onnxc::emitVectors(OpBuilder &b, kernel::MatmulOp op,
                        kernel::MatmulScheduleAttr schedule,
                        TargetAttr target) {
  MatmulEmitter(b, op, schedule, target).emit();
}
