//===- FuseDepthwise.cpp - A depthwise convolution with the one before ----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A depthwise convolution (or a pool) reads of each channel the map of that
// channel alone. So it can follow the convolution that makes its image piece by
// piece of the channels, and by bands of rows where maps are large:
//
//   forall batch, band of rows, piece of the channels
//     rows of the piece of the image, in a scratch buffer
//     the band of the piece of the result
//
// What a piece is made of and the piece itself stay in the second level of the
// cache, where the image as a whole would go to memory and come back. Each sum
// takes its products in the order that it had. Rows of the image that two bands
// read are computed twice.
//
// The first and the last band, which reach beyond the image, have code of their
// own.
//
//===----------------------------------------------------------------------===//

#include "Fuse/ReadDims.h"
#include "Kernels/CacheShares.h"
#include "Kernels/KernelForms.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/IndexMath.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEDEPTHWISEPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using kernel::ConvOp;

namespace {

/// What the second level of the cache has room for.
struct NearMemory {
  /// A piece of the image and what it is made of; with both, what is fetched
  /// ahead.
  int64_t pieceBytes;
  /// So much of an image is still there, or comes in time, when it is read.
  int64_t imageBytes;
};
NearMemory nearMemory(TargetAttr target) {
  return {nearBytes(target), target.getSecondLevelCache() * 5 / 8};
}

/// Bytes that come from behind the second level in a cycle, and vector
/// instructions in a cycle.
constexpr int64_t kFarBytesPerCycle = 16, kInstructionsPerCycle = 2;
/// A division or a function, as vector instructions.
constexpr int64_t kLongInstruction = 8;
/// So much of what an epilogue computes hides that the image comes from afar.
constexpr int64_t kHidden = 2;
/// What is saved is to be so many times what is computed twice: both are
/// estimates.
constexpr int64_t kWorthwhile = 2;

/// The dimensions of an image, and of what is indexed like it.
enum Dim : unsigned { kBatch, kBlock, kRow };

/// Rows of a map, and how many a window reads before and behind them.
struct Rows {
  OpFoldResult first;
  int64_t count = 0, before = 0, after = 0;
};

/// Blocks of channels from `first` on, those of a panel of weights or its first
/// ones, of some rows of one image of the batch.
struct Piece {
  OpFoldResult batch, panel, first;
  int64_t blocks;
  Rows rows;
};

/// A part of a tensor.
struct Place {
  explicit Place(OpBuilder &b) : b(b) {}

  void add(OpFoldResult offset, OpFoldResult size) {
    offsets.push_back(offset);
    sizes.push_back(size);
    strides.push_back(b.getIndexAttr(1));
  }
  void add(OpFoldResult offset, int64_t size) {
    add(offset, b.getIndexAttr(size));
  }
  /// All of the next dimension.
  void addWhole(Value of) {
    add(b.getIndexAttr(0),
        tensor::getMixedSize(b, of.getLoc(), of, sizes.size()));
  }
  void addRest(Value of) {
    for (int64_t rank = cast<RankedTensorType>(of.getType()).getRank();
         int64_t(sizes.size()) < rank;)
      addWhole(of);
  }
  Value slice(Location loc, Value from) const {
    return tensor::ExtractSliceOp::create(b, loc, from, offsets, sizes,
                                          strides);
  }

  OpBuilder &b;
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

/// How an index of an extra follows the place of a result.
enum class Follows { Nothing, Batch, Block, Channel, Row };

class DepthwiseFusion {
public:
  DepthwiseFusion(ConvOp reader, TargetAttr target)
      : near(nearMemory(target)), reader(reader) {}

