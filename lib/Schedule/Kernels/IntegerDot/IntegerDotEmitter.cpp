//===- IntegerDotEmitter.cpp - The loops of kernel.integer_dot ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Panels of columns outermost, then rows: a panel of weights stays in a near
// cache while the image streams by, and the next one is fetched meanwhile.
// Depthwise, there is nothing to keep: channels go innermost (DotDepthwise.cpp
// has the sums).
//
//===----------------------------------------------------------------------===//

#include "DotLoops.h"
#include "Kernels/Epilogue.h"
#include "Kernels/QuantizedFactor.h"

#include "onnxc/Support/SaturatingInt.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::dots;

Pairs DotLoops::selectPairs() {
  if (op.isImageWidened())
    return Pairs::Widened;
  if (!multipliesBytes(op, target))
    return Pairs::Words;
  return (op.getWide() || op.getOrder()) && !dotsBytes(op, target)
             ? Pairs::Described
             : Pairs::Bytes;
}

void DotLoops::addOperand(Value value, AffineMap map) {
  operands.push_back(makeLoopOperand(index, value, map));
  maps.push_back(map);
}

/// True if all operands walk `loop` and the one behind it as one.
bool DotLoops::isMergeable(unsigned loop) {
  auto follows = [&](Value value, AffineMap map, const LoopOperand &operand) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type || (!map.isFunctionOfDim(loop) && !map.isFunctionOfDim(loop + 1)))
      return true;
    if (!map.isFunctionOfDim(loop) || !map.isFunctionOfDim(loop + 1))
      return false;
    auto position = [&](unsigned d) {
      return map.getResultPosition(b.getAffineDimExpr(d));
    };
    std::optional<unsigned> first = position(loop), second = position(loop + 1);
    if (!first || !second)
      return false;
    if (*second == *first + 1 && type.getLayout().isIdentity())
      return true;
    std::optional<int64_t> outer = getConstantIntValue(operand.step[loop]),
                           inner = getConstantIntValue(operand.step[loop + 1]),
                           size = getConstantIntValue(extents[loop + 1]);
    return outer && inner && size && *outer == *inner * *size;
  };
  unsigned first = op.getImageMutable().getOperandNumber();
  SmallVector<Value> values{op->getOperand(first)};
  llvm::append_range(values, op.getExtras());
  values.push_back(op.getInit());
  for (auto [value, map, operand] : llvm::zip_equal(values, maps, operands))
    if (!follows(value, map, operand))
      return false;
  return true;
}

/// Rows of a matrix product may be spread over several dimensions: joined as
/// long as they are few or their number is not known.
void DotLoops::mergeRows() {
  constexpr int64_t kEnoughRows = 24;
  while (extents.size() > 1) {
    unsigned loop = extents.size() - 2;
    std::optional<int64_t> rows = getConstantIntValue(extents[loop + 1]);
    bool known = getConstantIntValue(extents[loop]).has_value();
    if ((rows && (*rows >= kEnoughRows || (!known && *rows > 4))) ||
        !isMergeable(loop))
      return;
    extents[loop] = index.mul(extents[loop], extents[loop + 1]);
    extents.pop_back();
    for (LoopOperand &operand : operands)
      operand.step.erase(operand.step.begin() + loop);
    for (AffineMap &map : maps) {
      // The loop that went is not walked any more, those behind move up.
      SmallVector<AffineExpr> dims;
      for (unsigned d = 0; d < map.getNumDims(); ++d)
        dims.push_back(d == loop ? b.getAffineConstantExpr(0)
                                 : b.getAffineDimExpr(d - (d > loop)));
      map = map.replaceDimsAndSymbols(dims, {}, map.getNumDims() - 1, 0);
    }
  }
}

