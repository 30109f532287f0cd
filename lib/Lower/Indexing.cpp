//===- Indexing.cpp - Elements chosen by index tensors --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices are clamped where they are used, so that no element outside of a
// tensor is touched, and checked by a reduction before.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"

#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

Value onnxc::toIndex(ScalarBuilder &s, Value element) {
  if (element.getType().isIndex())
    return element;
  return arith::IndexCastOp::create(s.getBuilder(), s.getLoc(),
                                    s.getBuilder().getIndexType(), element);
}

Value onnxc::clampIndex(ScalarBuilder &s, Value at, Value size) {
  Value isNegative = s.lt(at, s.zero(at));
  Value wrapped = s.select(isNegative, s.add(at, size), at);
  // What is below zero still is a great number without a sign.
  Value last = s.sub(size, s.one(size));
  last = s.max(last, s.zero(size));
  return arith::MinUIOp::create(s.getBuilder(), s.getLoc(), wrapped, last);
}

static Value isAboveLeast(ScalarBuilder &s, Value at, Value size) {
  return s.ge(at, s.sub(s.zero(size), size));
}

/// What an index into a dimension of `size` must be, as far as that is known.
static std::string describeRange(OpFoldResult size) {
  std::optional<int64_t> known = getConstantIntValue(size);
  if (!known)
    return "";
  if (*known == 0)
    return ": there are no elements";
  return (", expected " + Twine(-*known) + " to " + Twine(*known - 1)).str();
}

LogicalResult onnxc::checkIndices(Lowering &l, Value indices,
                                  ArrayRef<OpFoldResult> limits) {
  RankedTensorType type = Lowering::typeOf(indices);
  int64_t rank = type.getRank(), count = limits.size();
  ElementsAttr constant;
  if (matchPattern(indices, m_Constant(&constant)) && type.hasStaticShape() &&
      type.getNumElements() < (1 << 20) &&
      llvm::all_of(limits, [](OpFoldResult limit) {
        return getConstantIntValue(limit).has_value();
      })) {
    for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
      std::optional<int64_t> at = getConstantInteger(indices, i);
      int64_t limit = *getConstantIntValue(limits[i % count]);
      if (at && (*at < -limit || *at >= limit))
        return l.invalidWhenRun("index " + Twine(*at) +
                                " is out of range for size " + Twine(limit));
    }
    return success();
  }
  SmallVector<Value> bounds;
  for (OpFoldResult limit : limits)
    bounds.push_back(l.asValue(limit));
  Value yes = l.constant(l.b.getBoolAttr(true));
  auto body = [&](ScalarBuilder &s, ValueRange args) {
    Value bound = bounds.front();
    if (count > 1) {
      Value which =
          linalg::IndexOp::create(s.getBuilder(), s.getLoc(), rank - 1);
      for (int64_t i = 1; i < count; ++i)
        bound = s.select(s.eq(which, s.constant(which, double(i))), bounds[i],
                         bound);
    }
    Value at = toIndex(s, args[0]);
    Value isBelow = s.lt(at, bound);
    Value isInRange = s.bitAnd(isBelow, isAboveLeast(s, at, bound));
    return s.bitAnd(args[1], isInRange);
  };
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Value all = l.reduce(indices, axes, yes, body);
  l.check(tensor::ExtractOp::create(l.b, l.loc, all, ValueRange{}),
          "an index is out of range" +
              (count == 1 ? describeRange(limits.front()) : ""));
  return success();
}