  /// Finds the convolution before; says why if both stay as they are.
  const char *match();
  void replace(OpBuilder &b);

private:
  const char *matchExtras(ConvOp op);
  const char *choosePieces();
  int64_t chooseRows(int64_t blocks);
  SaturatingInt countBytes(int64_t blocks, int64_t band);
  bool hasBands();
  SaturatingInt estimateRepeated();
  int64_t estimateWaiting();
  SaturatingInt countImageBytes();
  Value emitPieces(OpBuilder &b, int64_t from, int64_t blocks, Value init);
  Value chooseBand(OpBuilder &b, OpFoldResult band, Type type,
                   function_ref<Value(OpBuilder &, OpFoldResult)> emit);
  Value emitBand(OpBuilder &b, const Piece &piece, Value init, Value scratch);
  Place placeInFilter(OpBuilder &b, ConvOp op, const Piece &piece);
  Value emitPiece(OpBuilder &b, ConvOp op, Value image, Value init,
                  const Piece &piece, const Rows &read);

  NearMemory near;
  ConvOp writer, reader;
  int64_t lanes = 0, allBlocks = 0, numRows = 0;
  /// What a piece has: blocks of channels, at most those of a panel of the
  /// writer's weights (so that a piece's first block tells its panel), and rows
  /// of the result.
  int64_t pieceBlocks = 0, bandRows = 0;
};

/// Nothing if a piece has no place of its own in the dimension.
std::optional<Follows> findFollowed(AffineExpr expr, unsigned rank,
                                    int64_t lanes) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    switch (dim.getPosition()) {
    case kBatch:
      return Follows::Batch;
    case kBlock:
      return Follows::Block;
    case kRow:
      return Follows::Row;
    default:
      return Follows::Nothing;
    }
  auto c = linearCoefficients(expr, rank);
  if (!c)
    return std::nullopt;
  bool isFixed = true, isChannel = true;
  for (unsigned d = 0; d <= rank; ++d) {
    isFixed &= d > kRow || (*c)[d] == 0;
    isChannel &= (*c)[d] == (d == kBlock ? lanes : d + 1 == rank ? 1 : 0);
  }
  if (isChannel)
    return Follows::Channel;
  return isFixed ? std::optional(Follows::Nothing) : std::nullopt;
}

/// Rows that the op reads for rows of its result; they may lie outside of its
/// image.
Rows findReach(IndexMath index, ConvOp op, const Rows &rows) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  int64_t taps = filter.getDimSize(
              op.isImageBlocked() && !op.isDepthwise() ? 2 : 1),
          stride = op.getStrides()[0];
  OpFoldResult first = index.add(index.mul(rows.first, stride),
                                 index.constant(-op.getPads()[0]));
  return {first,
          (rows.count - 1) * stride + (taps - 1) * op.getDilations()[0] + 1};
}

int64_t countRows(Value image) {
  return cast<RankedTensorType>(image.getType()).getDimSize(kRow);
}

/// The same, without those outside of the image. Where it is not known what
/// these are, there are none.
Rows findRead(IndexMath index, ConvOp op, const Rows &rows) {
  Rows read = findReach(index, op, rows);
  if (std::optional<int64_t> first = getConstantIntValue(read.first)) {
    int64_t behind = *first + read.count;
    read.before = std::max<int64_t>(-*first, 0);
    read.after = std::max<int64_t>(behind - countRows(op.getImage()), 0);
    read.first = index.constant(*first + read.before);
    read.count -= read.before + read.after;
  }
  return read;
}

} // namespace

const char *DepthwiseFusion::matchExtras(ConvOp op) {
  unsigned rank = cast<ShapedType>(op.getInit().getType()).getRank();
  for (auto [extra, map] :
       llvm::zip_equal(op.getExtras(), op.getEpilogueAffineMaps())) {
    auto type = dyn_cast<RankedTensorType>(extra.getType());
    if (!type)
      continue;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      std::optional<Follows> followed = findFollowed(expr, rank, lanes);
      if (!followed)
        return "the epilogue reads elements that are not at the place of the "
               "result";
      if (*followed == Follows::Channel &&
          type.getDimSize(i) != allBlocks * lanes)
        return "the epilogue reads other channels";
    }
  }
  return nullptr;
}