int64_t DotLoops::chooseRows(int64_t vectors) {
  int64_t most = schedule.getRows();
  if (schedule.getTiles())
    most = std::min(most, kTileRows * chooseRegisters(vectors).rowTiles);
  std::optional<int64_t> rows = getConstantIntValue(extents.back());
  if (!rows) {
    int64_t few = std::min<int64_t>(most, 8);
    return schedule.getBlocks() ? llvm::bit_floor(uint64_t(few)) : few;
  }
  if (*rows <= 1)
    return 1;
  // Tiles of about equal size.
  int64_t even = llvm::divideCeil(*rows, llvm::divideCeil(*rows, most));
  if (schedule.getBlocks())
    return llvm::alignTo(even, 2);
  return std::min<int64_t>(
      llvm::alignTo(even, countTableRows(op, vectors, target)), most);
}

Place DotLoops::advance(const Place &place, unsigned loop,
                        OpFoldResult position) {
  Place next = place;
  for (auto [base, operand] : llvm::zip_equal(next.base, operands))
    if (!operand.scalar)
      base = index.add(base, index.mul(position, operand.step[loop]));
  return next;
}

/// `group` bytes of the image in every lane, as dot() takes them.
Value DotLoops::spread(Value bytes) {
  if (group == 1) {
    Value wide =
        extendBytes(b, loc, b.getI32Type(), bytes, !op.getImageSigned());
    return vector::BroadcastOp::create(b, loc, vectorOf(b.getI32Type(), lanes),
                                       wide);
  }
  return repeat(bytes);
}

/// A vector of 32 bits in every lane.
Value DotLoops::repeat(Value bits) {
  auto part = cast<VectorType>(bits.getType());
  Type word = b.getI32Type();
  Value joined = vector::BitCastOp::create(b, loc, vectorOf(word, 1), bits);
  Value all = vector::BroadcastOp::create(
      b, loc, vectorOf(word, lanes),
      vector::ExtractOp::create(b, loc, joined, 0).getResult());
  return vector::BitCastOp::create(
      b, loc, vectorOf(part.getElementType(), lanes * part.getNumElements()),
      all);
}

/// What multiplies a filter of bytes, or of 16-bit numbers, and adds up; null
/// if the target has nothing.
const Instruction *DotLoops::findDotBytes() {
  bool isWide = filter.element.isInteger(16);
  // The halves of a negative number are not that number and 0.
  if (isWide && op.getImageSigned())
    return nullptr;
  return findInstruction(target,
                         isWide                ? Capability::DotPairs
                         : op.getImageSigned() ? Capability::DotSignedBytes
                                               : Capability::DotBytes,
                         4 * lanes);
}

/// sum + the dot products of four bytes of the image by signed ones in each
/// lane; of a filter of 16-bit numbers, of two signed ones.
Value DotLoops::dotBytes(Value sum, Value image, Value filter) {
  bool isWide = this->filter.element.isInteger(16);
  // Of two signed factors the second is the one that an instruction may take by
  // element.
  if (op.getImageSigned())
    std::swap(image, filter);
  VectorType parts = isWide ? vectorOf(b.getI16Type(), 2 * lanes)
                            : vectorOf(b.getI8Type(), 4 * lanes);
  auto split = [&](Value value) {
    return b.createOrFold<vector::BitCastOp>(loc, parts, value);
  };
  return callInstruction(b, loc, *findDotBytes(), sum.getType(),
                         {sum, split(image), split(filter)});
}

/// The even and the odd bytes, signed, as 16-bit numbers.
std::pair<Value, Value> DotLoops::splitWeights(Value bytes) {
  VectorType words = vectorOf(b.getI16Type(), 2 * lanes);
  Value both = vector::BitCastOp::create(b, loc, words, bytes);
  Value eight = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(words, b.getI16IntegerAttr(8)));
  Value moved = arith::ShLIOp::create(b, loc, both, eight);
  Value even = arith::ShRSIOp::create(b, loc, moved, eight);
  return {even, arith::ShRSIOp::create(b, loc, both, eight)};
}

/// The same, unsigned.
std::pair<Value, Value> DotLoops::splitPixels(Value bytes) {
  VectorType words = vectorOf(b.getI16Type(), 2 * lanes);
  auto all = [&](int16_t value) {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(words, b.getI16IntegerAttr(value)));
  };
  Value both = vector::BitCastOp::create(b, loc, words, bytes);
  Value even = arith::AndIOp::create(b, loc, both, all(0xff));
  return {even, arith::ShRUIOp::create(b, loc, both, all(8))};
}

