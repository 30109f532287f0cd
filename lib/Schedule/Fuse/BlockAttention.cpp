//===- BlockAttention.cpp - Scores that stay in the cache -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention is a product (scores), a loop over rows (softmax), and a product by
// the values. The three become the body of one loop over the matrices of a
// batch and over blocks of rows:
//
//   forall batch, block of rows
//     scores of the block, in a scratch buffer
//     forall rows of the block: softmax, in place; of halves to another buffer
//     the block's rows of the result
//
// so that no matrix of scores as a whole is ever in memory.
//
// A thread's memory has a fixed size. Where the number of columns is open, the
// run decides: by blocks if a row of scores has room there, else by the three
// ops as they were. Of few rows with many columns, threads share the columns:
// ShareColumns.cpp.
//
//===----------------------------------------------------------------------===//

#include "BlockAttention.h"
#include "Fuse/ReadDims.h"
#include "Kernels/CacheShares.h"
#include "Kernels/Halves.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/IndexMath.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace onnxc {
#define GEN_PASS_DEF_BLOCKATTENTIONPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using kernel::KernelOpInterface;
using kernel::MatmulOp;

namespace {

/// Fewer rows do not pay for the panels of keys that each block copies.
constexpr int64_t kMinRows = 24;
/// So many columns that fewer rows lie near: as many as have room here. Blocks
/// of less than `kMinRows` rows are slower, but the scores of all rows may be
/// more than there is memory for.
constexpr int64_t kMaxScratchBytes = 2 << 20;
/// The rows of most register tiles divide this.
constexpr int64_t kWholeTiles = 12;
/// A weight below e to this power is 0. Beside the greatest, which is 1, it is
/// far below what a sum of floats can show, and subnormal numbers are slow.
constexpr double kLeastExponent = -80;

/// The size as types state it.
int64_t inType(OpFoldResult size) {
  auto known = dyn_cast<Attribute>(size);
  return known ? cast<IntegerAttr>(known).getInt() : ShapedType::kDynamic;
}

/// Whether a slice has all of dimension `i` of `whole`.
bool isWhole(OpFoldResult offset, OpFoldResult size, Value whole, int64_t i) {
  if (getConstantIntValue(offset) != int64_t(0))
    return false;
  auto type = cast<RankedTensorType>(whole.getType());
  if (!type.isDynamicDim(i))
    return getConstantIntValue(size) == type.getDimSize(i);
  auto value = dyn_cast<Value>(size);
  auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  return dim && dim.getSource() == whole && dim.getConstantIndex() == i;
}

bool isPlain(MatmulOp op) {
  auto isStraight = [](AffineMap map) { return map.isProjectedPermutation(); };
  return op.getPanelWidth() == 0 && isStraight(op.getMap(0)) &&
         isStraight(op.getMap(1)) && isStraight(op.getMap(2)) &&
         op->getNumResults() == 1;
}

} // namespace

/// The scores of a block share the second level of the cache with the keys and
/// values that they are made of and go to.
int64_t BlockedAttention::nearScores() const {
  return waitingBytes(TargetAttr::of(last)) / elementBytes();
}

int64_t BlockedAttention::mostScores() const {
  return kMaxScratchBytes / elementBytes();
}

int64_t BlockedAttention::mostRows(int64_t columns) const {
  return std::max(nearScores() / columns,
                  std::min(kMinRows, mostScores() / columns));
}

const char *BlockedAttention::match() {
  rows = last.getLhs().getDefiningOp<scf::ForallOp>();
  auto needsElements = [](OpOperand &use) {
    return !isa<tensor::DimOp>(use.getOwner());
  };
  if (!rows || rows->getNumResults() != 1 ||
      llvm::count_if(rows->getUses(), needsElements) != 1)
    return "no loop over rows makes the lhs";
  if (!isPlain(last))
    return "the second product is packed";
  if (!rows.isNormalized())
    return "the loop does not count rows one by one";
  InsertOp insert = *rows.getTerminator().getBody()->getOps<InsertOp>().begin();
  if (const char *why = matchScores(insert))
    return why;
  if (const char *why = matchUses(insert))
    return why;
  if (const char *why = matchDims(insert))
    return why;
  if (numRows == 0 || numColumns == 0)
    return "there are no scores";
  if (!ShapedType::isDynamic(numColumns) && mostRows(numColumns) < 1)
    return "a row has no room";
  return nullptr;
}

