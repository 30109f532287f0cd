//===- DotPanels.cpp - Weights that are prepared once for many rows -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread goes through the weights of a tile's columns once, then all its rows
// read what was made of them. If pairs of 16-bit numbers are multiplied, that
// is the weights as such. If some dot products need them, or sums of 16 bits
// hold several, it is an order: first all that bytes can do, as many at once as
// may be, then the others, so that loops without a branch run. Sums of integers
// are the same in any order.
//
//===----------------------------------------------------------------------===//

#include "DotLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <functional>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::dots;

/// Elements of the weights of one dot product that are prepared: of 16 bits for
/// each weight, or the places of image and weights.
int64_t DotLoops::getPreparedStep(int64_t vectors) {
  return pairs == Pairs::Described ? 2 : 4 * lanes * vectors;
}

/// The weights from byte 2 * `half` of each dot product on, two of them as
/// 16-bit numbers.
Value DotLoops::widenWeights(Value bytes, int64_t half) {
  VectorType words = vectorOf(b.getI16Type(), 2 * lanes);
  Value zeros =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(bytes.getType()));
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t i = 0; i < 2; ++i)
      order.append({4 * lanes, 4 * lane + 2 * half + i});
  Value high = vector::ShuffleOp::create(b, loc, bytes, zeros, order);
  Value both = vector::BitCastOp::create(b, loc, words, high);
  Value eight = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(words, b.getI16IntegerAttr(8)));
  return arith::ShRSIOp::create(b, loc, both, eight);
}

void DotLoops::widenPanel(Place place, int64_t vectors) {
  int64_t ofDot = op.getPanelWidth() * group;
  carryLoop(index, index.constant(0), index.constant(panelBytes / ofDot), 1, {},
            [&](OpFoldResult dot, ValueRange) {
              Place from = place;
              from.filter = index.add(place.filter, index.mul(dot, ofDot));
              OpFoldResult to = index.mul(dot, getPreparedStep(vectors));
              for (int64_t v = 0; v < vectors; ++v) {
                Value bytes = loadWeights(from, v);
                for (int64_t half = 0; half < 2; ++half) {
                  int64_t offset = (half * vectors + v) * 2 * lanes;
                  Value at = index.value(index.add(to, index.constant(offset)));
                  Value words = widenWeights(bytes, half);
                  vector::StoreOp::create(b, loc, words, prepared.memory, at);
                }
              }
              return SmallVector<Value>();
            });
}

/// Calls `visit` for all dot products of a panel.
SmallVector<Value> DotLoops::visitDots(
    unsigned level, const Place &place, ValueRange carried,
    function_ref<SmallVector<Value>(const Place &, ValueRange)> visit) {
  if (level == taps.size())
    return visit(place, carried);
  return carryLoop(index, index.constant(0), index.constant(taps[level].extent),
                   1, carried, [&](OpFoldResult at, ValueRange next) {
                     return visitDots(level + 1, step(place, taps[level], at),
                                      next, visit);
                   });
}

void DotLoops::storePlace(const Place &place, OpFoldResult number) {
  OpFoldResult at = index.mul(number, 2);
  for (OpFoldResult value : {place.base[0], place.filter}) {
    Value stored = index.value(value), where = index.value(at);
    memref::StoreOp::create(b, loc, stored, prepared.memory, where);
    at = index.add(at, index.constant(1));
  }
}

/// First those that bytes can do, each by itself, then the others from the end
/// on.
void DotLoops::separatePanel(const Place &panel, int64_t vectors) {
  int64_t last = op.countDots() - 1;
  Place start = panel;
  start.base[0] = start.filter = index.constant(0);
  Value zero = index.value(index.constant(0));
  Value narrow =
      visitDots(
          0, start, {zero, zero},
          [&](const Place &place, ValueRange counts) -> SmallVector<Value> {
            Value wide = isWide(place, vectors), narrow = counts[0];
            OpFoldResult behind = index.sub(index.constant(last), counts[1]);
            storePlace(place, arith::SelectOp::create(
                                  b, loc, wide, index.value(behind), narrow)
                                  .getResult());
            Value isOne =
                arith::IndexCastUIOp::create(b, loc, b.getIndexType(), wide);
            Value one = index.value(index.constant(1));
            Value isOther = arith::SubIOp::create(b, loc, one, isOne);
            return {arith::AddIOp::create(b, loc, narrow, isOther),
                    arith::AddIOp::create(b, loc, counts[1], isOne)};
          })
          .front();
  ends = {narrow};
}

