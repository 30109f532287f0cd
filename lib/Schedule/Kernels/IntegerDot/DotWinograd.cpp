//===- DotWinograd.cpp - Windows of bytes by minimal filtering ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transformed by matrices of whole numbers, pixels and weights fit into 16
// bits, and pairs of channels are multiplied to sums of 32 bits, modulo 2^32.
// What comes out is 24 * 24 = 9 * 2^6 times the sum: times the inverse of 9,
// and shifted to the right, it is the sum itself, if that has 26 bits. So the
// results are exact, whatever overflows on the way.
//
// An element of the transformed operands is a pair of neighbouring channels.
//
//===----------------------------------------------------------------------===//

#include "DotLoops.h"
#include "DotWinogradSchedule.h"
#include "Kernels/QuantizedFactor.h"
#include "Kernels/Winograd/WinogradLoops.h"

#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::dots;
using namespace onnxc::winograd;

namespace {

class DotWinograd : DotLoops, WinogradLoops {
public:
  DotWinograd(OpBuilder &b, kernel::IntegerDotOp op,
              kernel::WinogradScheduleAttr schedule, TargetAttr target)
      : DotLoops(b, op, getDirect(op, schedule, target), target),
        WinogradLoops(index, schedule, WindowFiltering::getWhole()),
        depth(schedule.getDepth()), tileVectors(schedule.getBlocks()),
        sharesOfGroup(op.countPairs() / depth),
        pixelWords(vectorOf(b.getI16Type(), kPair * lanes)) {}

  void emit();

private:
  static kernel::IntegerDotScheduleAttr
  getDirect(kernel::IntegerDotOp op, kernel::WinogradScheduleAttr schedule,
            TargetAttr target) {
    if (kernel::ScheduleInterface direct = schedule.getDirect())
      return cast<kernel::IntegerDotScheduleAttr>(direct);
    return selectSchedule(op, target);
  }

  void transformSquares(const Run &run, const RowPart &part,
                        OpFoldResult ofGroup, OpFoldResult share) override;
  void transformWeights(const Panel &panel, OpFoldResult share,
                        OpFoldResult at) override;
  Value multiplyAdd(Value pixels, Value weights, Value sum) override;
  Value addSums(Value x, Value y) override;
  void finishSquare(const Panel &panel, OpFoldResult square,
                    const Corner &corner) override;
  void finishRow(const Panel &panel, const Corner &corner, OpFoldResult row,
                 Value halves);

  SmallVector<OpFoldResult> placesOf(OpFoldResult first, int64_t count,
                                     unsigned dim, bool areWhole);
  void storePlaces(ArrayRef<Value> words, Value memory, OpFoldResult at,
                   int64_t ofPlace);
  void transformSquare(ArrayRef<OpFoldResult> rowPlaces,
                       ArrayRef<OpFoldResult> columnPlaces, OpFoldResult from,
                       OpFoldResult to);
  OpFoldResult placeOfWeights(const Panel &panel, int64_t j);
  Value divide(Value sum);
  Value asWords(Value elements) {
    return vector::BitCastOp::create(b, loc, pixelWords, elements);
  }
  Value asElements(Value words) {
    return vector::BitCastOp::create(b, loc, vectorOf(b.getI32Type(), lanes),
                                     words);
  }

  int64_t depth, tileVectors, sharesOfGroup;
  int64_t columnsOfGroup = 0, packedOfGroup = 0; // packed panels
  VectorType pixelWords;
};

} // namespace

/// How far `count` neighbours along dimension `dim` of the image lie from its
/// start; behind its end, where only results that are not there read, those of
/// the last one.
SmallVector<OpFoldResult> DotWinograd::placesOf(OpFoldResult first,
                                                int64_t count, unsigned dim,
                                                bool areWhole) {
  const LoopOperand &image = operands.front();
  OpFoldResult last = index.sub(image.sizes[dim], index.constant(1));
  SmallVector<OpFoldResult> places;
  for (int64_t i = 0; i < count; ++i) {
    OpFoldResult at = index.add(first, index.constant(i));
    places.push_back(
        index.mul(areWhole ? at : index.min(at, last), image.strides[dim]));
  }
  return places;
}