const char *DepthwiseFusion::match() {
  writer = reader.getImage().getDefiningOp<ConvOp>();
  if (!writer || reader->getNumResults() != 1 || !reader.isDepthwise() ||
      reader.getSpread())
    return "no depthwise convolution reads a convolution";
  if (writer->getParentRegion() != reader->getParentRegion())
    return "the convolution before is in another region";
  if (writer.getBlock() != reader.getBlock())
    return "their images have other blocks of channels";
  if (writer.getGroup() != 1 || writer.getSpread() || writer.getWinogradError())
    return "the convolution before is of another kind";
  auto readsElements = [](OpOperand &use) {
    return !isa<tensor::DimOp>(use.getOwner());
  };
  if (llvm::count_if(writer->getUses(), readsElements) != 1)
    return "the image has other uses";
  lanes = reader.getBlock();
  if (reader.getChannels() != writer.getFilters() ||
      reader.getChannels() % lanes != 0)
    return "the last block is not full";
  allBlocks = reader.getChannels() / lanes;
  auto isKnown = [](Value value) {
    return !llvm::any_of(
        cast<RankedTensorType>(value.getType()).getShape().drop_front(1),
        ShapedType::isDynamic);
  };
  if (!isKnown(writer.getImage()) || !isKnown(reader.getImage()) ||
      !isKnown(reader.getInit()))
    return "the sizes of the maps are not known";
  numRows = countRows(reader.getInit());
  if (numRows < 1)
    return "the result is empty";
  if (const char *why = matchExtras(writer))
    return why;
  if (const char *why = matchExtras(reader))
    return why;
  return choosePieces();
}

/// What is near while a piece is worked on.
SaturatingInt DepthwiseFusion::countBytes(int64_t blocks, int64_t band) {
  OpBuilder b(reader);
  IndexMath index{b, reader.getLoc()};
  auto bytesOf = [](Value image, int64_t rows) {
    auto type = cast<RankedTensorType>(image.getType());
    SaturatingInt bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8) *
                          SaturatingInt(rows);
    for (int64_t size : type.getShape().drop_front(kRow + 1))
      bytes *= size;
    return bytes;
  };
  Rows made = findReach(index, reader, {index.constant(0), band}),
       read = findReach(index, writer, {index.constant(0), made.count});
  int64_t channels =
      cast<RankedTensorType>(writer.getImage().getType()).getDimSize(kBlock);
  return bytesOf(reader.getImage(),
                 std::min(made.count, countRows(reader.getImage()))) *
             blocks +
         bytesOf(writer.getImage(),
                 std::min(read.count, countRows(writer.getImage()))) *
             channels;
}

/// As many rows of the result as stay near, an equal share of all; 0: there are
/// none.
int64_t DepthwiseFusion::chooseRows(int64_t blocks) {
  for (int64_t bands = 1; bands <= numRows; ++bands)
    if (numRows % bands == 0 &&
        countBytes(blocks, numRows / bands) <= near.pieceBytes)
      return numRows / bands;
  return 0;
}

/// Whether each band reads rows of both images, and those between the first and
/// the last one read nothing outside of them.
bool DepthwiseFusion::hasBands() {
  OpBuilder b(reader);
  IndexMath index{b, reader.getLoc()};
  int64_t last = numRows / bandRows - 1;
  for (int64_t band : {int64_t(0), int64_t(1), last - 1, last}) {
    Rows rows{index.constant(band * bandRows), bandRows};
    for (ConvOp op : {reader, writer}) {
      rows = findRead(index, op, rows);
      bool isInner = band > 0 && band < last;
      if (rows.count < 1 || (isInner && rows.before + rows.after > 0))
        return false;
    }
  }
  return true;
}

/// About how many vector instructions the epilogue has.
static int64_t countInstructions(ConvOp op) {
  int64_t count = 0;
  for (Operation &inner : op.getEpilogue().front().without_terminator()) {
    bool isLong =
        isa<arith::DivFOp>(inner) || isa<math::MathDialect>(inner.getDialect());
    if (!inner.hasTrait<OpTrait::ConstantLike>())
      count += isLong ? kLongInstruction : 1;
  }
  return count;
}

