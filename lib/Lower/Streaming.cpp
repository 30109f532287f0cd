//===- Streaming.cpp - What carries a state from call to call -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Concatenate.h"
#include "Indexing.h"
#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Indexing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// TensorScatter
//===----------------------------------------------------------------------===//

namespace {
/// Rows of `update` become rows of a cache, along `axis`: both have samples in
/// their first dimension. All of them lie in the cache whatever the run says:
/// the producer of the update may write there, before what is wrong is checked.
struct RowWriter {
  Lowering &l;
  Value update;
  int64_t axis;

  /// Rows `from` to `from + rows` of `sample`, or of all samples if it is null,
  /// become rows of `cache` from `to` on.
  Value write(Value cache, Value sample, OpFoldResult from, OpFoldResult to,
              OpFoldResult rows) {
    Sizes sizes = l.sizes(cache), source(sizes.size(), l.attr(0));
    if (sample) {
      sizes[0] = l.attr(1);
      source[0] = sample;
    }
    Sizes target = source, strides(sizes.size(), l.attr(1));
    sizes[axis] = rows;
    source[axis] = from;
    target[axis] = to;
    return tensor::InsertSliceOp::create(l.b, l.loc,
                                         l.slice(update, source, sizes), cache,
                                         target, sizes, strides);
  }

  /// All rows go to row `start` and those behind it.
  Value writeLinear(Value cache, Value sample, Value start) {
    ScalarBuilder scalars(l.b, l.loc, l.b.getIndexType(), false);
    OpFoldResult limit = l.dim(cache, axis);
    OpFoldResult rows = l.min(l.dim(update, axis), limit);
    Value last = l.asValue(l.sub(limit, rows));
    Value first = scalars.zero(start), least = scalars.min(start, last);
    Value bounded = scalars.max(least, first);
    return write(cache, sample, l.attr(0), bounded, rows);
  }

  /// The same, or behind the last row of all to the first ones.
  Value writeCircular(Value cache, Value sample, Value start) {
    ScalarBuilder scalars(l.b, l.loc, l.b.getIndexType(), false);
    OpFoldResult limit = l.dim(cache, axis), length = l.dim(update, axis);
    Value first = scalars.mod(start, l.asValue(limit));
    OpFoldResult head = l.min(length, l.sub(limit, OpFoldResult(first)));
    cache = write(cache, sample, l.attr(0), first, head);
    OpFoldResult rest = l.min(l.sub(length, head), OpFoldResult(first));
    return write(cache, sample, head, l.attr(0), rest);
  }
};
} // namespace

/// Slices of the update are put into the cache, which has all other elements
/// already: a cache that is a state stays where it is (AppendedStates.cpp).
static LogicalResult lowerTensorScatter(TensorScatterOp op,
                                        TensorScatterOp::Adaptor operands,
                                        Lowering &l) {
  Value past = operands.getPastCache(), update = operands.getUpdate();
  Value starts = operands.getWriteIndices();
  int64_t rank = Lowering::rank(past), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  if (axis < 1 || axis >= rank)
    return l.invalid("axis must be in [1, rank), or negative as from the back");
  if (op.getMode() != "linear" && op.getMode() != "circular")
    return l.invalid("mode '" + op.getMode() +
                     "', expected linear or circular");
  bool isCircular = op.getMode() == "circular";
  if (Lowering::rank(update) != rank)
    return l.invalid("update must have the rank of past_cache");
  Sizes sizes = l.sizes(past), updated = sizes;
  updated[axis] = l.dim(update, axis);
  if (failed(l.fit(update, updated, "update")) ||
      failed(l.fit(starts, sizes[0], "write_indices")))
    return failure();
  Value length = l.asValue(updated[axis]), limit = l.asValue(sizes[axis]);
  ScalarBuilder scalars(l.b, l.loc, l.b.getIndexType(), false);
  l.check(scalars.le(length, limit),
          "the update must not be longer than the cache");
  if (starts && !isCircular)
    checkUpTo(l, starts, scalars.sub(limit, length),
              "write_indices must leave room for the update");
  if (getConstantIntValue(updated[axis]) == int64_t(0))
    return l.replace(past);

  RowWriter rows{l, update, axis};
  if (!starts)
    return l.replace(rows.writeLinear(past, Value(), l.index(0)));
  auto writeSample = [&](Value cache, Value sample) {
    Value start = l.asValue(
        l.asIndex(tensor::ExtractOp::create(l.b, l.loc, starts, sample)));
    return isCircular ? rows.writeCircular(cache, sample, start)
                      : rows.writeLinear(cache, sample, start);
  };
  if (getConstantIntValue(sizes[0]) == int64_t(1))
    return l.replace(writeSample(past, l.index(0)));
  Value none = l.index(0), one = l.index(1), samples = l.asValue(sizes[0]);
  auto loop = scf::ForOp::create(
      l.b, l.loc, none, samples, one, past,
      [&](OpBuilder &b, Location loc, Value sample, ValueRange caches) {
        OpBuilder::InsertionGuard guard(l.b);
        l.b.setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
        scf::YieldOp::create(l.b, loc, writeSample(caches[0], sample));
      });
  return l.replace(loop.getResult(0));
}