/// Stores 16-bit numbers of all places, which lie `ofPlace` elements apart.
void DotWinograd::storePlaces(ArrayRef<Value> words, Value memory,
                              OpFoldResult at, int64_t ofPlace) {
  for (auto [i, place] : llvm::enumerate(words)) {
    Value elements = asElements(place);
    storeBlock(elements, memory,
               index.add(at, index.constant(int64_t(i) * ofPlace)));
  }
}

/// All channels of a share of a square whose pixels lie at these rows and
/// columns behind `from`.
void DotWinograd::transformSquare(ArrayRef<OpFoldResult> rowPlaces,
                                  ArrayRef<OpFoldResult> columnPlaces,
                                  OpFoldResult from, OpFoldResult to) {
  overRange(
      index.constant(llvm::divideCeil(depth, lanes)), [&](OpFoldResult own) {
        // The last vector overlaps the one before if need be.
        OpFoldResult element = index.mul(own, lanes);
        if (depth % lanes != 0)
          element = index.min(element, index.constant(depth - lanes));
        OpFoldResult start = index.add(from, index.mul(element, kPair));
        SmallVector<Value> read;
        for (OpFoldResult row : rowPlaces)
          for (OpFoldResult column : columnPlaces) {
            OpFoldResult at = index.add(start, index.add(row, column));
            Value bytes =
                load(operands.front(), at, kPair * lanes, kPair * lanes);
            if (!op.isImageWidened())
              bytes =
                  extendBytes(b, loc, pixelWords, bytes, !op.getImageSigned());
            read.push_back(bytes);
          }
        OpFoldResult place = index.add(to, element);
        storePlaces(emitTwice(b, loc, filtering.rows.image,
                              filtering.columns.image, read),
                    pixels, place, pixelsOfPlace());
      });
}

void DotWinograd::transformSquares(const Run &run, const RowPart &part,
                                   OpFoldResult ofGroup, OpFoldResult share) {
  const LoopOperand &image = operands.front();
  const MinimalFiltering &ofRows = filtering.rows,
                         &ofColumns = filtering.columns;
  OpFoldResult to = index.mul(share, places * pixelsOfPlace()),
               number = index.sub(index.add(part.start, part.low), run.first);
  to = index.add(to, index.mul(number, depth));
  OpFoldResult from = index.mul(part.batch, image.strides[0]);
  from = index.add(from, index.mul(ofGroup, int64_t(op.getGroupChannels())));
  from = index.add(from, index.mul(share, depth * kPair));
  SmallVector<OpFoldResult> rowPlaces =
      placesOf(index.mul(part.row, ofRows.outputs), ofRows.points(), 1,
               areWhole(extents[1], ofRows.outputs));
  overRange(index.sub(part.high, part.low), [&](OpFoldResult square) {
    OpFoldResult column = index.add(part.low, square);
    SmallVector<OpFoldResult> columnPlaces =
        placesOf(index.mul(column, ofColumns.outputs), ofColumns.points(), 2,
                 areWhole(extents[2], ofColumns.outputs));
    transformSquare(rowPlaces, columnPlaces, from,
                    index.add(to, index.mul(square, depth)));
  });
}

/// Where the packed weights of vector `j` of a panel's filters start.
OpFoldResult DotWinograd::placeOfWeights(const Panel &panel, int64_t j) {
  // Tiles may be of several packed panels, or of a part of one.
  OpFoldResult vector = index.add(index.mul(panel.number, tileVectors),
                                  index.constant(j)),
               packed = index.floorDiv(vector, panelVectors),
               inPacked = index.sub(vector, index.mul(packed, panelVectors));
  packed = index.add(packed, index.mul(panel.group, packedOfGroup));
  OpFoldResult start = index.mul(packed, panelBytes);
  return index.add(start, index.mul(inPacked, lanes * group));
}

