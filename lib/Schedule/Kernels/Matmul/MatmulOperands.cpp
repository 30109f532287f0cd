//===- MatmulOperands.cpp - Operands that do not lie in rows --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/Halves.h"
#include "Kernels/TransposeSquare.h"
#include "MatmulEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;

/// A thread keeps columns of so many steps at most beside what it reads.
static constexpr int64_t kMostWidened = 512;

//===----------------------------------------------------------------------===//
// Copies of what lies badly
//===----------------------------------------------------------------------===//

/// Memory for `depth` steps of a panel.
Value MatmulEmitter::copyScratch(const MatmulPanel &panel, int64_t depth) {
  return s.getWiden() ? scratch(depth * s.getColumns(), sum)
                      : scratch(depth * width(panel), copiedElement());
}

MatmulPanel MatmulEmitter::copyPanel(const MatmulPanel &panel, Value scratch,
                                     MatmulDepth depth) {
  if (s.getWiden()) {
    // Panels lie in memory as they do in the scratch buffer.
    int64_t packed = op.getPanelWidth();
    OpFoldResult from =
        index.add(panel.base, index.mul(depth.from, panel.rowStep));
    int64_t panels = llvm::divideCeil(panel.vectors * lanes, packed),
            most =
                s.getDepth() ? s.getDepth() : *getConstantIntValue(extent[k]);
    OpFoldResult count = index.mul(depth.count, packed);
    for (int64_t i = 0; i < panels; ++i) {
      OpFoldResult start = index.add(from, index.mul(panelStep, i));
      emitWidening(index, panel.memory, start, count, lanes, scratch,
                   i * most * packed);
    }
    MatmulPanel widened = panel;
    widened.memory = scratch;
    widened.element = sum;
    widened.panelStep = index.constant(most * packed);
    widened.base = index.mul(index.sub(index.constant(0), depth.from), packed);
    return widened;
  }
  if (isIndex(rhs.step[n], 1))
    copyRows(panel, scratch, depth);
  else if (isIndex(rhs.step[k], 1))
    copyTransposed(panel, scratch, depth);
  else
    copyElements(panel, scratch, depth);
  MatmulPanel copied = panel;
  copied.memory = scratch;
  copied.element = copiedElement();
  copied.rowStep = index.constant(width(panel));
  copied.base =
      index.mul(index.sub(index.constant(0), depth.from), width(panel));
  copied.padded = true;
  return copied;
}

void MatmulEmitter::copyRows(const MatmulPanel &panel, Value scratch,
                             MatmulDepth depth) {
  carryLoop(
      index, index.constant(0), depth.count, 1, {},
      [&](OpFoldResult step, ValueRange) {
        OpFoldResult from = index.add(
            panel.base, index.mul(index.add(step, depth.from), panel.rowStep));
        OpFoldResult to = index.mul(step, width(panel));
        for (int64_t v = 0; v < panel.vectors; ++v) {
          Value row = toCopy(load(panel.memory, rhs.element,
                                  index.add(from, vectorAt(v)),
                                  isMasked(panel, v) ? panel.mask : Value()));
          vector::StoreOp::create(b, loc, row, scratch,
                                  index.value(index.add(to, vectorAt(v))));
        }
        return SmallVector<Value>();
      });
}