//===----------------------------------------------------------------------===//
// CausalConvWithState
//===----------------------------------------------------------------------===//

/// Elements of the past, or zeros, before the input's.
static FailureOr<Value> prepend(Lowering &l, Value past, OpFoldResult count,
                                Value input) {
  Sizes sizes = l.sizes(input), low(3, l.attr(0)), high(low);
  low[2] = count;
  if (!past)
    return l.pad(input, low, high, l.constant(Lowering::elementType(input), 0));
  Sizes before = sizes;
  before[2] = count;
  if (failed(l.fit(past, before, "past_state")))
    return failure();
  Sizes all = sizes;
  all[2] = l.add(count, sizes[2]);
  return concatenate(l, {past, input}, 2, all);
}

static LogicalResult
lowerCausalConvWithState(CausalConvWithStateOp op,
                         CausalConvWithStateOp::Adaptor operands, Lowering &l) {
  StringRef activation = op.getActivation();
  bool isSilu = activation == "silu" || activation == "swish";
  if (!isSilu && activation != "none")
    return l.invalid("activation '" + activation +
                     "', expected none, silu or swish");
  FailureOr<Sizes> sizes = l.resultSizes(0);
  if (failed(sizes))
    return failure();
  Value x = operands.getInput(), w = operands.getWeight();
  Value bias = operands.getBias();
  OpFoldResult taps = l.dim(w, 2), channels = (*sizes)[1];
  if (failed(l.fit(x, *sizes, "input")) ||
      failed(l.fit(w, {channels, l.attr(1), taps}, "weight")) ||
      failed(l.fit(bias, channels, "bias")))
    return failure();
  FailureOr<Value> padded =
      prepend(l, operands.getPastState(), l.sub(taps, l.attr(1)), x);
  if (failed(padded))
    return failure();

  // Loops: batch, channel, position, tap.
  Type element = Lowering::elementType(x), type = getAccumulatorType(element);
  AffineExpr n, c, i, k;
  bindDims(l.b.getContext(), n, c, i, k);
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(4, 0, exprs, l.b.getContext());
  };
  SmallVector<IteratorType> iterators(3, IteratorType::parallel);
  iterators.push_back(IteratorType::reduction);
  Value y = l.generic(
      {*padded, w}, startFromBias(l, bias, *sizes, type),
      {map({n, c, i + k}), map({c, l.b.getAffineConstantExpr(0), k}),
       map({n, c, i})},
      iterators, [&](ScalarBuilder &s, ValueRange args) {
        Value x = s.cast(args[0], type, false, false);
        return s.add(args[2], s.mul(x, s.cast(args[1], type, false, false)));
      });
  if (isSilu)
    y = l.mapSame(y, type, [](ScalarBuilder &s, ValueRange args) {
      return s.mul(args[0], s.sigmoid(args[0]));
    });
  SmallVector<Value> results{l.castElements(y, element)};
  if (op.getPresentState()) {
    Sizes at(3, l.attr(0)), last = *sizes;
    at[2] = (*sizes)[2];
    last[2] = l.sub(taps, l.attr(1));
    results.push_back(l.slice(*padded, at, last));
  }
  return l.replace(results);
}

//===----------------------------------------------------------------------===//
// LinearAttention
//===----------------------------------------------------------------------===//

namespace {

/// A matrix for each sample and key head, which every step decays, adds a
/// product of key and value to, and multiplies by the queries of its group.
class LinearAttentionLowering {
public:
  LinearAttentionLowering(Lowering &l, LinearAttentionOp op,
                          LinearAttentionOp::Adaptor operands)
      : l(l), op(op), operands(operands),
        element(Lowering::elementType(operands.getQuery())),
        type(getAccumulatorType(element)) {}

