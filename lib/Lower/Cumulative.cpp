//===- Cumulative.cpp - Sums and products of all elements up to each ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each result waits for the one before it, so what is done meanwhile decides:
// of other rows, or of all elements of a slice across the axis. No sum is taken
// in another order than ONNX's.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

namespace {

struct Scan {
  bool isSum, isExclusive, isReverse;

  Value neutral(Lowering &l, Type type) const {
    return l.constant(type, isSum ? 0 : 1);
  }
  Value combine(ScalarBuilder &s, Value total, Value x) const {
    return isSum ? s.add(total, x) : s.mul(total, x);
  }
  /// Where step `i` of a loop over `length` elements is.
  Value place(ScalarBuilder &s, Value i, Value length) const {
    return isReverse ? s.sub(s.sub(length, s.one(i)), i) : i;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Any axis
//===----------------------------------------------------------------------===//

/// One loop nest in the order of the sum; each element is made from the one
/// before it along the axis, which may be known at run time only. Across the
/// axis LLVM makes vectors of it.
static LogicalResult scanAlong(Lowering &l, const Scan &scan, Value x,
                               Value axis) {
  Type element = Lowering::elementType(x);
  Sizes sizes = l.sizes(x);
  int64_t rank = sizes.size();
  SmallVector<Value> isAxis, upper;
  Value isValid = l.constant(l.b.getBoolAttr(false));
  for (int64_t i = 0; i < rank; ++i) {
    upper.push_back(l.asValue(sizes[i]));
    Value same = l.constant(l.b.getBoolAttr(false));
    for (int64_t at : {i, i - rank})
      same = l.b.createOrFold<arith::OrIOp>(
          l.loc, same,
          l.b.createOrFold<arith::CmpIOp>(l.loc, arith::CmpIPredicate::eq, axis,
                                          l.index(at)));
    isAxis.push_back(same);
    isValid = l.b.createOrFold<arith::OrIOp>(l.loc, isValid, same);
  }
  l.check(isValid, "axis is out of range");
  Value neutral = scan.neutral(l, element);
  SmallVector<Value> lower(rank, l.index(0)), step(rank, l.index(1));
  auto nest = scf::buildLoopNest(
      l.b, l.loc, lower, upper, step, l.empty(sizes, element),
      [&](OpBuilder &b, Location loc, ValueRange loops, ValueRange state) {
        ScalarBuilder s(b, loc, element, false);
        // The element's place, and the place before it along the axis.
        SmallVector<Value> at, before;
        Value isFirst = l.constant(b.getBoolAttr(false));
        for (int64_t i = 0; i < rank; ++i) {
          Value last = s.sub(upper[i], s.one(loops[i]));
          Value index = loops[i];
          if (scan.isReverse)
            index = s.select(isAxis[i], s.sub(last, loops[i]), loops[i]);
          at.push_back(index);
          Value isZero = s.eq(loops[i], s.zero(loops[i]));
          isFirst = s.bitOr(isFirst, s.bitAnd(isAxis[i], isZero));
          Value moved;
          if (scan.isReverse) {
            moved = s.min(s.add(index, s.one(index)), last);
          } else {
            Value previous = s.sub(index, s.one(index));
            moved = s.max(previous, s.zero(index));
          }
          before.push_back(s.select(isAxis[i], moved, index));
        }
        Value sum =
            s.select(isFirst, neutral,
                     tensor::ExtractOp::create(b, loc, state[0], before));
        Value term = tensor::ExtractOp::create(b, loc, x,
                                               scan.isExclusive ? before : at);
        if (scan.isExclusive)
          term = s.select(isFirst, neutral, term);
        Value next = scan.combine(s, sum, term);
        return scf::ValueVector{
            tensor::InsertOp::create(b, loc, next, state[0], at)};
      });
  return l.replace(nest.results.front());
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// How many rows are summed side by side: an addition takes as long as it takes
/// to begin three or four, and of more rows that lie a power of two apart a
/// first-level cache does not hold what is read and written.
static constexpr int64_t numRows = 4;

/// The totals of `count` rows from `row` on, put into `result`.
static Value scanRows(Lowering &l, const Scan &scan, Value x, Value result,
                      Value row, int64_t count) {
  Type element = Lowering::elementType(x);
  Value length = l.asValue(l.dim(x, 1)), zero = l.index(0), one = l.index(1);
  SmallVector<Value> state{result};
  state.append(count, scan.neutral(l, element));
  auto loop = scf::ForOp::create(
      l.b, l.loc, zero, length, one, state,
      [&](OpBuilder &b, Location loc, Value i, ValueRange carried) {
        ScalarBuilder s(b, loc, element, false);
        Value to = carried.front(), at = scan.place(s, i, length);
        SmallVector<Value> totals;
        for (auto [k, total] : llvm::enumerate(carried.drop_front())) {
          Value own = s.add(row, s.constant(row, double(k)));
          Value x1 = tensor::ExtractOp::create(b, loc, x, ValueRange{own, at});
          totals.push_back(scan.combine(s, total, x1));
          to = tensor::InsertOp::create(
              b, loc, scan.isExclusive ? total : totals.back(), to,
              ValueRange{own, at});
        }
        totals.insert(totals.begin(), to);
        scf::YieldOp::create(b, loc, totals);
      });
  return loop.getResult(0);
}

/// Along the second dimension of a matrix: several rows at once, then the rest.
static Value scanMatrix(Lowering &l, const Scan &scan, Value x) {
  Sizes sizes = l.sizes(x);
  OpFoldResult grouped =
      l.mul(l.floorDiv(sizes[0], l.attr(numRows)), l.attr(numRows));
  Value result = l.empty(sizes, Lowering::elementType(x));
  auto cover = [&](OpFoldResult from, OpFoldResult to, int64_t step) {
    if (isSameIndex(from, to))
      return;
    Value first = l.asValue(from), last = l.asValue(to);
    auto loop = scf::ForOp::create(l.b, l.loc, first, last, l.index(step),
                                   ValueRange{result});
    OpBuilder::InsertionGuard guard(l.b);
    l.b.setInsertionPointToStart(loop.getBody());
    Value next = scanRows(l, scan, x, loop.getRegionIterArg(0),
                          loop.getInductionVar(), step);
    scf::YieldOp::create(l.b, l.loc, next);
    result = loop.getResult(0);
  };
  cover(l.attr(0), grouped, numRows);
  cover(grouped, sizes[0], 1);
  return result;
}

//===----------------------------------------------------------------------===//
// CumSum, CumProd
//===----------------------------------------------------------------------===//

/// The rows of `x`, if the axis is that of rows; else null.
static Value scanRowsOf(Lowering &l, const Scan &scan, Value x, int64_t axis) {
  Sizes sizes = l.sizes(x);
  ArrayRef<OpFoldResult> all = sizes;
  if (getConstantIntValue(l.product(all.drop_front(axis + 1))) != int64_t(1))
    return nullptr;
  OpFoldResult rows = l.product(all.take_front(axis));
  Value matrix = l.reshape(x, {rows, sizes[axis]});
  return l.reshape(scanMatrix(l, scan, matrix), sizes);
}

template <typename OpTy, bool isSum>
static LogicalResult lowerScan(OpTy op, typename OpTy::Adaptor operands,
                               Lowering &l) {
  Value x = operands.getX();
  if (Lowering::rank(x) == 0)
    return l.invalid("the input is a scalar, expected at least rank 1");
  Scan scan{isSum, op.getExclusive() != 0, op.getReverse() != 0};
  OpFoldResult axis = l.asIndex(l.scalar(operands.getAxis()));
  if (std::optional<int64_t> known = getConstantIntValue(axis)) {
    int64_t rank = Lowering::rank(x), at = *known < 0 ? *known + rank : *known;
    if (at >= 0 && at < rank)
      if (Value rows = scanRowsOf(l, scan, x, at))
        return l.replace(rows);
  }
  return scanAlong(l, scan, x, l.asValue(axis));
}

void onnxc::populateCumulative(Lowerings &lowerings) {
  lowerings.add<CumProdOp>(lowerScan<CumProdOp, false>);
  lowerings.add<CumSumOp>(lowerScan<CumSumOp, true>);
}
