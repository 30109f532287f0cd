//===- Sampling.cpp - Values between the elements of a tensor -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sampling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;

Value onnxc::indexToFloat(ScalarBuilder &s, Value index, Type type) {
  OpBuilder &b = s.getBuilder();
  Value integer =
      b.createOrFold<arith::IndexCastOp>(s.getLoc(), b.getI64Type(), index);
  return s.cast(integer, type, false, false);
}

Value onnxc::floatToIndex(ScalarBuilder &s, Value number) {
  OpBuilder &b = s.getBuilder();
  Value integer = s.cast(number, b.getI64Type(), false, false);
  return arith::IndexCastOp::create(b, s.getLoc(), b.getIndexType(), integer);
}

Value onnxc::sizeAsFloat(Lowering &l, OpFoldResult size, Type type) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return l.constant(type, double(*known));
  ScalarBuilder s(l.b, l.loc, type, false);
  return indexToFloat(s, l.asValue(size), type);
}

Value onnxc::clampNumber(ScalarBuilder &s, Value x, Value low, Value high) {
  Value above = s.select(s.gt(x, low), x, low);
  return s.select(s.lt(above, high), above, high);
}

Value onnxc::clampToIntegers(ScalarBuilder &s, Value x, Type type,
                             bool isUnsigned) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() == 1)
    return x;
  int digits = cast<FloatType>(x.getType()).getFPMantissaWidth(),
      bits = int(integer.getWidth()) - (isUnsigned ? 0 : 1);
  double end = std::ldexp(1.0, bits);
  // The greatest float that is not beyond.
  double high = end - std::ldexp(1.0, std::max(bits - digits, 0));
  Value low = s.constant(x, isUnsigned ? 0 : -end);
  return clampNumber(s, x, low, s.constant(x, high));
}

static Value polynomial(ScalarBuilder &s, Value d, ArrayRef<double> factors) {
  Value sum = s.constant(d, factors.front());
  for (double factor : factors.drop_front()) {
    Value scaled = s.mul(sum, d);
    sum = s.add(scaled, s.constant(d, factor));
  }
  return sum;
}

Value onnxc::cubicNear(ScalarBuilder &s, Value d, double a) {
  return polynomial(s, d, {a + 2, -(a + 3), 0, 1});
}

Value onnxc::cubicFar(ScalarBuilder &s, Value d, double a) {
  return polynomial(s, d, {a, -5 * a, 8 * a, -4 * a});
}

Taps onnxc::linearTaps(ScalarBuilder &s, Value position) {
  Value at = s.floor(position), ratio = s.sub(position, at);
  Value one = s.one(at);
  return {{at, s.add(at, one)}, {s.sub(one, ratio), ratio}, {}};
}

Taps onnxc::cubicTaps(ScalarBuilder &s, Value position, double a) {
  Value at = s.floor(position), ratio = s.sub(position, at);
  Value one = s.one(at), rest = s.sub(one, ratio);
  Taps taps;
  for (double offset : {-1.0, 0.0, 1.0, 2.0})
    taps.at.push_back(s.add(at, s.constant(at, offset)));
  taps.weights = {cubicFar(s, s.add(ratio, one), a), cubicNear(s, ratio, a),
                  cubicNear(s, rest, a), cubicFar(s, s.add(rest, one), a)};
  return taps;
}

void onnxc::settleTaps(ScalarBuilder &s, Taps &taps, Value size,
                       bool zerosOutside) {
  Value zero = s.zero(size), last = s.sub(size, s.one(size));
  for (Value &at : taps.at) {
    if (zerosOutside) {
      Value isNotBefore = s.ge(at, zero);
      taps.counts.push_back(s.bitAnd(isNotBefore, s.le(at, last)));
    }
    at = floatToIndex(s, clampNumber(s, at, zero, last));
  }
}

Value onnxc::sumTaps(ScalarBuilder &s, Value x, ArrayRef<Value> from,
                     ArrayRef<int64_t> dims, ArrayRef<Taps> taps, Type type,
                     bool isUnsigned) {
  bool isWeighted = llvm::any_of(
      taps, [](const Taps &taps) { return !taps.weights.empty(); });
  SmallVector<Value> place(from);
  auto sum = [&](auto &self, size_t i, Value counts) -> Value {
    if (i == taps.size()) {
      Value read =
          tensor::ExtractOp::create(s.getBuilder(), s.getLoc(), x, place);
      if (isWeighted)
        read = s.cast(read, type, isUnsigned, false);
      return counts ? s.select(counts, read, s.zero(read)) : read;
    }
    Value total;
    for (auto [j, at] : llvm::enumerate(taps[i].at)) {
      place[dims[i]] = at;
      Value all = counts;
      if (!taps[i].counts.empty())
        all = counts ? s.bitAnd(counts, taps[i].counts[j]) : taps[i].counts[j];
      Value part = self(self, i + 1, all);
      if (!taps[i].weights.empty())
        part = s.mul(part, s.cast(taps[i].weights[j], type, false, false));
      total = total ? s.add(total, part) : part;
    }
    return total;
  };
  return sum(sum, 0, {});
}