void onnxc::checkUpTo(Lowering &l, Value integers, Value limit,
                      const Twine &message) {
  Value all =
      l.reduce(integers,
               llvm::to_vector(llvm::seq<int64_t>(0, Lowering::rank(integers))),
               l.constant(l.b.getBoolAttr(true)),
               [&](ScalarBuilder &s, ValueRange args) {
                 Value each = toIndex(s, args[0]);
                 Value isNotNegative = s.ge(each, s.zero(each));
                 Value fits = s.bitAnd(isNotNegative, s.le(each, limit));
                 return s.bitAnd(args[1], fits);
               });
  l.check(tensor::ExtractOp::create(l.b, l.loc, all, ValueRange{}), message);
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

static LogicalResult lowerGather(GatherOp op, GatherOp::Adaptor operands,
                                 Lowering &l) {
  Value data = operands.getData(), indices = operands.getIndices();
  RankedTensorType type = l.resultType();
  int64_t rank = Lowering::rank(data), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  int64_t indexRank = Lowering::rank(indices);
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  OpFoldResult limit = l.dim(data, axis);
  std::optional<SmallVector<int64_t>> known;
  if (Lowering::isShapeLike(indices))
    known = l.constants(indices);

  auto refuseIndex = [&](int64_t at, int64_t size) -> LogicalResult {
    if (failed(l.invalidWhenRun("index " + Twine(at) +
                                " is out of range for size " + Twine(size))))
      return failure();
    return l.replace(l.empty(*sizes, Lowering::elementType(data)));
  };

  if (known && Lowering::isShapeLike(data) && Lowering::isShapeLike(type)) {
    SmallVector<Value> all = l.scalars(data), chosen;
    for (int64_t at : *known) {
      if (at < -int64_t(all.size()) || at >= int64_t(all.size()))
        return refuseIndex(at, all.size());
      chosen.push_back(all[at < 0 ? at + all.size() : at]);
    }
    return l.replace(l.fromScalars(type, chosen));
  }

  // One index takes a slice.
  RankedTensorType indexType = Lowering::typeOf(indices);
  if (indexType.hasStaticShape() && indexType.getNumElements() == 1) {
    OpFoldResult at = l.asIndex(l.scalar(indices));
    std::optional<int64_t> fixed = getConstantIntValue(at);
    std::optional<int64_t> size = getConstantIntValue(limit);
    if (fixed && size) {
      if (*fixed < -*size || *fixed >= *size)
        return refuseIndex(*fixed, *size);
      at = l.attr(*fixed < 0 ? *fixed + *size : *fixed);
    } else {
      ScalarBuilder s(l.b, l.loc, l.b.getIndexType(), false);
      Value where = l.asValue(at), bound = l.asValue(limit);
      std::string message = "the index is out of range" + describeRange(limit);
      l.check(s.lt(where, bound), message);
      l.check(isAboveLeast(s, where, bound), message);
      at = getAsOpFoldResult(clampIndex(s, where, bound));
    }
    Sizes offsets(rank, l.attr(0)), part = l.sizes(data);
    offsets[axis] = at;
    part[axis] = l.attr(1);
    return l.replace(l.reshape(l.slice(data, offsets, part), *sizes));
  }

  if (failed(checkIndices(l, indices, limit)))
    return failure();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < indexRank; ++i)
    exprs.push_back(l.b.getAffineDimExpr(axis + i));
  AffineMap indexMap =
      AffineMap::get(sizes->size(), 0, exprs, l.b.getContext());
  Value bound = l.asValue(limit);
  return l.replace(l.map(
      indices, indexMap, *sizes, type.getElementType(),
      [&](ScalarBuilder &s, ValueRange args) -> Value {
        OpBuilder &b = s.getBuilder();
        SmallVector<Value> from;
        for (int64_t i = 0; i < rank; ++i) {
          int64_t loop = i < axis ? i : i + indexRank - 1;
          from.push_back(
              i == axis ? clampIndex(s, toIndex(s, args[0]), bound)
                        : Value(linalg::IndexOp::create(b, s.getLoc(), loop)));
        }
        return tensor::ExtractOp::create(b, s.getLoc(), data, from);
      }));
}