/// Finds the first product: what the loop reads of scores is the row that it
/// writes, in weights of their shape.
const char *BlockedAttention::matchScores(InsertOp insert) {
  for (Operation &op : rows.getBody()->without_terminator())
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      if (auto product = slice.getSource().getDefiningOp<MatmulOp>()) {
        if (first && first != product)
          return "the loop reads two products";
        first = product;
        if (!isRowOf(slice, insert))
          return "a row of scores is not a row of weights";
      }
  if (!first || !isPlain(first))
    return "the loop reads no product";
  auto type = cast<RankedTensorType>(first.getResult(0).getType());
  scoreType = type.getElementType();
  if (type.clone(Float32Type::get(first.getContext())) !=
          rows.getResult(0).getType() ||
      !first.getAccumulatorType().isF32() ||
      (!scoreType.isF32() && !isHalf(scoreType)))
    return "scores and weights are of different types";
  return nullptr;
}

/// Whether the slice is the part that the loop writes of the weights, in what
/// has their shape.
bool BlockedAttention::isRowOf(tensor::ExtractSliceOp slice, InsertOp insert) {
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes(),
                            written = insert.getMixedOffsets(),
                            extents = insert.getMixedSizes();
  return offsets.size() == written.size() && slice.hasUnitStride() &&
         insert.hasUnitStride() &&
         llvm::all_of(llvm::seq<int64_t>(0, offsets.size()), [&](int64_t i) {
           if (isWhole(written[i], extents[i], insert.getDest(), i))
             return isWhole(offsets[i], sizes[i], slice.getSource(), i);
           return offsets[i] == written[i] && sizes[i] == extents[i];
         });
}

/// Only the loop uses the scores, and it writes each row whole.
const char *BlockedAttention::matchUses(InsertOp insert) {
  for (Operation *user : first->getUsers())
    if (!isa<tensor::DimOp>(user) &&
        (!isa<tensor::ExtractSliceOp>(user) || user->getParentOp() != rows))
      return "scores are used elsewhere";
  for (Operation *user : rows.getRegionIterArgs()[0].getUsers())
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user)) {
      if (!isRowOf(slice, insert))
        return "a row is written in pieces";
    } else if (user != insert && !isa<tensor::DimOp>(user)) {
      return "the loop reads what it writes";
    }
  return nullptr;
}

/// The dimensions are those of the second product's lhs and of the first one's
/// result.
const char *BlockedAttention::matchDims(InsertOp insert) {
  unsigned rank =
      cast<RankedTensorType>(first.getResult(0).getType()).getRank();
  dims.resize(rank);
  unsigned m1 = first.getNumBatchLoops(), m2 = last.getNumBatchLoops();
  AffineMap made = first.getMap(2), read = last.getMap(0);
  MLIRContext *ctx = first.getContext();
  ofFirst.assign(made.getNumDims(), getAffineDimExpr(rank, ctx));
  ofLast.assign(read.getNumDims(), getAffineDimExpr(rank, ctx));
  for (unsigned i = 0; i < rank; ++i) {
    unsigned x = made.getDimPosition(i), y = read.getDimPosition(i);
    ofFirst[x] = ofLast[y] = getAffineDimExpr(i, ctx);
    ScoreDim::Kind kind = x < m1    ? ScoreDim::Batch
                          : x == m1 ? ScoreDim::Row
                                    : ScoreDim::Column;
    if (kind != (y < m2    ? ScoreDim::Batch
                 : y == m2 ? ScoreDim::Row
                           : ScoreDim::Column))
      return "rows of the one are columns of the other";
    if (const char *why = matchDim(i, kind, insert))
      return why;
  }
  for (unsigned d = 0; d < m2; ++d)
    if (ofLast[d] == getAffineDimExpr(rank, ctx))
      return "a batch dimension that the scores do not have";
  if (!dims.back().kind || dims.back().kind != ScoreDim::Column)
    return "columns are not innermost";
  return nullptr;
}