Value DotLoops::multiplyPairs(Value first, Value second) {
  return callInstruction(
      b, loc, *findInstruction(target, Capability::MultiplyPairs, 4 * lanes),
      vectorOf(b.getI32Type(), lanes), {first, second});
}

/// sum + the dot products of `group` bytes of the image by signed ones in each
/// lane.
Value DotLoops::dot(Value sum, Value image, Value filter) {
  if (group == 1)
    return arith::AddIOp::create(
        b, loc, sum, arith::MulIOp::create(b, loc, image, filter).getResult());
  if (dotsBytes(op, target))
    return dotBytes(sum, image, filter);
  return addPairs(sum, multiplyBytes(image, filter));
}

/// Sums of two products, which 16 bits hold.
Value DotLoops::multiplyBytes(Value image, Value filter) {
  return callInstruction(
      b, loc, *findInstruction(target, Capability::MultiplyBytes, 4 * lanes),
      vectorOf(b.getI16Type(), 2 * lanes), {image, filter});
}

/// sum + both 16-bit numbers of each lane.
Value DotLoops::addPairs(Value sum, Value pairs) {
  Value ones = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(cast<VectorType>(pairs.getType()),
                             b.getI16IntegerAttr(1)));
  return arith::AddIOp::create(b, loc, sum, multiplyPairs(pairs, ones));
}

/// Where vector `vector` of the tile's columns stands: panels follow each
/// other.
int64_t DotLoops::placeOfVector(int64_t vector) {
  return vector / panelVectors * panelBytes +
         vector % panelVectors * lanes * group;
}

Value DotLoops::loadWeights(const Place &place, int64_t vector) {
  return load(filter,
              index.add(place.filter, index.constant(placeOfVector(vector))),
              lanes * group, lanes * group);
}

OpFoldResult DotLoops::placeOfRow(const Place &place, int64_t row) {
  OpFoldResult step = operands.front().step[extents.size() - 1];
  return index.add(place.base[0], index.mul(step, row));
}

/// The `group` bytes of the image that a row multiplies.
Value DotLoops::loadPixels(const Place &place, int64_t row) {
  const LoopOperand &image = operands.front();
  OpFoldResult at = placeOfRow(place, row);
  Value bytes =
      group == 1 ? memref::LoadOp::create(b, loc, image.memory, index.value(at))
                       .getResult()
                 : load(image, at, group, group);
  return spread(bytes);
}

/// As pairs of 16-bit numbers, whose sums cannot overflow.
SmallVector<Value> DotLoops::multiplyWords(const Place &place, int64_t rows,
                                           int64_t vectors, ValueRange sums) {
  SmallVector<std::pair<Value, Value>> columns;
  for (int64_t v = 0; v < vectors; ++v)
    columns.push_back(splitWeights(loadWeights(place, v)));
  SmallVector<Value> results;
  for (int64_t r = 0; r < rows; ++r) {
    auto [even, odd] = splitPixels(loadPixels(place, r));
    for (int64_t v = 0; v < vectors; ++v) {
      Value first = multiplyPairs(even, columns[v].first);
      Value sum = arith::AddIOp::create(b, loc, sums[r * vectors + v], first);
      Value second = multiplyPairs(odd, columns[v].second);
      results.push_back(arith::AddIOp::create(b, loc, sum, second));
    }
  }
  return results;
}

/// As the target multiplies bytes.
SmallVector<Value> DotLoops::multiplyDots(const Place &place, int64_t rows,
                                          int64_t vectors, ValueRange sums) {
  SmallVector<Value> columns, results;
  for (int64_t v = 0; v < vectors; ++v) {
    Value weights = loadWeights(place, v);
    if (group == 1)
      weights = arith::ExtSIOp::create(b, loc, vectorOf(b.getI32Type(), lanes),
                                       weights);
    columns.push_back(weights);
  }
  for (int64_t r = 0; r < rows; ++r) {
    Value pixels = loadPixels(place, r);
    for (int64_t v = 0; v < vectors; ++v)
      results.push_back(dot(sums[r * vectors + v], pixels, columns[v]));
  }
  return results;
}