  LogicalResult lower();

private:
  LogicalResult readShapes();
  /// [batch, steps, heads, …] of step `time`, without that dimension.
  Value at(Value x, Value time) {
    Sizes from(Lowering::rank(x), l.attr(0)), sizes = l.sizes(x);
    from[1] = time;
    sizes[1] = l.attr(1);
    return l.sliceWithout(x, from, sizes, 1);
  }
  /// Loops batch, head, key and value channel; the parts of (batch, head, key
  /// channel, value channel) that `dims` lists.
  AffineMap over(ArrayRef<unsigned> dims) {
    SmallVector<AffineExpr> exprs;
    for (unsigned dim : dims)
      exprs.push_back(l.b.getAffineDimExpr(dim));
    return AffineMap::get(4, 0, exprs, l.b.getContext());
  }
  /// The state and the outputs after a step.
  std::pair<Value, Value> step(Value state, Value y, Value time);

  Lowering &l;
  LinearAttentionOp op;
  LinearAttentionOp::Adaptor operands;
  Type element, type;
  OpFoldResult batch, steps, heads, group, keySize, valueSize;
  Value query, key, value, decay, beta;
  Value scale;
};

} // namespace

LogicalResult LinearAttentionLowering::readShapes() {
  StringRef rule = op.getUpdateRule();
  bool isGated = rule == "gated" || rule == "gated_delta";
  bool isDelta = rule == "delta" || rule == "gated_delta";
  if (!isGated && !isDelta && rule != "linear")
    return l.invalid("update_rule '" + rule +
                     "', expected linear, gated, delta or gated_delta");
  if (isGated != bool(operands.getDecay()) ||
      isDelta != bool(operands.getBeta()))
    return l.invalid("decay and beta must be there if update_rule '" + rule +
                     "' needs them");
  int64_t queryHeads = op.getQNumHeads(), keyHeads = op.getKvNumHeads();
  if (keyHeads < 1 || queryHeads < keyHeads || queryHeads % keyHeads != 0)
    return l.invalid("q_num_heads must be a multiple of kv_num_heads");
  query = operands.getQuery();
  key = operands.getKey();
  value = operands.getValue();
  heads = l.attr(keyHeads);
  group = l.attr(queryHeads / keyHeads);
  batch = l.dim(query, 0);
  steps = l.dim(query, 1);
  keySize = l.floorDiv(l.dim(query, 2), l.attr(queryHeads));
  valueSize = l.floorDiv(l.dim(value, 2), heads);
  OpFoldResult keys = l.mul(heads, keySize);
  if (failed(l.fit(query, {batch, steps, l.mul(keys, group)}, "query")) ||
      failed(l.fit(key, {batch, steps, keys}, "key")) ||
      failed(l.fit(value, {batch, steps, l.mul(heads, valueSize)}, "value")))
    return failure();
  auto widen = [&](Value x) { return l.castElements(x, type); };
  query = widen(l.reshape(query, {batch, steps, heads, group, keySize}));
  key = widen(l.reshape(key, {batch, steps, heads, keySize}));
  value = widen(l.reshape(value, {batch, steps, heads, valueSize}));

  // Decay is given for each head or each of its channels, beta for each head or
  // for all.
  decay = operands.getDecay();
  if (decay) {
    if (failed(l.fit(decay, {batch, steps, l.dim(decay, 2)}, "decay")))
      return failure();
    OpFoldResult own = l.floorDiv(l.dim(decay, 2), heads);
    OpFoldResult columns = l.dim(decay, 2);
    l.checkEqual(columns, l.mul(heads, own),
                 "decay must have parts for every head");
    Sizes full{batch, steps, heads, keySize};
    auto [read, map] =
        l.broadcast(l.reshape(decay, {batch, steps, heads, own}), full);
    decay =
        l.map(read, map, full, type, [&](ScalarBuilder &s, ValueRange args) {
          return s.exp(s.cast(args[0], type, false, false));
        });
  }
  beta = operands.getBeta();
  if (beta) {
    if (failed(l.fit(beta, {batch, steps, l.dim(beta, 2)}, "beta")))
      return failure();
    Sizes full{batch, steps, heads};
    auto [read, map] = l.broadcast(beta, full);
    beta = l.map(read, map, full, type, [&](ScalarBuilder &s, ValueRange args) {
      return s.cast(args[0], type, false, false);
    });
  }
  return success();
}