/// The elements of a row of an image, without channels.
static SaturatingInt countRowPixels(Value image) {
  SaturatingInt pixels = 1;
  auto type = cast<RankedTensorType>(image.getType());
  for (int64_t size : type.getShape().drop_front(kRow + 1).drop_back())
    pixels *= size;
  return pixels;
}

/// The cycles that the rows cost that two bands make.
SaturatingInt DepthwiseFusion::estimateRepeated() {
  OpBuilder b(reader);
  IndexMath index{b, reader.getLoc()};
  Rows window = findReach(index, reader, {index.constant(0), 1});
  int64_t rows = std::max<int64_t>(window.count - reader.getStrides()[0], 0),
          borders = numRows / bandRows - 1;
  auto filter = cast<RankedTensorType>(writer.getFilter().getType());
  SaturatingInt steps = writer.getChannels();
  unsigned firstTap = writer.isImageBlocked() ? 2 : 1;
  for (unsigned i = 0; i < writer.getNumSpatial(); ++i)
    steps *= filter.getDimSize(firstTap + i);
  SaturatingInt made = countRowPixels(reader.getImage()) * allBlocks * rows *
                       borders * (steps + countInstructions(writer));
  return made / kInstructionsPerCycle;
}

/// The cycles for which the reader waits for its image, if that is made as a
/// whole before.
int64_t DepthwiseFusion::estimateWaiting() {
  int64_t far = countImageBytes() - near.imageBytes;
  SaturatingInt hidden = countRowPixels(reader.getInit()) * numRows *
                         allBlocks * countInstructions(reader);
  return far / kFarBytesPerCycle - hidden / (kInstructionsPerCycle * kHidden);
}

/// The bytes of the image of the reader, of one image of a batch.
SaturatingInt DepthwiseFusion::countImageBytes() {
  auto image = cast<RankedTensorType>(reader.getImage().getType());
  SaturatingInt bytes = llvm::divideCeil(image.getElementTypeBitWidth(), 8);
  for (int64_t size : image.getShape().drop_front(1))
    bytes *= size;
  return bytes;
}

const char *DepthwiseFusion::choosePieces() {
  int64_t saved = estimateWaiting();
  if (saved <= 0)
    return "the image is near, or comes in time";
  pieceBlocks = std::min(writer.getPanelBlocks(), allBlocks);
  bandRows = chooseRows(pieceBlocks);
  if (!bandRows)
    return "what a row is made of does not stay near";
  if (bandRows == numRows)
    return nullptr;
  if (estimateRepeated() * kWorthwhile > saved)
    return "too many rows would be made twice";
  return hasBands() ? nullptr : "bands are too short";
}

/// The panel of the writer's filter; the blocks of the reader's.
Place DepthwiseFusion::placeInFilter(OpBuilder &b, ConvOp op,
                                     const Piece &piece) {
  Place place(b);
  IndexMath index{b, op.getLoc()};
  Value filter = op.getFilter();
  int64_t rank = cast<RankedTensorType>(filter.getType()).getRank();
  if (cast<RankedTensorType>(filter.getType()).getDimSize(0) == 1)
    place.add(index.constant(0), 1); // of a reader: the same for all channels
  else if (op == writer)
    place.add(piece.panel, 1);
  else
    place.add(piece.first, piece.blocks);
  for (int64_t i = 1; i + 1 < rank; ++i)
    place.addWhole(filter);
  place.add(index.constant(0), op == writer ? piece.blocks * lanes : lanes);
  return place;
}