/// Whether pairs of a panel of the tile need more than 16 bits.
Value DotLoops::isWide(const Place &place, int64_t vectors) {
  Value all;
  int64_t dots = op.countDots();
  for (int64_t first = 0; first < vectors; first += panelVectors) {
    OpFoldResult at =
        index.add(place.wide, index.constant(first / panelVectors * dots));
    Value one = memref::LoadOp::create(b, loc, wide.memory, index.value(at));
    all = all ? arith::OrIOp::create(b, loc, all, one).getResult() : one;
  }
  Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, all, zero);
}

/// A line of the panels that follow.
void DotLoops::fetch(const Place &place, int64_t rows) {
  if (rows >= 4)
    memref::PrefetchOp::create(b, loc, filter.memory, index.value(place.ahead),
                               /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
}

SmallVector<Value> DotLoops::multiply(const Place &place, int64_t rows,
                                      int64_t vectors, ValueRange sums) {
  fetch(place, rows);
  if (group == 1 || pairs == Pairs::Bytes ||
      (pairs == Pairs::Described && !wide.memory))
    return multiplyDots(place, rows, vectors, sums);
  if (pairs == Pairs::Widened)
    return multiplyWidened(place, rows, vectors, sums);
  if (pairs == Pairs::Words)
    return multiplyWords(place, rows, vectors, sums);
  auto choice =
      scf::IfOp::create(b, loc, sums.getTypes(), isWide(place, vectors),
                        /*withElseRegion=*/true);
  auto fill = [&](Region &region, auto method) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&region.front());
    SmallVector<Value> results = (this->*method)(place, rows, vectors, sums);
    scf::YieldOp::create(b, loc, results);
  };
  fill(choice.getThenRegion(), &DotLoops::multiplyWords);
  fill(choice.getElseRegion(), &DotLoops::multiplyDots);
  return choice.getResults();
}

/// The place `at` steps of a loop of the sum farther.
Place DotLoops::step(const Place &place, const Tap &tap, OpFoldResult at) {
  Place next = place;
  next.base[0] = index.add(next.base[0], index.mul(at, tap.image));
  next.filter = index.add(next.filter, index.mul(at, tap.filter));
  if (op.getDepthwise())
    return next;
  int64_t ofDot = op.getPanelWidth() * group;
  next.wide = index.add(next.wide, index.mul(at, tap.filter / ofDot));
  // Of all panels that follow, the part that the tile fetches.
  int64_t ahead = tap.filter / panelVectors;
  next.ahead = index.add(next.ahead, index.mul(at, ahead));
  if (prepared.memory && pairs == Pairs::Widened)
    next.prepared = index.add(
        next.prepared,
        index.mul(at, tap.filter / ofDot * getPreparedStep(preparedVectors)));
  return next;
}

SmallVector<Value> DotLoops::sum(unsigned level, const Place &place,
                                 int64_t rows, int64_t vectors, int64_t live,
                                 ValueRange sums) {
  if (op.getDepthwise() && level + 1 >= taps.size())
    return multiplyDepthwise(place, rows, /*stacked=*/1, live, sums);
  if (op.getDepthwise() && level + 2 == taps.size())
    return sumStacked(place, rows, live, sums);
  if (level == 0 && prepared.memory && pairs == Pairs::Described)
    return sumInOrder(place, rows, vectors, sums);
  if (level == taps.size())
    return multiply(place, rows, vectors, sums);
  if (schedule.getByElement() && level + 1 == taps.size())
    return sumChannels(place, rows, vectors, sums);
  const Tap &tap = taps[level];
  return carryLoop(index, index.constant(0), index.constant(tap.extent), 1,
                   sums, [&](OpFoldResult at, ValueRange carried) {
                     return sum(level + 1, step(place, tap, at), rows, vectors,
                                live, carried);
                   });
}