std::pair<Value, Value> LinearAttentionLowering::step(Value state, Value y,
                                                      Value time) {
  enum : unsigned { N, H, K, V };
  SmallVector<IteratorType> parallel(4, IteratorType::parallel),
      sumKeys(parallel);
  sumKeys[K] = IteratorType::reduction;
  AffineMap all = over({N, H, K, V});
  Value k = at(key, time), v = at(value, time);
  auto multiply = [](ScalarBuilder &s, ValueRange args) {
    return s.add(args[2], s.mul(args[0], args[1]));
  };
  if (decay)
    state = l.generic(at(decay, time), state, {over({N, H, K}), all}, parallel,
                      [](ScalarBuilder &s, ValueRange args) {
                        return s.mul(args[0], args[1]);
                      });
  SmallVector<Value> inputs{k, v};
  SmallVector<AffineMap> maps{over({N, H, K}), over({N, H, V})};
  if (beta) {
    // What the state has for the key already.
    Value zeros = l.filled({batch, heads, valueSize}, l.constant(type, 0));
    inputs.push_back(l.generic({state, k}, zeros,
                               {all, over({N, H, K}), over({N, H, V})}, sumKeys,
                               multiply));
    maps.push_back(over({N, H, V}));
    inputs.push_back(at(beta, time));
    maps.push_back(over({N, H}));
  }
  maps.push_back(all);
  state = l.generic(inputs, state, maps, parallel,
                    [&](ScalarBuilder &s, ValueRange args) {
                      Value v = args[1];
                      if (beta)
                        v = s.mul(args[3], s.sub(v, args[2]));
                      return s.add(args.back(), s.mul(args[0], v));
                    });

  // Loops: batch, head, query of the group, value channel, key channel.
  AffineExpr n, h, g, m, d;
  bindDims(l.b.getContext(), n, h, g, m, d);
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(5, 0, exprs, l.b.getContext());
  };
  SmallVector<IteratorType> iterators(4, IteratorType::parallel);
  iterators.push_back(IteratorType::reduction);
  Sizes sizes{batch, heads, group, valueSize};
  SmallVector<Value> toRead = {at(query, time), state};
  Value read =
      l.generic(toRead, l.filled(sizes, l.constant(type, 0)),
                {map({n, h, g, d}), map({n, h, d, m}), map({n, h, g, m})},
                iterators, multiply);
  Value scaled =
      l.mapSame(read, element, [&](ScalarBuilder &s, ValueRange args) {
        return s.cast(s.mul(args[0], scale), element, false, false);
      });
  Sizes to(5, l.attr(0)), ones(5, l.attr(1));
  to[1] = time;
  sizes.insert(sizes.begin() + 1, l.attr(1));
  y = tensor::InsertSliceOp::create(l.b, l.loc, scaled, y, to, sizes, ones);
  return {state, y};
}

LogicalResult LinearAttentionLowering::lower() {
  if (failed(readShapes()))
    return failure();
  double given = op.getScale().convertToDouble();
  ScalarBuilder s(l.b, l.loc, type, false);
  if (given != 0) {
    scale = l.constant(type, given);
  } else {
    Value size =
        s.cast(l.asElement(keySize, l.b.getI64Type()), type, false, false);
    Value one = s.one(size);
    scale = s.div(one, s.sqrt(size));
  }
  Sizes stateSizes{batch, heads, keySize, valueSize};
  Value state = operands.getPastState();
  if (failed(l.fit(state, stateSizes, "past_state")))
    return failure();
  // A copy, which the steps may overwrite.
  if (state)
    state = l.mapSame(state, type, [&](ScalarBuilder &s, ValueRange args) {
      return s.cast(args[0], type, false, false);
    });
  else
    state = l.filled(stateSizes, l.constant(type, 0));
  state = l.castTo(state, l.empty(stateSizes, type).getType());
  Value y = l.empty({batch, steps, heads, group, valueSize}, element);
  Value zero = l.index(0);
  Value end = l.asValue(steps);
  auto loop = scf::ForOp::create(
      l.b, l.loc, zero, end, l.index(1), {state, y},
      [&](OpBuilder &b, Location loc, Value time, ValueRange args) {
        auto [state, y] = step(args[0], args[1], time);
        scf::YieldOp::create(b, loc, {state, y});
      });
  OpFoldResult channels = l.mul(l.mul(heads, group), valueSize);
  SmallVector<Value> results{
      l.reshape(loop.getResult(1), {batch, steps, channels})};
  if (op.getPresentState())
    results.push_back(
        l.castElements(loop.getResult(0), l.resultType(1).getElementType()));
  return l.replace(results);
}

static LogicalResult lowerLinearAttention(LinearAttentionOp op,
                                          LinearAttentionOp::Adaptor operands,
                                          Lowering &l) {
  return LinearAttentionLowering(l, op, operands).lower();
}

void onnxc::populateStreaming(Lowerings &lowerings) {
  lowerings.add<CausalConvWithStateOp>(lowerCausalConvWithState);
  lowerings.add<LinearAttentionOp>(lowerLinearAttention);
  lowerings.add<TensorScatterOp>(lowerTensorScatter);
}