/// As the kernel's `order` has them.
void DotLoops::readOrder(const Place &panel) {
  auto read = [&](OpFoldResult at) -> Value {
    Value number = memref::LoadOp::create(
        b, loc, order.memory, index.value(index.add(panel.order, at)));
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), number);
  };
  constexpr int64_t parts = kernel::IntegerDotOp::kOrderParts;
  ends.clear();
  for (int64_t i = 0; i < parts; ++i)
    ends.push_back(read(index.constant(i)));
  Place start = panel;
  start.base[0] = start.filter = index.constant(0);
  visitDots(0, start, {}, [&](const Place &place, ValueRange) {
    OpFoldResult number = index.sub(place.wide, panel.wide);
    storePlace(place, read(index.add(number, index.constant(parts))));
    return SmallVector<Value>();
  });
}

/// A dot product whose sums of two products 16 bits hold if channels change
/// their places.
SmallVector<Value> DotLoops::multiplyExchanged(const Place &place,
                                               ArrayRef<int64_t> channels,
                                               int64_t rows, int64_t vectors,
                                               ValueRange sums) {
  SmallVector<int64_t> from;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t channel : channels)
      from.push_back(4 * lane + channel);
  auto exchange = [&](Value bytes) -> Value {
    return vector::ShuffleOp::create(b, loc, bytes, bytes, from);
  };
  SmallVector<Value> columns, results(sums);
  for (int64_t v = 0; v < vectors; ++v)
    columns.push_back(exchange(loadWeights(place, v)));
  for (int64_t r = 0; r < rows; ++r) {
    Value pixels = exchange(loadPixels(place, r));
    for (int64_t v = 0; v < vectors; ++v) {
      Value &sum = results[r * vectors + v];
      sum = addPairs(sum, multiplyBytes(pixels, columns[v]));
    }
  }
  return results;
}

/// Dot products whose sums of two products 16 bits hold together.
SmallVector<Value> DotLoops::multiplyTogether(ArrayRef<Place> places,
                                              int64_t rows, int64_t vectors,
                                              ValueRange sums) {
  SmallVector<Value> columns, results(sums);
  for (const Place &place : places)
    for (int64_t v = 0; v < vectors; ++v)
      columns.push_back(loadWeights(place, v));
  for (int64_t r = 0; r < rows; ++r) {
    SmallVector<Value> all(vectors);
    for (auto [i, place] : llvm::enumerate(places)) {
      Value pixels = loadPixels(place, r);
      for (int64_t v = 0; v < vectors; ++v) {
        Value two = multiplyBytes(pixels, columns[i * vectors + v]);
        all[v] = i == 0 ? two : arith::AddIOp::create(b, loc, all[v], two);
      }
    }
    for (int64_t v = 0; v < vectors; ++v) {
      Value &sum = results[r * vectors + v];
      sum = addPairs(sum, all[v]);
    }
  }
  return results;
}

/// All dot products, as the panel's order says.
SmallVector<Value> DotLoops::sumInOrder(const Place &place, int64_t rows,
                                        int64_t vectors, ValueRange sums) {
  int64_t ofDot = op.getPanelWidth() * group;
  auto placeOf = [&](OpFoldResult number) {
    auto read = [&](int64_t i) -> OpFoldResult {
      OpFoldResult at = index.add(index.mul(number, 2), index.constant(i));
      return memref::LoadOp::create(b, loc, prepared.memory, index.value(at))
          .getResult();
    };
    Place here = place;
    here.base[0] = index.add(place.base[0], read(0));
    here.filter = index.add(place.filter, read(1));
    here.ahead =
        index.add(place.ahead, index.mul(number, ofDot / panelVectors));
    fetch(here, rows);
    return here;
  };
  SmallVector<Value> results(sums);
  OpFoldResult from = index.constant(0);
  auto part = [&](OpFoldResult end, int64_t size, auto multiply) {
    results = carryLoop(index, from, end, size, results,
                        [&](OpFoldResult number, ValueRange carried) {
                          SmallVector<Place> places;
                          for (int64_t i = 0; i < size; ++i)
                            places.push_back(
                                placeOf(index.add(number, index.constant(i))));
                          return multiply(places, carried);
                        });
    from = end;
  };
  auto together = [&](ArrayRef<Place> places, ValueRange carried) {
    return multiplyTogether(places, rows, vectors, carried);
  };
  bool isOrdered = usesOrder(vectors);
  int64_t most = isOrdered ? kernel::IntegerDotOp::kMostTogether : 1;
  for (int64_t size = most; size >= 1; --size)
    part(ends[most - size], size, together);
  if (!wide.memory)
    return results;
  for (int64_t i = 0, e = kernel::IntegerDotOp::kExchanges.size();
       isOrdered && i < e; ++i)
    part(ends[most + i], 1, [&](ArrayRef<Place> places, ValueRange carried) {
      return multiplyExchanged(places.front(),
                               kernel::IntegerDotOp::kExchanges[i], rows,
                               vectors, carried);
    });
  part(index.constant(op.countDots()), 1,
       [&](ArrayRef<Place> places, ValueRange carried) {
         return multiplyWords(places.front(), rows, vectors, carried);
       });
  return results;
}