/// Whether all that the epilogue does with the sum and the first extra,
/// integers of columns that lie side by side, is to add them: then sums start
/// from these.
bool DotLoops::startsFromColumns() {
  Block &block = op.getEpilogue().front();
  if (op.getExtras().empty() || operands[1].scalar ||
      !operands[1].element.isInteger(32) ||
      !isIndex(operands[1].step.back(), 1) ||
      !isIndex(operands[1].step[extents.size() - 1], 0))
    return false;
  BlockArgument sum = block.getArgument(0), extra = block.getArgument(1);
  return sum.hasOneUse() && extra.hasOneUse() &&
         *sum.user_begin() == *extra.user_begin() &&
         isa<arith::AddIOp>(*sum.user_begin());
}

/// What the sums of a tile start from.
SmallVector<Value> DotLoops::startTile(const Place &place, int64_t rows,
                                       int64_t vectors, int64_t live) {
  Value zero = arith::ConstantOp::create(
      b, loc, b.getZeroAttr(vectorOf(b.getI32Type(), lanes)));
  SmallVector<Value> sums;
  bool startsElsewhere = startsFromColumns();
  for (int64_t v = 0; v < vectors; ++v)
    sums.push_back(
        startsElsewhere
            ? readExtra(
                  operands[1],
                  index.add(place.base[1],
                            index.add(place.column, index.constant(v * lanes))),
                  v + 1 == vectors ? live : lanes)
            : zero);
  for (int64_t i = vectors; i < rows * vectors; ++i)
    sums.push_back(sums[i - vectors]);
  return sums;
}

/// `live` columns of the last vector are there.
void DotLoops::emitTile(const Place &place, int64_t rows, int64_t vectors,
                        int64_t live) {
  if (usesTiles(rows))
    return emitOnTiles(place, index.constant(rows), vectors, live);
  SmallVector<Value> sums = startTile(place, rows, vectors, live);
  if (usesBlocks(rows))
    sums = exchangeHalves(rows, vectors, sums);
  sums = sum(0, place, rows, vectors, live, sums);
  if (usesBlocks(rows))
    sums = exchangeHalves(rows, vectors, sums);

  storeTile(place, rows, vectors, live, sums);
}

/// A power of two of vectors side by side; scalars are the same in all lanes of
/// theirs.
Value DotLoops::join(ArrayRef<Value> parts) {
  if (llvm::all_equal(parts) && !isa<VectorType>(parts.front().getType()))
    return parts.front();
  SmallVector<Value> vectors;
  for (Value part : parts)
    vectors.push_back(isa<VectorType>(part.getType())
                          ? part
                          : vector::BroadcastOp::create(
                                b, loc, vectorOf(part.getType(), lanes), part));
  // Of equal lengths, two at a time: others are joined by element.
  // no overflow: as many as countJoinedVectors says at most
  for (int64_t count = lanes; vectors.size() > 1; count *= 2) {
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, 2 * count));
    for (size_t i = 0; i < vectors.size() / 2; ++i)
      vectors[i] = vector::ShuffleOp::create(b, loc, vectors[2 * i],
                                             vectors[2 * i + 1], order);
    vectors.truncate(vectors.size() / 2);
  }
  return vectors.front();
}