void DotWinograd::transformWeights(const Panel &panel, OpFoldResult share,
                                   OpFoldResult at) {
  int64_t width = panel.vectors * lanes, dots = depth / kPair;
  overRange(index.constant(dots), [&](OpFoldResult own) {
    OpFoldResult dot = index.add(index.mul(share, dots), own);
    for (int64_t j = 0; j < panel.vectors; ++j) {
      OpFoldResult from = placeOfWeights(panel, j);
      from = index.add(from, index.mul(dot, taps.back().filter));
      SmallVector<Value> bytes;
      for (int64_t y = 0; y < filtering.rows.taps; ++y)
        for (int64_t x = 0; x < filtering.columns.taps; ++x) {
          int64_t tap = y * taps[0].filter + x * taps[1].filter;
          bytes.push_back(load(filter, index.add(from, index.constant(tap)),
                               lanes * group, lanes * group));
        }
      for (int64_t half = 0; half < group / kPair; ++half) {
        SmallVector<Value> words;
        for (Value tap : bytes)
          words.push_back(widenWeights(tap, half));
        OpFoldResult element =
            index.add(index.mul(own, kPair), index.constant(half));
        OpFoldResult to =
            index.add(index.mul(element, width), index.constant(j * lanes));
        to = index.add(at, to);
        storePlaces(emitTwice(b, loc, filtering.rows.filter,
                              filtering.columns.filter, words),
                    weights, to, weightsOf(panel));
      }
    }
  });
}

Value DotWinograd::multiplyAdd(Value pixels, Value weights, Value sum) {
  Value first = asWords(pixels), second = asWords(weights);
  if (const Instruction *dotPairs =
          findInstruction(target, Capability::DotPairs, 4 * lanes))
    return callInstruction(b, loc, *dotPairs, sum.getType(),
                           {sum, first, second});
  return addSums(sum, multiplyPairs(first, second));
}

Value DotWinograd::addSums(Value x, Value y) {
  return arith::AddIOp::create(b, loc, x, y);
}

/// The inverse of an odd number modulo 2^32: each step doubles the bits that
/// are right, of which there are three at first.
static uint32_t invert(uint32_t odd) {
  uint32_t inverse = odd;
  // no overflow: of the bits, which are less than 64; products modulo 2^32
  for (int64_t bits = 3; bits < 32; bits *= 2)
    inverse = inverse * (2 - odd * inverse);
  return inverse;
}

/// A sum of which `sum` is the multiple that filtering yields.
Value DotWinograd::divide(Value sum) {
  auto type = cast<VectorType>(sum.getType());
  auto all = [&](uint32_t number) {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(type, b.getI32IntegerAttr(int32_t(number))));
  };
  uint32_t multiple = filtering.multiple(), bits = llvm::countr_zero(multiple);
  Value withoutOdd =
      arith::MulIOp::create(b, loc, sum, all(invert(multiple >> bits)));
  return arith::ShRSIOp::create(b, loc, withoutOdd, all(bits));
}