/// One iteration has one row of a batch and all columns.
const char *BlockedAttention::matchDim(unsigned i, ScoreDim::Kind kind,
                                       InsertOp insert) {
  auto type = cast<RankedTensorType>(first.getResult(0).getType());
  OpFoldResult offset = insert.getMixedOffsets()[i];
  auto variable = dyn_cast<Value>(offset);
  bool hasAll = isWhole(offset, insert.getMixedSizes()[i], insert.getDest(), i);
  if (variable && !llvm::is_contained(rows.getInductionVars(), variable))
    return "the place of a row does not follow from the loop variables";
  if (kind == ScoreDim::Row) {
    rowVariable = variable;
    numRows = type.getDimSize(i);
  } else if (kind == ScoreDim::Column) {
    numColumns = type.getDimSize(i);
  }
  // A batch without a variable has one matrix, not all in one iteration.
  if (kind == ScoreDim::Batch
          ? !variable && type.getDimSize(i) != 1
          : (kind == ScoreDim::Column ? !hasAll : !variable))
    return "a row is not one of scores";
  dims[i] = {kind, variable};
  return nullptr;
}

/// The rows of a block: all, or as many as the scratch has room for, shared out
/// evenly and in whole register tiles. As many as it has room for, if the run
/// shares them out.
int64_t BlockedAttention::chooseRows() {
  int64_t most = mostRows(numColumns);
  if (ShapedType::isDynamic(numRows))
    return most;
  if (numRows <= most)
    return numRows;
  int64_t even = llvm::divideCeil(numRows, llvm::divideCeil(numRows, most));
  return even <= kWholeTiles
             ? even
             : std::min(most, int64_t(llvm::alignTo(even, kWholeTiles)));
}

/// The same, when it runs. There is room for a row.
RowBlocks BlockedAttention::chooseOpenRows(IndexMath index) {
  OpFoldResult one = index.constant(1);
  OpFoldResult columns = index.max(columnCount, one);
  auto fit = [&](int64_t scores) -> OpFoldResult {
    Value room = index.value(index.constant(scores));
    return arith::DivSIOp::create(index.b, index.loc, room,
                                  index.value(columns))
        .getResult();
  };
  OpFoldResult most;
  if (ShapedType::isDynamic(numColumns)) {
    OpFoldResult near = fit(nearScores()), all = fit(mostScores());
    most = index.max(near, index.min(all, index.constant(kMinRows)));
  } else {
    most = index.constant(mostRows(numColumns));
  }
  OpFoldResult even =
      index.ceilDiv(rowCount, index.max(index.ceilDiv(rowCount, most), one));
  OpFoldResult size =
      index.min(most, index.mul(index.ceilDiv(even, kWholeTiles), kWholeTiles));
  size = index.max(index.min(size, rowCount), one);
  return {0, index.ceilDiv(rowCount, size), size};
}

/// Where the block lies in what is indexed by dimensions of the scores, and by
/// one more, which is taken whole.
ScorePlace BlockedAttention::placeOf(OpBuilder &b, const ScoreBlock &block,
                                     Value value, AffineMap map) {
  ScorePlace place;
  auto type = cast<RankedTensorType>(value.getType());
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    place.strides.push_back(one);
    auto dim = dyn_cast<AffineDimExpr>(expr);
    unsigned d = dim ? dim.getPosition() : 0;
    bool isColumn = dim && d < dims.size() && dims[d].kind == ScoreDim::Column;
    if (isColumn && block.columns) {
      place.offsets.push_back(block.firstColumn);
      place.sizes.push_back(block.columns);
      place.shape.push_back(inType(block.columns));
    } else if (isColumn || (dim && d >= dims.size())) {
      place.offsets.push_back(zero);
      place.sizes.push_back(tensor::getMixedSize(b, value.getLoc(), value, i));
      place.shape.push_back(type.getDimSize(i));
    } else if (dim && dims[d].kind == ScoreDim::Row) {
      place.offsets.push_back(block.firstRow);
      place.sizes.push_back(block.rows);
      place.shape.push_back(inType(block.rows));
    } else {
      Value variable = dim ? dims[d].variable : Value();
      place.offsets.push_back(
          variable ? OpFoldResult(block.variables.lookup(variable)) : zero);
      place.sizes.push_back(one);
    }
  }
  return place;
}