/// One of the convolutions, for a piece of its result; it reads rows `read` of
/// its image.
Value DepthwiseFusion::emitPiece(OpBuilder &b, ConvOp op, Value image,
                                 Value init, const Piece &piece,
                                 const Rows &read) {
  Location loc = op.getLoc();
  IndexMath index{b, loc};
  Value filter = placeInFilter(b, op, piece).slice(loc, op.getFilter());
  SmallVector<Value> extras;
  for (auto [extra, map] :
       llvm::zip_equal(op.getExtras(), op.getEpilogueAffineMaps())) {
    if (!isa<RankedTensorType>(extra.getType())) {
      extras.push_back(extra);
      continue;
    }
    Place place(b);
    for (AffineExpr expr : map.getResults())
      switch (*findFollowed(expr, map.getNumDims(), lanes)) {
      case Follows::Nothing:
        place.addWhole(extra);
        break;
      case Follows::Batch:
        place.add(piece.batch, 1);
        break;
      case Follows::Block:
        place.add(piece.first, piece.blocks);
        break;
      case Follows::Channel:
        place.add(index.mul(piece.first, lanes), piece.blocks * lanes);
        break;
      case Follows::Row:
        place.add(piece.rows.first, piece.rows.count);
        break;
      }
    extras.push_back(place.slice(loc, extra));
  }
  auto made = cast<ConvOp>(b.clone(*op));
  made.getImageMutable().assign(image);
  made.getFilterMutable().assign(filter);
  made.getExtrasMutable().assign(extras);
  made.getInitMutable().assign(init);
  int64_t channels = piece.blocks * lanes;
  made.setFilters(channels);
  if (op == reader) {
    made.setChannels(channels);
    made.setGroup(channels);
  }
  if (bandRows != numRows) {
    SmallVector<int64_t> pads(op.getPads());
    pads[0] = read.before;
    pads[op.getNumSpatial()] = read.after;
    made.setPads(pads);
  }
  made.getResult(0).setType(cast<RankedTensorType>(init.getType()));
  return made.getResult(0);
}

/// A piece of the result, in the place of `init`; `scratch` has room for what
/// it is made of.
Value DepthwiseFusion::emitBand(OpBuilder &b, const Piece &piece, Value init,
                                Value scratch) {
  Location loc = reader.getLoc();
  IndexMath index{b, loc};
  // Of whole images nothing changes.
  auto findImage = [&](ConvOp op, const Rows &of) {
    return bandRows == numRows
               ? Rows{index.constant(0), countRows(op.getImage())}
               : findRead(index, op, of);
  };
  Rows made = findImage(reader, piece.rows), read = findImage(writer, made);
  Value image = writer.getImage();
  Place ofImage(b);
  ofImage.add(piece.batch, 1);
  ofImage.addWhole(image);
  ofImage.add(read.first, read.count);
  ofImage.addRest(image);
  Place ofScratch(b);
  ofScratch.addWhole(scratch);
  ofScratch.addWhole(scratch);
  ofScratch.add(index.constant(0), made.count);
  ofScratch.addRest(scratch);
  Piece ofWriter = piece;
  ofWriter.rows = made;
  Value from = ofImage.slice(loc, image), to = ofScratch.slice(loc, scratch);
  Value part = emitPiece(b, writer, from, to, ofWriter, read);
  return emitPiece(b, reader, part, init, piece, made);
}

/// The first and the last band read less than others do: `emit` gets a band
/// that is known or one between these.
Value DepthwiseFusion::chooseBand(
    OpBuilder &b, OpFoldResult band, Type type,
    function_ref<Value(OpBuilder &, OpFoldResult)> emit) {
  Location loc = reader.getLoc();
  IndexMath index{b, loc};
  int64_t last = numRows / bandRows - 1;
  if (last == 0)
    return emit(b, index.constant(0));
  auto emitEither = [&](OpBuilder &b, int64_t known,
                        function_ref<Value(OpBuilder &)> otherwise) -> Value {
    IndexMath index{b, loc};
    Value number = index.value(band),
          value = index.value(index.constant(known));
    Value isKnown =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number, value);
    auto choice = scf::IfOp::create(b, loc, type, isKnown,
                                    /*withElseRegion=*/true);
    OpBuilder inThen = choice.getThenBodyBuilder(),
              inElse = choice.getElseBodyBuilder();
    Value made = emit(inThen, index.constant(known));
    scf::YieldOp::create(inThen, loc, made);
    made = otherwise(inElse);
    scf::YieldOp::create(inElse, loc, made);
    return choice.getResult(0);
  };
  return emitEither(b, 0, [&](OpBuilder &b) {
    if (last == 1)
      return emit(b, index.constant(1));
    return emitEither(b, last, [&](OpBuilder &b) { return emit(b, band); });
  });
}