/// The epilogue of all sums of a tile.
void DotLoops::storeTile(const Place &place, int64_t rows, int64_t vectors,
                         int64_t live, ValueRange sums) {
  unsigned row = extents.size() - 1;
  bool startsElsewhere = startsFromColumns();
  auto addressOf = [&](unsigned i, int64_t r, int64_t v) {
    const LoopOperand &operand = operands[i];
    OpFoldResult at =
        index.add(place.base[i], index.mul(place.column, operand.step.back()));
    at = index.add(at, index.mul(operand.step.back(), v * lanes));
    return index.add(at, index.mul(operand.step[row], r));
  };
  auto countPresent = [&](int64_t v) {
    return v + 1 == vectors ? live : lanes;
  };
  std::map<std::tuple<unsigned, int64_t, int64_t>, Value> loaded;
  auto read = [&](unsigned i, int64_t r, int64_t v) {
    const LoopOperand &extra = operands[i];
    bool byRow = !extra.scalar && !isIndex(extra.step[row], 0);
    bool byColumn = !extra.scalar && !isIndex(extra.step.back(), 0);
    Value &value = loaded[{i, byRow ? r : 0, byColumn ? v : 0}];
    if (!value)
      value =
          readExtra(extra, extra.scalar ? OpFoldResult() : addressOf(i, r, v),
                    countPresent(v));
    return value;
  };
  auto store = [&](Value result, int64_t r, int64_t v) {
    Value to = operands.back().memory,
          at = index.value(addressOf(operands.size() - 1, r, v));
    int64_t present = countPresent(v);
    if (present == lanes)
      vector::StoreOp::create(b, loc, result, to, at);
    else
      storeMasked(b, loc, to, at, maskOf(present), result);
  };

  int64_t most = countJoinedVectors(op, target);
  for (int64_t from = 0, all = rows * vectors; from < all;) {
    int64_t count = llvm::bit_floor(uint64_t(std::min(most, all - from)));
    auto numbers = llvm::seq<int64_t>(from, from + count);
    SmallVector<Value> extras, parts;
    if (startsElsewhere)
      extras.push_back(arith::ConstantOp::create(
          b, loc, b.getZeroAttr(vectorOf(b.getI32Type(), count * lanes))));
    for (unsigned i = 1 + extras.size(); i + 1 < operands.size(); ++i) {
      parts.clear();
      for (int64_t k : numbers)
        parts.push_back(read(i, k / vectors, k % vectors));
      extras.push_back(join(parts));
    }
    parts.assign(sums.begin() + from, sums.begin() + from + count);
    Value results = emitEpilogue(b, loc, op, join(parts), extras);
    int64_t last = from % vectors + count - 1;
    if (count == 1) {
      store(results, from / vectors, from % vectors);
    } else if (last < vectors && countPresent(last) == lanes) {
      // Side by side in memory as well.
      OpFoldResult at =
          addressOf(operands.size() - 1, from / vectors, from % vectors);
      vector::StoreOp::create(b, loc, results, operands.back().memory,
                              index.value(at));
    } else {
      for (int64_t k : numbers) {
        auto order = llvm::to_vector(
            llvm::seq<int64_t>((k - from) * lanes, (k - from + 1) * lanes));
        Value part = vector::ShuffleOp::create(b, loc, results, results, order);
        store(part, k / vectors, k % vectors);
      }
    }
    from += count;
  }
}

void DotLoops::coverRows(const Place &place, int64_t vectors, int64_t live) {
  unsigned loop = extents.size() - 1;
  int64_t most = chooseRows(vectors);
  OpFoldResult from = index.constant(0), to = extents.back();
  auto piece = [&](OpFoldResult end, int64_t rows) {
    bool configures = usesTiles(rows) && !areTilesConfigured;
    if (configures)
      configureTiles(vectors, index.constant(rows));
    areTilesConfigured |= configures;
    carryLoop(index, from, end, rows, {}, [&](OpFoldResult at, ValueRange) {
      Place next = advance(place, loop, at);
      // Each tile fetches one part of the next panel.
      OpFoldResult tile = index.floorDiv(at, most);
      if (!op.getDepthwise())
        next.ahead = index.add(
            next.ahead,
            index.mul(index.sub(tile, index.mul(index.floorDiv(tile, vectors),
                                                vectors)),
                      panelBytes / panelVectors));
      emitTile(next, rows, vectors, live);
      return SmallVector<Value>();
    });
    areTilesConfigured &= !configures;
    from = end;
  };
  if (std::optional<int64_t> rows = getConstantIntValue(to)) {
    int64_t full = *rows / most * most;
    piece(index.constant(full), most);
    if (full != *rows)
      piece(to, *rows - full);
    return;
  }
  if (schedule.getTiles()) {
    for (int64_t rows = kTileRows * chooseRegisters(vectors).rowTiles;
         rows >= kTileRows; rows -= kTileRows) {
      OpFoldResult tiles = index.floorDiv(index.sub(to, from), rows);
      piece(index.add(from, index.mul(tiles, rows)), rows);
    }
    from = coverOnTiles(place, from, vectors, live);
    most = kLeastTileRows - 1;
  }
  for (int64_t rows = most; rows >= 1; rows = rows > 4 ? 4 : rows > 1 ? 1 : 0) {
    OpFoldResult tiles = index.floorDiv(index.sub(to, from), rows);
    piece(index.add(from, index.mul(tiles, rows)), rows);
  }
}