/// Columns lie in rows of memory: squares of lanes x lanes are transposed in
/// registers. What lies behind the last column is a copy of it.
void MatmulEmitter::copyTransposed(const MatmulPanel &panel, Value scratch,
                                   MatmulDepth depth) {
  OpFoldResult last = index.sub(extent[n], index.constant(1));
  auto square = [&](int64_t v, OpFoldResult step, OpFoldResult live,
                    bool masked) {
    SmallVector<Value> rows;
    Value mask = masked ? maskOf(live) : Value();
    for (int64_t lane = 0; lane < lanes; ++lane) {
      OpFoldResult column =
          index.add(panel.column, index.constant(v * lanes + lane));
      if (isMasked(panel, v))
        column = index.min(column, last);
      OpFoldResult address = index.add(rhsBase, index.mul(column, rhs.step[n]));
      address = index.add(address, index.add(step, depth.from));
      rows.push_back(toCopy(load(panel.memory, rhs.element, address, mask)));
    }
    return transposeSquare(index, std::move(rows));
  };
  auto store = [&](Value row, int64_t v, OpFoldResult step) {
    OpFoldResult at = index.mul(step, width(panel));
    at = index.add(at, vectorAt(v));
    vector::StoreOp::create(b, loc, row, scratch, index.value(at));
  };
  OpFoldResult whole = index.mul(index.floorDiv(depth.count, lanes), lanes);
  carryLoop(index, index.constant(0), whole, lanes, {},
            [&](OpFoldResult step, ValueRange) {
              for (int64_t v = 0; v < panel.vectors; ++v)
                for (auto [i, row] :
                     llvm::enumerate(square(v, step, {}, false)))
                  store(row, v, index.add(step, index.constant(i)));
              return SmallVector<Value>();
            });
  // Rows behind the last step are not stored: the scratch ends there.
  carryLoop(
      index, whole, depth.count, lanes, {}, [&](OpFoldResult step, ValueRange) {
        OpFoldResult live = index.sub(depth.count, step);
        for (int64_t v = 0; v < panel.vectors; ++v)
          for (auto [i, row] : llvm::enumerate(square(v, step, live, true))) {
            OpFoldResult from = index.add(step, index.constant(i));
            OpFoldResult to =
                index.min(depth.count, index.add(step, index.constant(i + 1)));
            carryLoop(index, from, to, 1, {},
                      [&, row = row](OpFoldResult at, ValueRange) {
                        store(row, v, at);
                        return SmallVector<Value>();
                      });
          }
        return SmallVector<Value>();
      });
}

void MatmulEmitter::copyElements(const MatmulPanel &panel, Value scratch,
                                 MatmulDepth depth) {
  OpFoldResult last = index.sub(extent[n], index.constant(1));
  carryLoop(
      index, index.constant(0), depth.count, 1, {},
      [&](OpFoldResult step, ValueRange) {
        OpFoldResult row = index.add(
            rhsBase, index.mul(index.add(step, depth.from), rhs.step[k]));
        carryLoop(
            index, index.constant(0), index.constant(width(panel)), 1, {},
            [&](OpFoldResult lane, ValueRange) {
              OpFoldResult column =
                  index.min(index.add(panel.column, lane), last);
              Value element = toCopy(memref::LoadOp::create(
                  b, loc, panel.memory,
                  index.value(index.add(row, index.mul(column, rhs.step[n])))));
              memref::StoreOp::create(
                  b, loc, element, scratch,
                  index.value(index.add(index.mul(step, width(panel)), lane)));
              return SmallVector<Value>();
            });
        return SmallVector<Value>();
      });
}

//===----------------------------------------------------------------------===//
// Few rows times columns that lie in rows of memory
//===----------------------------------------------------------------------===//

/// No longer than what is fetched ahead into the first level of the cache.
static constexpr int64_t kShortColumnBytes = 768;