Value BlockedAttention::sliceOf(OpBuilder &b, const ScoreBlock &block,
                                Value value, AffineMap map) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return value;
  ScorePlace place = placeOf(b, block, value, map);
  return tensor::ExtractSliceOp::create(
      b, last.getLoc(),
      RankedTensorType::get(place.shape, type.getElementType()), value,
      place.offsets, place.sizes, place.strides);
}

/// Loops of an operand's map as dimensions of the scores.
AffineMap BlockedAttention::toDims(MatmulOp op, unsigned operand,
                                   ArrayRef<AffineExpr> ofLoops) {
  return op.getMap(operand).replaceDimsAndSymbols(ofLoops, {}, dims.size() + 1,
                                                  0);
}

/// The map of a slice: what is left of its dimensions by `left`, an expression
/// for each dimension of the scores and for the one behind; null: none.
AffineMap BlockedAttention::mapOf(AffineMap map, ArrayRef<AffineExpr> left) {
  SmallVector<AffineExpr> results;
  unsigned count = 0;
  for (AffineExpr expr : left)
    if (expr)
      count = std::max(count, cast<AffineDimExpr>(expr).getPosition() + 1);
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      if (AffineExpr to = left[dim.getPosition()])
        results.push_back(to);
  return AffineMap::get(count, 0, results, map.getContext());
}

/// One of the products, on the block; with `sumsOnly` without what is made of
/// the sums.
Value BlockedAttention::emitProduct(OpBuilder &b, const ScoreBlock &block,
                                    MatmulOp op, Value lhs, Value init,
                                    ArrayRef<AffineExpr> ofLoops,
                                    bool sumsOnly) {
  // As loops of the new product: m, n, k.
  SmallVector<AffineExpr> loops(dims.size() + 1);
  for (auto [loop, expr] : llvm::enumerate(ofLoops))
    if (loop >= op.getNumBatchLoops())
      loops[cast<AffineDimExpr>(expr).getPosition()] =
          b.getAffineDimExpr(loop - op.getNumBatchLoops());
  SmallVector<AffineMap> maps;
  for (unsigned i = 0; i < 3; ++i)
    maps.push_back(mapOf(toDims(op, i, ofLoops), loops));
  Value rhs = sliceOf(b, block, op.getRhs(), toDims(op, 1, ofLoops));
  // Epilogues know dimensions of the result.
  AffineMap result = toDims(op, 2, ofLoops);
  SmallVector<AffineExpr> ofResult(dims.size() + 1);
  for (auto [i, expr] : llvm::enumerate(maps[2].getResults()))
    for (auto [d, loop] : llvm::enumerate(loops))
      if (loop == expr)
        ofResult[d] = b.getAffineDimExpr(i);
  SmallVector<Value> extras;
  SmallVector<AffineMap> extraMaps;
  for (auto [extra, map] : llvm::zip_equal(
           op.getExtras(), cast<KernelOpInterface>(op.getOperation())
                               .getEpilogueAffineMaps())) {
    if (sumsOnly)
      break;
    AffineMap ofDims = map.compose(result);
    extras.push_back(sliceOf(b, block, extra, ofDims));
    AffineMap mine = mapOf(ofDims, ofResult);
    extraMaps.push_back(AffineMap::get(maps[2].getNumResults(), 0,
                                       mine.getResults(), b.getContext()));
  }
  auto product = MatmulOp::create(
      b, op.getLoc(), init.getType(), lhs, rhs, extras, init,
      b.getAffineMapArrayAttr(maps), b.getAffineMapArrayAttr(extraMaps),
      op.getLhsUnsigned(), op.getRhsUnsigned(), op.getRhsFactorAttr());
  IRMapping map;
  if (sumsOnly)
    kernel::buildTrivialEpilogue(b, op.getLoc(), product.getEpilogue(),
                                 op.getAccumulatorType());
  else
    op.getEpilogue().cloneInto(&product.getEpilogue(), map);
  return product.getResult(0);
}