TapTables onnxc::tabulateTaps(
    Lowering &l, ArrayRef<OpFoldResult> shape, int64_t count, Type type,
    bool hasCounts,
    llvm::function_ref<Taps(ScalarBuilder &, ValueRange)> tapsOf) {
  Sizes sizes = {l.attr(count)};
  llvm::append_range(sizes, shape);
  auto table = [&](Type element, auto listOf) {
    return l.generate(sizes, element, [&](ScalarBuilder &s, ValueRange loops) {
      OpBuilder &b = s.getBuilder();
      Taps taps = tapsOf(s, loops.drop_front());
      ArrayRef<Value> list = listOf(taps);
      Value chosen = list.front();
      for (auto [i, value] : llvm::enumerate(list.drop_front())) {
        Value number = arith::ConstantIndexOp::create(b, s.getLoc(), i + 1);
        chosen = s.select(s.eq(loops.front(), number), value, chosen);
      }
      if (chosen.getType().isInteger(1))
        return arith::ExtUIOp::create(b, s.getLoc(), element, chosen)
            .getResult();
      if (isa<IndexType>(chosen.getType()))
        return arith::IndexCastOp::create(b, s.getLoc(), element, chosen)
            .getResult();
      return s.cast(chosen, element, false, false);
    });
  };
  TapTables tables;
  tables.count = count;
  tables.at = table(l.b.getI64Type(),
                    [](Taps &taps) -> ArrayRef<Value> { return taps.at; });
  if (type)
    tables.weights =
        table(type, [](Taps &taps) -> ArrayRef<Value> { return taps.weights; });
  // As bytes: loops over elements that are narrower have no vectors.
  if (hasCounts)
    tables.counts = table(l.b.getI8Type(), [](Taps &taps) -> ArrayRef<Value> {
      return taps.counts;
    });
  return tables;
}

void TapOperands::append(const TapTables &tables, unsigned loops,
                         ArrayRef<AffineExpr> point) {
  for (Value table : {tables.at, tables.weights, tables.counts})
    for (int64_t tap = 0; table && tap < tables.count; ++tap) {
      MLIRContext *context = table.getContext();
      SmallVector<AffineExpr> at = {getAffineConstantExpr(tap, context)};
      llvm::append_range(at, point);
      inputs.push_back(table);
      maps.push_back(AffineMap::get(loops, 0, at, context));
    }
}

Taps onnxc::readTaps(ScalarBuilder &s, const TapTables &tables,
                     ValueRange &args) {
  auto take = [&](Value table) {
    int64_t count = table ? tables.count : 0;
    SmallVector<Value> own(args.take_front(count));
    args = args.drop_front(count);
    return own;
  };
  Taps taps;
  OpBuilder &b = s.getBuilder();
  for (Value at : take(tables.at))
    taps.at.push_back(
        arith::IndexCastOp::create(b, s.getLoc(), b.getIndexType(), at));
  taps.weights = take(tables.weights);
  for (Value counts : take(tables.counts))
    taps.counts.push_back(s.ne(counts, s.zero(counts)));
  return taps;
}

void TableSampling::add(int64_t dim, const TapTables &table, unsigned loops,
                        ArrayRef<AffineExpr> point) {
  dims.push_back(dim);
  tables.push_back(table);
  operands.append(table, loops, point);
}

Value onnxc::sampleByTables(Lowering &l, Value x, const TableSampling &sampling,
                            ArrayRef<OpFoldResult> sizes) {
  bool isUnsigned = l.isUnsigned();
  return l.map(
      sampling.operands.inputs, sampling.operands.maps, sizes, sampling.element,
      [&](ScalarBuilder &s, ValueRange args) {
        SmallVector<Value> from;
        for (unsigned i = 0; i < sizes.size(); ++i)
          from.push_back(
              linalg::IndexOp::create(s.getBuilder(), s.getLoc(), i));
        SmallVector<Taps> taps;
        for (const TapTables &own : sampling.tables)
          taps.push_back(readTaps(s, own, args));
        Value sum =
            sumTaps(s, x, from, sampling.dims, taps, sampling.type, isUnsigned);
        if (isa<FloatType>(sum.getType()))
          sum = clampToIntegers(s, sum, sampling.element, sampling.toUnsigned);
        return s.cast(sum, sampling.element, isUnsigned, sampling.toUnsigned);
      },
      isUnsigned);
}

void onnxc::checkReadable(Lowering &l, Value x, ArrayRef<int64_t> dims,
                          ArrayRef<OpFoldResult> result) {
  ScalarBuilder s(l.b, l.loc, l.b.getIndexType(), false);
  for (int64_t dim : dims) {
    OpFoldResult size = l.dim(x, dim);
    if (getConstantIntValue(size).value_or(0) > 0)
      continue;
    Value there = l.asValue(size), count = l.asValue(l.product(result));
    Value exists = s.gt(there, s.zero(there));
    l.check(s.bitOr(exists, s.eq(count, s.zero(count))),
            "dimension " + Twine(dim) + " of the input must not be empty");
  }
}