static LogicalResult lowerGatherElements(GatherElementsOp op,
                                         GatherElementsOp::Adaptor operands,
                                         Lowering &l) {
  Value data = operands.getData(), indices = operands.getIndices();
  int64_t rank = Lowering::rank(data), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  // Apart from the axis, places are those of the indices: they must exist.
  for (int64_t i = 0; i < rank; ++i) {
    OpFoldResult here = l.dim(indices, i), there = l.dim(data, i);
    if (i == axis || isSameIndex(here, there))
      continue;
    Value hereValue = l.asValue(here);
    l.check(l.b.createOrFold<arith::CmpIOp>(l.loc, arith::CmpIPredicate::sle,
                                            hereValue, l.asValue(there)),
            "indices must not be larger than data in dimension " + Twine(i));
  }
  OpFoldResult limit = l.dim(data, axis);
  if (failed(checkIndices(l, indices, limit)))
    return failure();
  Value bound = l.asValue(limit);
  return l.replace(l.map(
      indices, l.identityMap(rank), *sizes, l.resultType().getElementType(),
      [&](ScalarBuilder &s, ValueRange args) -> Value {
        OpBuilder &b = s.getBuilder();
        SmallVector<Value> from;
        for (int64_t i = 0; i < rank; ++i)
          from.push_back(
              i == axis ? clampIndex(s, toIndex(s, args[0]), bound)
                        : Value(linalg::IndexOp::create(b, s.getLoc(), i)));
        return tensor::ExtractOp::create(b, s.getLoc(), data, from);
      }));
}