/// The greatest of a row is among what exponents are taken of: where nothing
/// but sums of products see the result, the least ones are dropped.
void BlockedAttention::dropTinyWeights(scf::ForallOp loop) {
  loop.walk([&](math::ExpOp op) {
    auto generic = dyn_cast<linalg::GenericOp>(op->getParentOp());
    Value exponent = op.getOperand();
    if (auto wide = exponent.getDefiningOp<arith::ExtFOp>()) {
      exponent = wide.getIn();
      if (auto rounded = exponent.getDefiningOp<arith::TruncFOp>())
        exponent = rounded.getIn();
    }
    auto difference = exponent.getDefiningOp<arith::SubFOp>();
    if (!generic || !difference)
      return;
    // Through a choice for rows in which all is hidden.
    Value greatest = difference.getRhs();
    if (auto choice = greatest.getDefiningOp<arith::SelectOp>())
      greatest = choice.getFalseValue();
    auto argument = dyn_cast<BlockArgument>(greatest);
    if (!argument)
      return;
    auto reduction = generic->getOperand(argument.getArgNumber())
                         .getDefiningOp<linalg::GenericOp>();
    if (!reduction || reduction.getNumReductionLoops() != 1 ||
        !isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(
            reduction.getBlock()
                ->getTerminator()
                ->getOperand(0)
                .getDefiningOp()))
      return;
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto constant = [&](double value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
    };
    Value least = constant(kLeastExponent), x = op.getOperand();
    // Softmax itself drops less.
    auto choice = op->hasOneUse() ? dyn_cast<arith::SelectOp>(*op->user_begin())
                                  : arith::SelectOp();
    auto less = choice ? choice.getCondition().getDefiningOp<arith::CmpFOp>()
                       : arith::CmpFOp();
    if (less && less.getPredicate() == arith::CmpFPredicate::OLT &&
        less.getLhs() == x && choice.getFalseValue() == op.getResult()) {
      less.getRhsMutable().assign(least);
      less->moveAfter(least.getDefiningOp());
      return;
    }
    Value isTiny =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, least);
    b.setInsertionPointAfter(op);
    Value zero = constant(0);
    auto result = arith::SelectOp::create(b, loc, isTiny, zero, op.getResult());
    op.getResult().replaceAllUsesExcept(result, result);
  });
}

/// The loop over rows, on the block; `weights` may be the scores themselves.
Value BlockedAttention::emitSoftmax(OpBuilder &b, const ScoreBlock &block,
                                    Value scores, Value weights) {
  Location loc = rows.getLoc();
  auto loop = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{block.rows},
                                    ValueRange{weights},
                                    /*mapping=*/std::nullopt);
  if (Attribute work = rows->getAttr(program::work))
    loop->setAttr(program::work, work);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVars()[0], arg = loop.getRegionIterArgs()[0];
  IRMapping map(block.variables);
  AffineExpr x = b.getAffineDimExpr(0), y = b.getAffineDimExpr(1);
  OpFoldResult start = block.firstRow;
  map.map(rowVariable,
          getValueOrCreateConstantIndexOp(
              b, loc,
              affine::makeComposedFoldedAffineApply(
                  b, loc, AffineMap::get(2, 0, x + y), {start, row})));
  SmallVector<OpFoldResult> offsets{row, b.getIndexAttr(0)},
      sizes{b.getIndexAttr(1), columnCount}, strides(2, b.getIndexAttr(1));
  auto type = RankedTensorType::get({numColumns}, b.getF32Type());
  Value mine = tensor::ExtractSliceOp::create(b, loc, type, arg, offsets, sizes,
                                              strides);
  Value read = mine;
  if (scores != weights)
    read = tensor::ExtractSliceOp::create(b, loc, type.clone(scoreType), scores,
                                          offsets, sizes, strides);
  for (Operation &op : rows.getBody()->without_terminator()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
    if (slice && slice.getSource() == first.getResult(0))
      map.map(slice.getResult(), read);
    else if (slice && slice.getSource() == rows.getRegionIterArgs()[0])
      map.map(slice.getResult(), mine);
    else
      b.clone(op, map);
  }
  auto insert = *rows.getTerminator()
                     .getBody()
                     ->getOps<tensor::ParallelInsertSliceOp>()
                     .begin();
  b.setInsertionPointToStart(loop.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, map.lookup(insert.getSource()),
                                        arg, offsets, sizes, strides);
  dropTinyWeights(loop);
  return loop.getResult(0);
}