/// Pairs of 16-bit numbers, of an image that has them.
SmallVector<Value> DotLoops::multiplyWidened(const Place &place, int64_t rows,
                                             int64_t vectors, ValueRange sums) {
  const LoopOperand &image = operands.front();
  SmallVector<Value> results(sums);
  for (int64_t part = 0; part < 2; ++part) {
    SmallVector<Value> columns;
    for (int64_t v = 0; v < vectors; ++v) {
      int64_t at = (part * vectors + v) * 2 * lanes;
      columns.push_back(
          prepared.memory
              ? load(prepared, index.add(place.prepared, index.constant(at)),
                     2 * lanes, 2 * lanes)
              : widenWeights(loadWeights(place, v), part));
    }
    for (int64_t r = 0; r < rows; ++r) {
      OpFoldResult at =
          index.add(placeOfRow(place, r), index.constant(2 * part));
      Value pixels = repeat(load(image, at, 2, 2));
      for (int64_t v = 0; v < vectors; ++v) {
        Value &sum = results[r * vectors + v];
        sum = arith::AddIOp::create(b, loc, sum,
                                    multiplyPairs(pixels, columns[v]));
      }
    }
  }
  return results;
}

/// Which loop over rows, and in how many pieces, so that each thread has some
/// where tiles of columns are few; a piece has enough rows for what it
/// prepares.
std::pair<unsigned, int64_t> DotLoops::chooseParts(int64_t tiles) {
  std::pair<unsigned, int64_t> best(0, 1);
  SaturatingInt inside = 1;
  for (unsigned loop = extents.size(); loop-- > 0;) {
    std::optional<int64_t> extent = getConstantIntValue(extents[loop]);
    if (!extent)
      continue;
    if (loop + 1 < extents.size()) {
      int64_t least = llvm::divideCeil(
                  std::max<int64_t>(schedule.getPrepared(), 1), inside),
              parts = std::min<int64_t>(llvm::divideCeil(kFewPanels, tiles),
                                        *extent / std::max<int64_t>(least, 1));
      if (parts > best.second)
        best = {loop, parts};
    }
    inside *= *extent;
  }
  return best;
}

/// As emitPanels, but a thread prepares the weights of a tile of columns, or
/// tile registers, then has all rows or a part of them.
void DotLoops::emitPrepared(int64_t first, int64_t count, int64_t vectors,
                            int64_t live) {
  int64_t groups = op.getGroups();
  auto [divided, parts] = chooseParts(count * groups);
  OpFoldResult ofPart = index.ceilDiv(extents[divided], parts);
  std::array<OpFoldResult, 3> loops{
      index.constant(groups), index.constant(count), index.constant(parts)};
  bool ofTiles = schedule.getTiles();
  bool isOrder = pairs == Pairs::Described;
  Type element = isOrder ? Type(b.getIndexType()) : Type(b.getI16Type());
  auto type =
      MemRefType::get({op.countDots() * getPreparedStep(vectors)}, element);
  preparedVectors = vectors;
  parallelLoop(index, loops, 0, [&](ArrayRef<OpFoldResult> at) {
    Place place = placeOfPanel(at[0], at[1], first, vectors);
    if (ofTiles) {
      prepareTiles(vectors);
    } else {
      prepared.memory = memref::AllocOp::create(
          b, loc, type, b.getI64IntegerAttr(target.getVectorBytes()));
      prepared.element = element;
      if (!isOrder)
        widenPanel(place, vectors);
      else if (usesOrder(vectors))
        readOrder(place);
      else
        separatePanel(place, vectors);
    }
    std::function<void(unsigned, const Place &)> visit =
        [&](unsigned loop, const Place &here) {
          if (loop + 1 == extents.size())
            return coverRows(here, vectors, live);
          OpFoldResult from = index.constant(0), to = extents[loop];
          if (parts > 1 && loop == divided) {
            from = index.mul(at[2], ofPart);
            to = index.min(index.add(from, ofPart), to);
          }
          carryLoop(index, from, to, 1, {}, [&](OpFoldResult i, ValueRange) {
            visit(loop + 1, advance(here, loop, i));
            return SmallVector<Value>();
          });
        };
    visit(0, place);
    if (ofTiles)
      releaseTiles();
    areTilesConfigured = false;
    prepared = FlatBuffer();
  });
}