/// Tile `tile` of columns from panel `first` on of a group, before any row.
Place DotLoops::placeOfPanel(OpFoldResult inGroup, OpFoldResult tile,
                             int64_t first, int64_t vectors) {
  int64_t width = op.getDepthwise() ? vectors * lanes : op.getPanelWidth(),
          perGroup =
              cast<MemRefType>(op.getInit().getType()).getShape().back() /
              int64_t(op.getGroups()),
          panels = llvm::divideCeil(perGroup, width),
          perTile = llvm::divideCeil(vectors, panelVectors);
  OpFoldResult panel =
      index.add(index.mul(tile, perTile), index.constant(first));
  Place place;
  place.base.assign(operands.size(), index.constant(0));
  OpFoldResult ofPanel = index.mul(panel, width);
  place.column = index.add(ofPanel, index.mul(inGroup, perGroup));
  OpFoldResult number = index.add(panel, index.mul(inGroup, panels));
  place.filter = index.mul(number, panelBytes);
  place.wide = op.getDepthwise()
                   ? index.constant(0)
                   : index.mul(number, panelBytes / (width * group));
  place.order = op.getDepthwise()
                    ? index.constant(0)
                    : index.mul(number, kernel::IntegerDotOp::kOrderParts +
                                            op.countDots());
  place.ahead = index.add(place.filter, index.constant(perTile * panelBytes));
  place.prepared = index.constant(0);
  place.base[0] = op.getDepthwise()
                      ? place.column
                      : index.mul(inGroup, int64_t(op.getGroupChannels()));
  return place;
}

/// `count` tiles of columns from panel `first` on.
void DotLoops::emitPanels(int64_t first, int64_t count, int64_t vectors,
                          int64_t live) {
  if (count == 0)
    return;
  int64_t groups = op.getGroups();
  SmallVector<OpFoldResult> loops(extents.begin(), extents.end() - 1);
  bool columnsInside = op.getDepthwise();
  loops.insert(columnsInside ? loops.end() : loops.begin(),
               index.constant(count));
  if (groups > 1)
    loops.insert(loops.begin(), index.constant(groups));
  parallelLoop(index, loops, 0, [&](ArrayRef<OpFoldResult> at) {
    OpFoldResult inGroup = index.constant(0);
    if (groups > 1) {
      inGroup = at.front();
      at = at.drop_front();
    }
    OpFoldResult tile = columnsInside ? at.back() : at.front();
    ArrayRef<OpFoldResult> rows =
        columnsInside ? at.drop_back() : at.drop_front();
    Place place = placeOfPanel(inGroup, tile, first, vectors);
    for (auto [loop, position] : llvm::enumerate(rows))
      place = advance(place, loop, position);
    if (schedule.getTiles())
      allocateTiles(vectors);
    coverRows(place, vectors, live);
    if (schedule.getTiles())
      releaseTiles();
  });
}