/// Room for the scores of a block.
Value BlockedAttention::emitScratch(OpBuilder &b, const ScoreBlock &block,
                                    Type element) {
  Location loc = last.getLoc();
  SmallVector<OpFoldResult> sizes{block.rows, columnCount};
  if (!isOpen())
    return tensor::EmptyOp::create(b, loc, sizes, element);
  // A view of an empty tensor would be folded to one of open size.
  Value all = bufferization::AllocTensorOp::create(
      b, loc, RankedTensorType::get({mostScores()}, element), ValueRange());
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  OpFoldResult count = IndexMath{b, loc}.mul(block.rows, columnCount);
  Value some = tensor::ExtractSliceOp::create(b, loc, all, zero, count, one);
  ReassociationIndices both{0, 1};
  return tensor::ExpandShapeOp::create(
      b, loc,
      RankedTensorType::get({inType(block.rows), inType(columnCount)}, element),
      some, ArrayRef<ReassociationIndices>(both), sizes);
}

/// How many steps the loops over batches have, whose variables are those of the
/// loop over rows.
SmallVector<OpFoldResult>
BlockedAttention::batchBounds(SmallVectorImpl<Value> &variables) {
  SmallVector<OpFoldResult> bounds;
  for (auto [variable, bound] :
       llvm::zip_equal(rows.getInductionVars(), rows.getMixedUpperBound()))
    if (variable != rowVariable) {
      variables.push_back(variable);
      bounds.push_back(bound);
    }
  return bounds;
}

scf::ForallOp BlockedAttention::makeLoop(OpBuilder &b, OpFoldResult blocks,
                                         Value init, ScoreBlock &block) {
  SmallVector<Value> variables;
  SmallVector<OpFoldResult> bounds = batchBounds(variables);
  bounds.push_back(blocks);
  auto loop = scf::ForallOp::create(b, last.getLoc(), bounds, ValueRange{init},
                                    /*mapping=*/std::nullopt);
  for (auto [variable, iv] :
       llvm::zip_first(variables, loop.getInductionVars()))
    block.variables.map(variable, iv);
  return loop;
}

Value BlockedAttention::emitBlocks(OpBuilder &b, const RowBlocks &blocks,
                                   Value init) {
  Location loc = last.getLoc();
  ScoreBlock block;
  scf::ForallOp loop = makeLoop(b, blocks.count, init, block);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  IndexMath index{b, loc};
  AffineExpr number = b.getAffineDimExpr(0), size = b.getAffineSymbolExpr(0);
  block.firstRow = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(1, 1, number * size + blocks.from),
      {OpFoldResult(loop.getInductionVars().back()), blocks.size});
  if (getConstantIntValue(blocks.count) == int64_t(1))
    block.firstRow = b.getIndexAttr(blocks.from);
  block.rows = blocks.size;
  if (isOpen())
    block.rows = index.min(block.rows, index.sub(rowCount, block.firstRow));

  Value queries = sliceOf(b, block, first.getLhs(), toDims(first, 0, ofFirst));
  Value scores = emitProduct(b, block, first, queries,
                             emitScratch(b, block, scoreType), ofFirst);
  Value weights = scores;
  if (!scoreType.isF32())
    weights = emitScratch(b, block, b.getF32Type());
  weights = emitSoftmax(b, block, scores, weights);
  Value arg = loop.getRegionIterArgs()[0];
  AffineMap result = toDims(last, 2, ofLast);
  Value made = emitProduct(b, block, last, weights,
                           sliceOf(b, block, arg, result), ofLast);
  ScorePlace place = placeOf(b, block, arg, result);
  b.setInsertionPointToStart(loop.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, made, arg, place.offsets,
                                        place.sizes, place.strides);
  return loop.getResult(0);
}