static LogicalResult lowerGatherND(GatherNDOp op, GatherNDOp::Adaptor operands,
                                   Lowering &l) {
  Value data = operands.getData(), indices = operands.getIndices();
  int64_t rank = Lowering::rank(data), indexRank = Lowering::rank(indices),
          batch = op.getBatchDims();
  // The ranks tell how long an index is.
  int64_t tuple = indexRank - 1 + rank - batch - l.resultType().getRank();
  if (tuple < 0 || batch + tuple > rank || batch >= indexRank)
    return l.invalid("the ranks of data, indices and the result do not fit");
  l.checkEqual(l.dim(indices, indexRank - 1), l.attr(tuple),
               "an index must have " + Twine(tuple) + " elements");
  Sizes sizes = l.sizes(indices), dataSizes = l.sizes(data);
  sizes.pop_back();
  sizes.append(dataSizes.begin() + batch + tuple, dataSizes.end());
  Sizes limits;
  for (int64_t i = 0; i < tuple; ++i)
    limits.push_back(l.dim(data, batch + i));
  for (int64_t i = 0; i < batch; ++i) {
    OpFoldResult batchSize = l.dim(data, i);
    l.checkEqual(batchSize, l.dim(indices, i),
                 "batch dimensions of data and indices must be equal");
  }
  if (tuple && failed(checkIndices(l, indices, limits)))
    return failure();
  SmallVector<Value> bounds;
  for (OpFoldResult limit : limits)
    bounds.push_back(l.asValue(limit));
  // Loops: the dimensions of indices but the last, then the rest of data.
  return l.replace(l.generate(
      sizes, l.resultType().getElementType(),
      [&](ScalarBuilder &s, ValueRange loops) -> Value {
        OpBuilder &b = s.getBuilder();
        SmallVector<Value> from(loops.take_front(batch));
        SmallVector<Value> at(loops.take_front(indexRank - 1));
        at.push_back(nullptr);
        for (int64_t i = 0; i < tuple; ++i) {
          at.back() = arith::ConstantIndexOp::create(b, s.getLoc(), i);
          Value index =
              toIndex(s, tensor::ExtractOp::create(b, s.getLoc(), indices, at));
          from.push_back(clampIndex(s, index, bounds[i]));
        }
        llvm::append_range(from, loops.drop_front(indexRank - 1));
        return tensor::ExtractOp::create(b, s.getLoc(), data, from);
      }));
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// What an update does to the element in place.
static std::optional<
    llvm::unique_function<Value(ScalarBuilder &, Value, Value)>>
getUpdate(StringRef reduction) {
  using Function = llvm::unique_function<Value(ScalarBuilder &, Value, Value)>;
  if (reduction == "none")
    return Function(
        [](ScalarBuilder &, Value, Value update) { return update; });
  if (reduction == "add")
    return Function([](ScalarBuilder &s, Value old, Value update) {
      return old.getType().isInteger(1) ? s.bitOr(old, update)
                                        : s.add(old, update);
    });
  if (reduction == "mul")
    return Function([](ScalarBuilder &s, Value old, Value update) {
      return old.getType().isInteger(1) ? s.bitAnd(old, update)
                                        : s.mul(old, update);
    });
  if (reduction == "max")
    return Function([](ScalarBuilder &s, Value old, Value update) {
      return s.max(old, update);
    });
  if (reduction == "min")
    return Function([](ScalarBuilder &s, Value old, Value update) {
      return s.min(old, update);
    });
  return std::nullopt;
}

namespace {

/// What each step of the loops of a Scatter does.
class Scatter {
public:
  Scatter(Lowering &l, Value data, Value updates, StringRef reduction,
          int64_t numLoops)
      : l(l), updates(updates), element(Lowering::elementType(data)),
        numLoops(numLoops), update(getUpdate(reduction)),
        replaces(reduction == "none") {
    from = l.sizes(updates);
    to = l.sizes(data);
    length = from.size() - numLoops;
    tuple = to.size() - length;
    std::fill_n(from.begin(), numLoops, l.attr(1));
    std::fill_n(to.begin(), tuple, l.attr(1));
    // They are equal, and may be known of one tensor alone: a slice has one
    // type.
    for (auto [a, b] : llvm::zip_equal(
             MutableArrayRef<OpFoldResult>(from).drop_front(numLoops),
             MutableArrayRef<OpFoldResult>(to).drop_front(tuple))) {
      if (getConstantIntValue(a))
        b = a;
      else
        a = b;
    }
  }

  explicit operator bool() const { return update.has_value(); }

  Value putElement(ScalarBuilder &s, ValueRange here, ValueRange there,
                   Value data) {
    OpBuilder &b = s.getBuilder();
    Location loc = s.getLoc();
    Value next = tensor::ExtractOp::create(b, loc, updates, here);
    if (!replaces)
      next = (*update)(s, tensor::ExtractOp::create(b, loc, data, there), next);
    return tensor::InsertOp::create(b, loc, next, data, there);
  }

  Value putSlice(ValueRange here, ValueRange there, Value data) {
    auto offsets = [&](ValueRange known) {
      Sizes all = getAsOpFoldResult(known);
      all.append(length, l.attr(0));
      return all;
    };
    auto loopDims = llvm::to_vector(llvm::seq<int64_t>(0, numLoops)),
         tupleDims = llvm::to_vector(llvm::seq<int64_t>(0, tuple));
    Sizes at = offsets(there), strides(to.size(), l.attr(1));
    Value next = l.sliceWithout(updates, offsets(here), from, loopDims);
    if (!replaces)
      next = l.mapSame(
          {l.sliceWithout(data, at, to, tupleDims), next}, element,
          [&](ScalarBuilder &s, ValueRange args) {
            return (*update)(s, args[0], args[1]);
          },
          l.isUnsigned());
    return tensor::InsertSliceOp::create(l.b, l.loc, next, data, at, to,
                                         strides);
  }

  Value put(ValueRange here, ValueRange there, Value data) {
    if (length > 0)
      return putSlice(here, there, data);
    // Of a slice of one element an update would be a loop.
    ScalarBuilder s(l.b, l.loc, element, l.isUnsigned());
    return putElement(s, here, there, data);
  }

private:
  Lowering &l;
  Value updates;
  Type element;
  int64_t numLoops, length, tuple;
  Sizes from, to;
  std::optional<llvm::unique_function<Value(ScalarBuilder &, Value, Value)>>
      update;
  bool replaces;
};

} // namespace

FailureOr<Value> onnxc::scatter(
    Lowering &l, Value data, Value updates, StringRef reduction,
    int64_t numLoops,
    llvm::function_ref<SmallVector<Value>(ScalarBuilder &, ValueRange)> place) {
  Scatter scatter(l, data, updates, reduction, numLoops);
  if (!scatter)
    return l.invalid("reduction '" + reduction +
                     "', expected none, add, mul, min or max");
  SmallVector<Value> lower(numLoops, l.index(0)), step(numLoops, l.index(1)),
      upper;
  for (int64_t i = 0; i < numLoops; ++i)
    upper.push_back(l.asValue(l.dim(updates, i)));
  auto body = [&](OpBuilder &b, Location loc, ValueRange loops,
                  ValueRange state) -> scf::ValueVector {
    OpBuilder::InsertionGuard guard(l.b);
    l.b.setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
    ScalarBuilder onIndices(l.b, loc, l.b.getIndexType(), false);
    SmallVector<Value> there = place(onIndices, loops);
    return {scatter.put(loops, there, state[0])};
  };
  if (numLoops == 0)
    return body(l.b, l.loc, {}, data).front();
  return scf::buildLoopNest(l.b, l.loc, lower, upper, step, data, body)
      .results.front();
}

/// ScatterElements, and Scatter, its former name.
template <typename OpTy>
static LogicalResult
lowerScatterElements(OpTy op, typename OpTy::Adaptor operands, Lowering &l) {
  StringRef reduction = "none";
  if constexpr (std::is_same_v<OpTy, ScatterElementsOp>)
    reduction = op.getReduction();
  Value data = operands.getData(), indices = operands.getIndices(),
        updates = operands.getUpdates();
  int64_t rank = Lowering::rank(data), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  for (int64_t i = 0; i < rank; ++i) {
    OpFoldResult size = l.dim(indices, i);
    l.checkEqual(size, l.dim(updates, i),
                 "indices and updates must have the same shape");
    OpFoldResult here = l.dim(indices, i), there = l.dim(data, i);
    if (i != axis && !isSameIndex(here, there)) {
      Value hereValue = l.asValue(here);
      l.check(l.b.createOrFold<arith::CmpIOp>(l.loc, arith::CmpIPredicate::sle,
                                              hereValue, l.asValue(there)),
              "indices must not be larger than data in dimension " + Twine(i));
    }
  }
  OpFoldResult limit = l.dim(data, axis);
  if (failed(checkIndices(l, indices, limit)))
    return failure();
  Value bound = l.asValue(limit);
  FailureOr<Value> result =
      scatter(l, data, updates, reduction, rank,
              [&](ScalarBuilder &s, ValueRange loops) {
                SmallVector<Value> to(loops);
                Value index = tensor::ExtractOp::create(
                    s.getBuilder(), s.getLoc(), indices, loops);
                if (rank)
                  to[axis] = clampIndex(s, toIndex(s, index), bound);
                return to;
              });
  if (failed(result))
    return failure();
  return l.replace(*result);
}

static LogicalResult
lowerScatterND(ScatterNDOp op, ScatterNDOp::Adaptor operands, Lowering &l) {
  Value data = operands.getData(), indices = operands.getIndices(),
        updates = operands.getUpdates();
  int64_t rank = Lowering::rank(data), indexRank = Lowering::rank(indices);
  // The ranks tell how long an index is.
  int64_t tuple = indexRank - 1 + rank - Lowering::rank(updates);
  if (indexRank == 0 || tuple < 0 || tuple > rank)
    return l.invalid("the ranks of data, indices and updates do not fit");
  l.checkEqual(l.dim(indices, indexRank - 1), l.attr(tuple),
               "an index must have " + Twine(tuple) + " elements");
  Sizes limits;
  for (int64_t i = 0; i < tuple; ++i)
    limits.push_back(l.dim(data, i));
  for (int64_t i = 0; i < Lowering::rank(updates); ++i) {
    OpFoldResult size = l.dim(updates, i);
    l.checkEqual(size,
                 i < indexRank - 1 ? l.dim(indices, i)
                                   : l.dim(data, i - (indexRank - 1) + tuple),
                 "updates must have the shape of the places they go to");
  }
  if (tuple && failed(checkIndices(l, indices, limits)))
    return failure();
  SmallVector<Value> bounds;
  for (OpFoldResult limit : limits)
    bounds.push_back(l.asValue(limit));
  auto place = [&](ScalarBuilder &s, ValueRange loops) {
    OpBuilder &b = s.getBuilder();
    SmallVector<Value> to, at(loops.take_front(indexRank - 1));
    at.push_back(nullptr);
    for (int64_t i = 0; i < tuple; ++i) {
      at.back() = arith::ConstantIndexOp::create(b, s.getLoc(), i);
      Value index =
          toIndex(s, tensor::ExtractOp::create(b, s.getLoc(), indices, at));
      to.push_back(clampIndex(s, index, bounds[i]));
    }
    llvm::append_range(to, loops.drop_front(indexRank - 1));
    return to;
  };
  // Slices without elements have no loop of their own.
  bool hasNothing = llvm::is_contained(Lowering::typeOf(updates).getShape(), 0);
  FailureOr<Value> result =
      scatter(l, data, updates, op.getReduction(),
              hasNothing ? Lowering::rank(updates) : indexRank - 1, place);
  if (failed(result))
    return failure();
  return l.replace(*result);
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

static LogicalResult lowerOneHot(OneHotOp op, OneHotOp::Adaptor operands,
                                 Lowering &l) {
  Value indices = operands.getIndices(), values = operands.getValues();
  int64_t rank = Lowering::rank(indices) + 1, axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  Type i64 = l.b.getI64Type();
  bool isUnsigned = l.isUnsigned();
  l.checkEqual(l.product(l.sizes(values)), l.attr(2),
               "values must be two elements");
  l.checkEqual(l.product(l.sizes(operands.getDepth())), l.attr(1),
               "depth must be one element");
  // Of any type of numbers, of which the shape rule reads integers only.
  ScalarBuilder atOnce(l.b, l.loc, i64, false);
  Value depth =
      atOnce.cast(l.scalar(operands.getDepth()), i64, l.isUnsigned(1), false);
  l.check(atOnce.ge(depth, atOnce.zero(depth)), "depth must not be negative");
  depth = atOnce.max(depth, atOnce.zero(depth));
  Sizes sizes = l.sizes(indices);
  sizes.insert(sizes.begin() + axis, l.asIndex(depth));
  Value off = l.scalar(values, 0), on = l.scalar(values, 1);
  return l.replace(l.map(
      indices, l.dropDims(rank, axis), sizes, l.resultType().getElementType(),
      [&](ScalarBuilder &s, ValueRange args) {
        OpBuilder &b = s.getBuilder();
        Value at = s.cast(args[0], i64, isUnsigned, false);
        Value isNegative = s.lt(at, s.zero(at));
        at = s.select(isNegative, s.add(at, depth), at);
        Value here = arith::IndexCastOp::create(
            b, s.getLoc(), i64, linalg::IndexOp::create(b, s.getLoc(), axis));
        return s.select(s.eq(at, here), on, off);
      }));
}

void onnxc::populateIndexing(Lowerings &lowerings) {
  lowerings.add<OneHotOp>(lowerOneHot);
  lowerings.add<GatherElementsOp>(lowerGatherElements);
  lowerings.add<GatherNDOp>(lowerGatherND);
  lowerings.add<GatherOp>(lowerGather);
  lowerings.add<ScatterElementsOp>(lowerScatterElements);
  lowerings.add<ScatterNDOp>(lowerScatterND);
}