void DotLoops::prepareOperands() {
  // Whatever the schedule says, only what there are instructions for.
  bool byElement = schedule.getByElement() && !op.getDepthwise() &&
                   group == 4 && dotsBytes(op, target);
  schedule = kernel::IntegerDotScheduleAttr::get(
      op.getContext(), schedule.getRows(), schedule.getPanels(),
      schedule.getPrepared(), byElement,
      schedule.getBlocks() && byElement && isOfBlocks(op, target),
      schedule.getTiles() && isOfTiles(op, target));
  auto weights = cast<MemRefType>(op.getFilter().getType()),
       result = cast<MemRefType>(op.getInit().getType());
  unsigned loops = result.getRank(), spatial = op.getNumSpatial(),
           lead = loops - 1 - spatial;

  // Columns read no other place of the image.
  SmallVector<AffineExpr> places;
  for (unsigned d = 0; d + 1 < loops; ++d)
    places.push_back(b.getAffineDimExpr(d));
  places.push_back(b.getAffineConstantExpr(0));
  addOperand(op.getImage(), AffineMap::get(loops, 0, places, b.getContext()));
  for (auto [extra, map] :
       llvm::zip_equal(op.getExtras(), op.getEpilogueAffineMaps()))
    addOperand(extra, map);
  addOperand(op.getInit(), b.getMultiDimIdentityMap(loops));
  filter = flatten(index, op.getFilter());
  ArrayRef<OpFoldResult> sizes = operands.back().sizes;
  extents.assign(sizes.begin(), sizes.end() - 1);

  SmallVector<int64_t> filterSteps;
  SaturatingInt bytes = 1;
  for (int64_t size : llvm::reverse(weights.getShape())) {
    filterSteps.insert(filterSteps.begin(), bytes);
    bytes *= size;
  }
  LoopOperand &from = operands.front();
  SmallVector<OpFoldResult> strides = from.strides;
  unsigned skipped = op.getDepthwise() ? 0 : 1;
  for (unsigned i = 0; i < spatial; ++i) {
    taps.push_back({weights.getDimSize(i + skipped),
                    index.mul(strides[lead + i], op.getDilations()[i]),
                    filterSteps[i + skipped]});
    from.step[lead + i] = index.mul(strides[lead + i], op.getStrides()[i]);
  }
  if (op.getDepthwise()) {
    panelBytes = lanes;
  } else {
    panelBytes = filterSteps.front();
    taps.push_back({weights.getDimSize(spatial + 1), index.constant(group),
                    filterSteps[spatial + 1]});
  }
  if (!op.getDepthwise())
    panelVectors = op.getPanelWidth() / lanes;
  if (op.getWide())
    wide = flatten(index, op.getWide());
  if (op.getOrder())
    order = flatten(index, op.getOrder());
}

void DotLoops::emit() {
  prepareOperands();
  if (op.getNumSpatial() == 0)
    mergeRows();
  // The order is that of one panel.
  if (pairs == Pairs::Described && !op.getWide() && schedule.getPanels() > 1)
    pairs = Pairs::Bytes;
  emitAllColumns();
}

/// With prepared weights if there are rows enough.
void DotLoops::emitAllColumns() {
  int64_t least = schedule.getPrepared();
  if (least == 0 || (pairs != Pairs::Widened && pairs != Pairs::Described))
    return emitColumns(/*isPrepared=*/false);
  // No rows at all need nothing: that many there are otherwise.
  OpFoldResult rows = index.constant(1);
  SaturatingInt known = 1;
  for (OpFoldResult extent : extents) {
    rows = index.mul(rows, extent);
    known *= getConstantIntValue(extent).value_or(1);
  }
  if (known >= least || getConstantIntValue(rows))
    return emitColumns(/*isPrepared=*/known >= least);
  Value number = index.value(rows), enough = index.value(index.constant(least));
  Value isEnough =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, number, enough);
  scf::IfOp::create(
      b, loc, isEnough,
      [&](OpBuilder &, Location) {
        emitColumns(/*isPrepared=*/true);
        scf::YieldOp::create(b, loc);
      },
      [&](OpBuilder &, Location) {
        emitColumns(/*isPrepared=*/false);
        scf::YieldOp::create(b, loc);
      });
}

void DotLoops::emitColumns(bool isPrepared) {
  int64_t columns = cast<MemRefType>(op.getInit().getType()).getShape().back() /
                    int64_t(op.getGroups());
  int64_t width = panelVectors * schedule.getPanels() * lanes;
  isPrepared |= keepsTiles();
  auto emit = [&](int64_t first, int64_t count, int64_t vectors, int64_t live) {
    if (isPrepared && count > 0)
      emitPrepared(first, count, vectors, live);
    else
      emitPanels(first, count, vectors, live);
  };
  emit(0, columns / width, width / lanes, lanes);
  if (int64_t rest = columns % width)
    emit(columns / width * schedule.getPanels(), 1,
         llvm::divideCeil(rest, lanes),
         rest % lanes == 0 ? lanes : rest % lanes);
}

void onnxc::emitVectors(OpBuilder &b, kernel::IntegerDotOp op,
                        kernel::IntegerDotScheduleAttr schedule,
                        TargetAttr target) {
  DotLoops(b, op, schedule, target).emit();
}