/// Partial sums lie in the lanes: one vector of them for each column.
Value MatmulEmitter::emitDot(OpFoldResult row, const MatmulDots &columns,
                             bool isFirst) {
  int64_t bytes = rhs.element.getIntOrFloatBitWidth() / 8;
  OpFoldResult x = index.add(lhsBase, index.mul(row, lhs.step[m]));
  // What comes soon after a step of a long column is more of it, of a short one
  // the same step of the columns behind all these.
  std::optional<int64_t> apart = getConstantIntValue(rhs.step[n]),
                         length = getConstantIntValue(extent[k]);
  int64_t unit = 1;
  if (apart && *apart > 0 && length && *length * bytes <= kShortColumnBytes)
    unit = *apart * bytes * lanes;
  auto steps = [&](OpFoldResult from, OpFoldResult to, bool masked,
                   ValueRange sums) {
    return carryLoop(
        index, from, to, lanes, sums, [&](OpFoldResult at, ValueRange carried) {
          Value mask = masked ? maskOf(index.sub(to, at)) : Value();
          Value common =
              extend(load(lhs.memory, lhs.element, index.add(x, at), mask),
                     op.getLhsUnsigned());
          SmallVector<Value> next;
          // Other rows find the columns near.
          if (isFirst && !masked)
            for (OpFoldResult start : columns.starts)
              prefetchStream(
                  index, TargetAttr::of(op), columns.memory,
                  [&](int64_t distance) {
                    return index.add(index.add(start, at),
                                     index.constant(distance / bytes));
                  },
                  unit);
          for (auto [i, start] : llvm::enumerate(columns.starts)) {
            Value column = extendRhs(load(columns.memory, columns.element,
                                          index.add(start, at), mask));
            next.push_back(multiplyAdd(common, column, carried[i]));
            if (columns.widened)
              vector::StoreOp::create(
                  b, loc, column, columns.widened,
                  index.value(
                      index.add(at, index.constant(i * columns.apart))));
          }
          return next;
        });
  };
  OpFoldResult whole = index.mul(index.floorDiv(extent[k], lanes), lanes);
  SmallVector<Value> sums(columns.starts.size(), zeros(sum));
  sums = steps(index.constant(0), whole, false, sums);
  sums = steps(whole, extent[k], true, sums);

  // Halves the vectors until the one that is left has the sum of each column
  // in its lane.
  SmallVector<int64_t> even, odd;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    even.push_back(2 * lane);
    odd.push_back(2 * lane + 1);
  }
  while (sums.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i < sums.size(); i += 2) {
      Value x = vector::ShuffleOp::create(b, loc, sums[i], sums[i + 1], even);
      Value y = vector::ShuffleOp::create(b, loc, sums[i], sums[i + 1], odd);
      next.push_back(isa<FloatType>(sum)
                         ? arith::AddFOp::create(b, loc, x, y).getResult()
                         : arith::AddIOp::create(b, loc, x, y).getResult());
    }
    sums = next;
  }
  return sums.front();
}

/// Halves are widened once, by the first row, where a few cache lines have room
/// for that. Returns what the other rows read.
MatmulDots MatmulEmitter::widenForOthers(MatmulDots &first) {
  std::optional<int64_t> rows = getConstantIntValue(extent[m]),
                         steps = getConstantIntValue(extent[k]);
  if (!isHalf(rhs.element) || rows == 1 || !steps || *steps > kMostWidened)
    return first;
  first.apart = llvm::alignTo(*steps, lanes);
  first.widened = scratch(lanes * first.apart, sum);
  MatmulDots others;
  others.memory = first.widened;
  others.element = sum;
  for (int64_t lane = 0; lane < lanes; ++lane)
    others.starts.push_back(index.constant(lane * first.apart));
  return others;
}

void MatmulEmitter::emitDots() {
  SmallVector<OpFoldResult> loops(ArrayRef<OpFoldResult>(extent).take_front(m));
  loops.push_back(index.ceilDiv(extent[n], lanes));
  std::optional<int64_t> columns = getConstantIntValue(extent[n]);
  bool exact = columns && *columns % lanes == 0;
  parallelLoop(index, loops, 0, [&](ArrayRef<OpFoldResult> at) {
    enter(at.take_front(m));
    MatmulPanel panel;
    panel.column = index.mul(at.back(), lanes);
    if (!exact)
      panel.mask = maskOf(index.sub(extent[n], panel.column));
    OpFoldResult last = index.sub(extent[n], index.constant(1));
    MatmulDots first;
    first.memory = rhs.memory;
    first.element = rhs.element;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      OpFoldResult column = index.add(panel.column, index.constant(lane));
      if (!exact)
        column = index.min(column, last);
      first.starts.push_back(
          index.add(rhsBase, index.mul(column, rhs.step[n])));
    }
    MatmulDots others = widenForOthers(first);
    auto emitRow = [&](OpFoldResult row, bool isFirst) {
      finish(panel, row, 0, emitDot(row, isFirst ? first : others, isFirst));
    };
    // Of no rows there is no first one.
    if (std::optional<int64_t> rows = getConstantIntValue(extent[m]);
        rows && *rows > 0)
      emitRow(index.constant(0), true);
    else
      carryLoop(index, index.constant(0),
                index.min(extent[m], index.constant(1)), 1, {},
                [&](OpFoldResult row, ValueRange) {
                  emitRow(row, true);
                  return SmallVector<Value>();
                });
    carryLoop(index, index.constant(1), extent[m], 1, {},
              [&](OpFoldResult row, ValueRange) {
                emitRow(row, false);
                return SmallVector<Value>();
              });
  });
}
