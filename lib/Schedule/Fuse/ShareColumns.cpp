//===- ShareColumns.cpp - Attention of few rows by blocks of columns ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of a decoder has a row or a few for each head of keys, and reads a
// long cache. Heads may be fewer than threads, or not a multiple of them. So
// threads share the cache by blocks of columns, which are keys and values, of
// one size:
//
//   forall batch, block of columns
//     scores of all rows, for the block
//   forall batch, row: softmax
//   forall batch, block of columns
//     partial sums: the block's weights times its values
//   the partial sums added up, block by block
//
// The scores of few rows are little beside what they are made of. Which path is
// taken, and the order of sums, follow from sizes alone: results have the same
// bits for any number of threads.
//
//===----------------------------------------------------------------------===//

#include "BlockAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace onnxc;

/// The keys of a block: long enough that a pass over their values is worth the
/// partial sums.
static constexpr int64_t kBlockColumns = 512;
/// Fewer columns are soon through.
static constexpr int64_t kLeastShared = 2 * kBlockColumns;
/// More rows find keys and values near, once they are read.
static constexpr int64_t kMostRows = 16;
/// So many matrices are shared out evenly.
static constexpr int64_t kManyTasks = 64;

/// There are so few rows and matrices, and so many columns.
SmallVector<Bound> BlockedAttention::boundsOfSharing(IndexMath index) {
  SmallVector<Value> variables;
  OpFoldResult tasks = index.constant(1), known = tasks;
  for (OpFoldResult bound : batchBounds(variables)) {
    tasks = index.mul(tasks, bound);
    // no overflow: scores fit memory
    if (std::optional<int64_t> count = getConstantIntValue(bound))
      known = index.mul(known, *count);
  }
  return {{rowCount, arith::CmpIPredicate::sle, kMostRows},
          {columnCount, arith::CmpIPredicate::sge, kLeastShared},
          {known, arith::CmpIPredicate::slt, kManyTasks},
          {tasks, arith::CmpIPredicate::slt, kManyTasks}};
}

/// Whether what is known of the numbers is within the bounds.
bool BlockedAttention::mayShareColumns(ArrayRef<Bound> bounds) {
  return last.getExtras().empty() && llvm::all_of(bounds, [](Bound bound) {
           std::optional<int64_t> number = getConstantIntValue(bound.number);
           return !number ||
                  arith::applyCmpPredicate(
                      bound.how, APInt(64, *number, /*isSigned=*/true),
                      APInt(64, bound.other, /*isSigned=*/true));
         });
}

/// Whether all numbers are within their bounds, when it runs.
static Value emitBounds(IndexMath index, ArrayRef<Bound> bounds) {
  Value all;
  for (const Bound &bound : bounds) {
    Value number = index.value(bound.number),
          other = index.value(index.constant(bound.other));
    Value holds =
        arith::CmpIOp::create(index.b, index.loc, bound.how, number, other);
    all =
        all ? arith::AndIOp::create(index.b, index.loc, all, holds).getResult()
            : holds;
  }
  return all;
}

/// A loop over batches and blocks of columns. `body` gets the block, the
/// destination and the block's number; it returns what goes there, and where.
Value BlockedAttention::emitColumnBlocks(
    OpBuilder &b, Value init,
    function_ref<Inserted(const ScoreBlock &, Value, OpFoldResult)> body) {
  Location loc = last.getLoc();
  IndexMath index{b, loc};
  ScoreBlock block;
  scf::ForallOp loop =
      makeLoop(b, index.ceilDiv(columnCount, kBlockColumns), init, block);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  OpFoldResult number = loop.getInductionVars().back();
  block.firstRow = b.getIndexAttr(0);
  block.rows = rowCount;
  block.firstColumn = index.mul(number, kBlockColumns);
  block.columns = index.min(index.constant(kBlockColumns),
                            index.sub(columnCount, block.firstColumn));
  Value arg = loop.getRegionIterArgs()[0];
  auto [made, place] = body(block, arg, number);
  b.setInsertionPointToStart(loop.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, made, arg, place.offsets,
                                        place.sizes, place.strides);
  return loop.getResult(0);
}