/// A cache of halves is read as it is: to widen all of it would take longer
/// than to read it.
static void readHalves(OpBuilder &b, MatmulOp op) {
  b.setInsertionPoint(op);
  FailureOr<WidenedHalves> found = findHalves(b, op.getRhs());
  if (failed(found))
    return;
  op.getRhsMutable().assign(found->halves);
  op.setRhsFactorAttr(found->factor);
}

void BlockedAttention::replace(OpBuilder &b) {
  Location loc = last.getLoc();
  readHalves(b, first);
  readHalves(b, last);
  readDimsFrom(first.getResult(0), first.getInit());
  readDimsFrom(rows.getResult(0), rows.getOutputs()[0]);
  readDimsFrom(rows.getRegionIterArgs()[0], rows.getOutputs()[0]);
  readDimsFrom(last.getResult(0), last.getInit());
  b.setInsertionPoint(last);
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim.kind != ScoreDim::Batch)
      (dim.kind == ScoreDim::Row ? rowCount : columnCount) =
          tensor::getMixedSize(b, loc, first.getInit(), i);
  SmallVector<Bound> bounds = boundsOfSharing({b, loc});
  if (mayShareColumns(bounds))
    shareColumns(b, bounds);
  if (isOpen())
    replaceOpen(b);
  else
    replaceKnown(b);
}

void BlockedAttention::replaceKnown(OpBuilder &b) {
  int64_t size = chooseRows(), count = numRows / size, rest = numRows % size;
  auto attr = [&](int64_t value) { return b.getIndexAttr(value); };
  Value result = emitBlocks(b, {0, attr(count), attr(size)}, last.getInit());
  if (rest)
    result = emitBlocks(b, {count * size, attr(1), attr(rest)}, result);
  replaceBy(result);
}

void BlockedAttention::replaceBy(Value result) {
  last.getResult(0).replaceAllUsesWith(result);
  last.erase();
  rows.erase();
  first.erase();
}

/// Moves the three ops.
void BlockedAttention::moveBefore(Operation *place) {
  for (Operation *op :
       {first.getOperation(), rows.getOperation(), last.getOperation()})
    op->moveBefore(place);
}

void BlockedAttention::replaceOpen(OpBuilder &b) {
  Location loc = last.getLoc();
  IndexMath index{b, loc};
  if (!ShapedType::isDynamic(numColumns))
    return replaceBy(emitBlocks(b, chooseOpenRows(index), last.getInit()));
  Value columns = index.value(columnCount),
        most = index.value(index.constant(mostScores()));
  Value hasRoom =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, columns, most);
  auto choice = scf::IfOp::create(b, loc, last.getResult(0).getType(), hasRoom,
                                  /*withElseRegion=*/true);
  last.getResult(0).replaceAllUsesWith(choice.getResult(0));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value result = emitBlocks(b, chooseOpenRows(index), last.getInit());
  scf::YieldOp::create(b, loc, result);
  b.setInsertionPointToStart(choice.elseBlock());
  moveBefore(scf::YieldOp::create(b, loc, last.getResult(0)));
}

namespace {

class BlockAttention
    : public onnxc::impl::BlockAttentionPassBase<BlockAttention> {
public:
  using BlockAttentionPassBase::BlockAttentionPassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnxc::ProgramDialect, affine::AffineDialect,
                    arith::ArithDialect, bufferization::BufferizationDialect,
                    scf::SCFDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override {
    SmallVector<MatmulOp> products;
    getOperation().walk([&](MatmulOp op) {
      if (isa<RankedTensorType>(op.getLhs().getType()))
        products.push_back(op);
    });
    OpBuilder b(&getContext());
    for (MatmulOp op : products) {
      BlockedAttention attention(op);
      if (!attention.match())
        attention.replace(b);
    }
  }
};

} // namespace