/// A row of a square's results, of which `halves` are added up along columns.
void DotWinograd::finishRow(const Panel &panel, const Corner &corner,
                            OpFoldResult row, Value halves) {
  int64_t points = filtering.columns.points(),
          outputs = filtering.columns.outputs, vectors = panel.vectors,
          width = vectors * lanes;
  Place place;
  place.base.assign(operands.size(), index.constant(0));
  OpFoldResult firstOfGroup = index.mul(panel.group, columnsOfGroup);
  place.column =
      index.add(firstOfGroup, index.mul(panel.number, tileVectors * lanes));
  OpFoldResult first[] = {corner.batch, index.add(corner.row, row),
                          corner.column};
  for (auto [loop, position] : llvm::enumerate(first))
    place = advance(place, loop, position);
  SmallVector<Value> starts = startTile(place, 1, vectors, lanes),
                     results(outputs * vectors);
  OpFoldResult from = index.mul(row, points * width);
  for (int64_t v = 0; v < vectors; ++v) {
    SmallVector<Value> read;
    for (int64_t x = 0; x < points; ++x)
      read.push_back(loadBlock(
          halves, index.add(from, index.constant(x * width + v * lanes))));
    for (auto [x, sum] :
         llvm::enumerate(emitProduct(b, loc, filtering.columns.sums, read)))
      results[x * vectors + v] = addSums(divide(sum), starts[v]);
  }
  if (isIndex(corner.columns, outputs))
    return storeTile(place, outputs, vectors, lanes, results);
  Value kept = makeScratch(outputs * width);
  for (auto [i, sum] : llvm::enumerate(results))
    storeBlock(sum, kept, index.constant(int64_t(i) * lanes));
  overRange(corner.columns, [&](OpFoldResult column) {
    SmallVector<Value> pixel;
    for (int64_t v = 0; v < vectors; ++v)
      pixel.push_back(loadBlock(kept, index.add(index.mul(column, width),
                                                index.constant(v * lanes))));
    storeTile(advance(place, 2, column), 1, vectors, lanes, pixel);
  });
}

void DotWinograd::finishSquare(const Panel &panel, OpFoldResult square,
                               const Corner &corner) {
  int64_t width = panel.vectors * lanes, ofPlace = sumsOf(panel);
  Value halves =
      makeScratch(filtering.rows.outputs * filtering.columns.points() * width);
  overRange(index.constant(panel.vectors), [&](OpFoldResult v) {
    OpFoldResult lane = index.mul(v, lanes),
                 from = index.add(index.mul(square, width), lane);
    SmallVector<Value> products;
    for (int64_t i = 0; i < places; ++i)
      products.push_back(
          loadBlock(sums, index.add(from, index.constant(i * ofPlace))));
    for (auto [i, half] : llvm::enumerate(
             winograd::emitColumns(b, loc, filtering.rows.sums, products)))
      storeBlock(half, halves,
                 index.add(lane, index.constant(int64_t(i) * width)));
  });
  overRange(corner.rows,
            [&](OpFoldResult row) { finishRow(panel, corner, row, halves); });
}

void DotWinograd::emit() {
  prepareOperands();
  columnsOfGroup = cast<MemRefType>(op.getInit().getType()).getShape().back() /
                   int64_t(op.getGroups());
  packedOfGroup = llvm::divideCeil(columnsOfGroup, op.getPanelWidth());
  // no overflow: transformed operands have some ten times the bytes of those
  // in memory
  constexpr int64_t kSquaresOfPiece = 16;
  int64_t perPiece = kSquaresOfPiece;
  if (std::optional<int64_t> known = getConstantIntValue(
          index.ceilDiv(extents[2], filtering.columns.outputs));
      known && *known <= perPiece)
    perPiece = *known;
  emitLoops({/*batches=*/extents[0],
             /*slices=*/index.constant(1),
             /*rows=*/extents[1],
             /*columns=*/extents[2],
             /*groups=*/int64_t(op.getGroups()),
             /*blocks=*/columnsOfGroup / lanes, vectorOf(b.getI32Type(), lanes),
             /*shares=*/sharesOfGroup,
             /*elementsOfSquare=*/depth, perPiece},
            [&] {
              emitVectors(b, op, cast<kernel::IntegerDotScheduleAttr>(schedule),
                          target);
            });
}

void onnxc::emitWinograd(OpBuilder &b, kernel::IntegerDotOp op,
                         kernel::WinogradScheduleAttr schedule,
                         TargetAttr target) {
  DotWinograd(b, op, schedule, target).emit();
}