Value BlockedAttention::emitAllScores(OpBuilder &b) {
  Location loc = first.getLoc();
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, first.getInit()), scoreType);
  AffineMap result = toDims(first, 2, ofFirst);
  auto body = [&](const ScoreBlock &block, Value arg, OpFoldResult) {
    Value queries =
        sliceOf(b, block, first.getLhs(), toDims(first, 0, ofFirst));
    Value made = emitProduct(b, block, first, queries,
                             sliceOf(b, block, arg, result), ofFirst);
    return Inserted{made, placeOf(b, block, arg, result)};
  };
  return emitColumnBlocks(b, init, body);
}

/// The sums of each block, in a tensor with a dimension for the blocks in front
/// of those of the result.
Value BlockedAttention::emitPartialSums(OpBuilder &b, Value weights) {
  Location loc = last.getLoc();
  IndexMath index{b, loc};
  SmallVector<OpFoldResult> sizes{index.ceilDiv(columnCount, kBlockColumns)};
  sizes.append(tensor::getMixedSizes(b, loc, last.getInit()));
  Type sum = last.getAccumulatorType();
  Value init = tensor::EmptyOp::create(b, loc, sizes, sum);
  AffineMap result = toDims(last, 2, ofLast);
  auto body = [&](const ScoreBlock &block, Value arg, OpFoldResult number) {
    ScorePlace place = placeOf(b, block, last.getInit(), result);
    OpFoldResult one = b.getIndexAttr(1);
    place.offsets.insert(place.offsets.begin(), number);
    place.sizes.insert(place.sizes.begin(), one);
    place.strides.push_back(one);
    Value mine = tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get(place.shape, sum), arg, place.offsets,
        place.sizes, place.strides);
    Value lhs = sliceOf(b, block, weights, toDims(last, 0, ofLast));
    Value made =
        emitProduct(b, block, last, lhs, mine, ofLast, /*sumsOnly=*/true);
    return Inserted{made, place};
  };
  return emitColumnBlocks(b, init, body);
}

/// The sums, block after block, and what the product makes of them.
Value BlockedAttention::addPartialSums(OpBuilder &b, Value partial) {
  Location loc = last.getLoc();
  MLIRContext *context = b.getContext();
  Type sum = last.getAccumulatorType();
  auto type = cast<RankedTensorType>(last.getInit().getType());
  unsigned rank = type.getRank();
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, last.getInit()), sum);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(sum));
  Value start = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  SmallVector<AffineExpr> read{getAffineDimExpr(rank, context)};
  for (unsigned i = 0; i < rank; ++i)
    read.push_back(getAffineDimExpr(i, context));
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  auto elementwise = kinds;
  kinds.push_back(utils::IteratorType::reduction);
  Value sums =
      linalg::GenericOp::create(
          b, loc, start.getType(), partial, start,
          ArrayRef<AffineMap>{
              AffineMap::get(rank + 1, 0, read, context),
              AffineMap::get(rank + 1, 0, identity.getResults(), context)},
          kinds,
          [](OpBuilder &b, Location loc, ValueRange args) {
            Value next = arith::AddFOp::create(b, loc, args[1], args[0]);
            linalg::YieldOp::create(b, loc, next);
          })
          .getResult(0);
  return linalg::GenericOp::create(
             b, loc, type, sums, last.getInit(),
             ArrayRef<AffineMap>{identity, identity}, elementwise,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Block &epilogue = last.getEpilogue().front();
               IRMapping map;
               map.map(epilogue.getArgument(0), args[0]);
               for (Operation &op : epilogue.without_terminator())
                 b.clone(op, map);
               linalg::YieldOp::create(
                   b, loc,
                   map.lookupOrDefault(
                       epilogue.getTerminator()->getOperand(0)));
             })
      .getResult(0);
}

/// Puts the three ops into the branch that does not share columns.
void BlockedAttention::shareColumns(OpBuilder &b, ArrayRef<Bound> bounds) {
  Location loc = last.getLoc();
  auto choice = scf::IfOp::create(b, loc, last.getResult(0).getType(),
                                  emitBounds({b, loc}, bounds),
                                  /*withElseRegion=*/true);
  last.getResult(0).replaceAllUsesWith(choice.getResult(0));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    IRMapping map;
    map.map(first.getResult(0), emitAllScores(b));
    auto softmax = cast<scf::ForallOp>(b.clone(*rows, map));
    dropTinyWeights(softmax);
    Value partial = emitPartialSums(b, softmax.getResult(0));
    scf::YieldOp::create(b, loc, addPartialSums(b, partial));
    b.setInsertionPointToStart(choice.elseBlock());
    moveBefore(scf::YieldOp::create(b, loc, last.getResult(0)));
  }
  b.setInsertionPoint(last);
}