/// Pieces of so many blocks, all that there are from block `from` on.
Value DepthwiseFusion::emitPieces(OpBuilder &b, int64_t from, int64_t blocks,
                                  Value init) {
  Location loc = b.getFusedLoc({reader.getLoc(), writer.getLoc()});
  IndexMath index{b, loc};
  OpFoldResult extents[] = {tensor::getMixedSize(b, loc, init, kBatch),
                            index.constant(numRows / bandRows),
                            index.constant((allBlocks - from) / blocks)};
  auto loop = scf::ForallOp::create(b, loc, extents, ValueRange{init},
                                    /*mapping=*/std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  auto variable = [&](unsigned i) -> OpFoldResult {
    if (getConstantIntValue(extents[i]) == int64_t(1))
      return index.constant(0);
    return OpFoldResult(loop.getInductionVars()[i]);
  };
  Piece piece{variable(0),
              index.add(index.constant(from / pieceBlocks), variable(2)),
              index.add(index.constant(from), index.mul(variable(2), blocks)),
              blocks,
              {index.mul(variable(1), bandRows), bandRows}};
  Value arg = loop.getRegionIterArgs()[0];
  Place ofResult(b);
  ofResult.add(piece.batch, 1);
  ofResult.add(piece.first, blocks);
  ofResult.add(piece.rows.first, bandRows);
  ofResult.addRest(arg);
  Value part = ofResult.slice(loc, arg);
  auto type = cast<RankedTensorType>(reader.getImage().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[kBatch] = 1;
  shape[kBlock] = blocks;
  if (bandRows != numRows)
    shape[kRow] =
        std::min(shape[kRow], findReach(index, reader, piece.rows).count);
  // A view of an empty tensor would be folded, and each band have its own.
  Value scratch = bufferization::AllocTensorOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()),
      ValueRange());
  part = chooseBand(b, variable(1), part.getType(),
                    [&](OpBuilder &b, OpFoldResult band) {
                      IndexMath index{b, loc};
                      Piece ofBand = piece;
                      ofBand.rows.first = index.mul(band, bandRows);
                      return emitBand(b, ofBand, part, scratch);
                    });
  b.setInsertionPointToStart(loop.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, part, arg, ofResult.offsets,
                                        ofResult.sizes, ofResult.strides);
  return loop.getResult(0);
}

void DepthwiseFusion::replace(OpBuilder &b) {
  readDimsFrom(writer.getResult(0), writer.getInit());
  readDimsFrom(reader.getResult(0), reader.getInit());
  b.setInsertionPoint(reader);
  int64_t rest = allBlocks % pieceBlocks;
  Value result = emitPieces(b, 0, pieceBlocks, reader.getInit());
  if (rest)
    result = emitPieces(b, allBlocks - rest, rest, result);
  reader.getResult(0).replaceAllUsesWith(result);
  reader.erase();
  writer.erase();
}

namespace {

class FuseDepthwise : public onnxc::impl::FuseDepthwisePassBase<FuseDepthwise> {
public:
  using FuseDepthwisePassBase::FuseDepthwisePassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, bufferization::BufferizationDialect,
                    scf::SCFDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override {
    TargetAttr target = TargetAttr::of(getOperation());
    SmallVector<ConvOp> readers;
    getOperation().walk([&](ConvOp op) {
      if (isa<RankedTensorType>(op.getImage().getType()))
        readers.push_back(op);
    });
    OpBuilder b(&getContext());
    for (ConvOp op : readers) {
      DepthwiseFusion fusion(op, target);
      if (!fusion.match())
        fusion.replace(b);
    }
  }
};

} // namespace
