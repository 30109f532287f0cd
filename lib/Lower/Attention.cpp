//===- Attention.cpp - Scaled dot-product attention -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Concatenate.h"
#include "Indexing.h"
#include "Softmax.h"

#include "onnxc/Dialect/ONNX/Attention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;

namespace {

/// The op on [batch, heads, sequence, size] tensors. Query heads of one group
/// share a key and value head: they stand next to each other, so that a group
/// is one matrix of `heads per group * sequence` rows. Every step is rounded to
/// the element type, as in ONNX's definition by other operators; for the scale
/// see multiplyKeys.
class AttentionLowering {
public:
  AttentionLowering(Lowering &l, AttentionOp op, AttentionOp::Adaptor operands)
      : l(l), op(op), operands(operands),
        element(Lowering::elementType(operands.getQ())) {}

  LogicalResult lower();

private:
  /// [n, s, heads * d] to [n, heads, s, d], where `heads` is given.
  Value splitHeads(Value x, std::optional<int64_t> heads) {
    if (Lowering::rank(x) == 4)
      return x;
    Sizes from = l.sizes(x);
    OpFoldResult count = l.attr(*heads);
    return l.transpose(
        l.reshape(x, {from[0], from[1], count, l.floorDiv(from[2], count)}),
        {0, 2, 1, 3});
  }

  /// Old and new elements one behind the other along the sequence.
  Value append(Value past, Value x) {
    if (!past)
      return x;
    Sizes sizes = l.sizes(x);
    sizes[2] = l.add(l.dim(past, 2), sizes[2]);
    return concatenate(l, {past, x}, 2, sizes);
  }

  /// What the products of queries and keys are multiplied by, 1 / sqrt(size of
  /// a head) by default; nothing if only the run knows.
  std::optional<double> getKnownScale(OpFoldResult size) {
    if (op.getScale())
      return op.getScale()->convertToDouble();
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return 1 / std::sqrt(double(*known));
    return std::nullopt;
  }
  /// Such a factor makes no number overflow, and rounds none that stays normal.
  static bool isFractionOfTwo(std::optional<double> x) {
    int exponent;
    return x && *x <= 1 && std::frexp(*x, &exponent) == 0.5;
  }
  /// The same, or the root of it.
  Value getScale(OpFoldResult size, bool isRoot) {
    if (std::optional<double> scale = getKnownScale(size))
      return l.constant(element, isRoot ? std::sqrt(*scale) : *scale);
    Type wide = l.b.getF64Type();
    ScalarBuilder s(l.b, l.loc, wide, false);
    Value count =
        s.cast(l.asElement(size, l.b.getI64Type()), wide, false, false);
    Value one = s.one(count);
    Value scale = s.div(one, s.sqrt(count));
    return s.cast(isRoot ? s.sqrt(scale) : scale, element, false, false);
  }
  Value multiply(Value x, Value factor) {
    if (matchPattern(factor, m_OneFloat()))
      return x;
    return l.mapSame(x, Lowering::elementType(x),
                     [&](ScalarBuilder &s, ValueRange args) {
                       return s.mul(args[0], factor);
                     });
  }

  /// Scaled products of queries and keys: as many matrices, of as many rows, as
  /// `groups` says.
  Value multiplyKeys(Value q, Value k, const Sizes &groups);

  /// x y for each matrix of a batch, which has these sizes.
  Value multiplyMatrices(Value x, Value y, const Sizes &sizes) {
    Value init = l.filled(sizes, l.constant(getAccumulatorType(element), 0));
    Value sums = linalg::BatchMatmulOp::create(l.b, l.loc, init.getType(),
                                               ValueRange{x, y}, init)
                     .getResult(0);
    return l.castElements(sums, element);
  }

  /// The mask with what it lacks at the end of the keys: nothing to attend to.
  /// A mask of all keys is not copied.
  Value padMask(Value mask, OpFoldResult keys);

  /// The first of `keys` keys that a query of any sample may attend to, which
  /// the window says where there are keys before those of the `queries`.
  OpFoldResult findFirstKey(OpFoldResult past, OpFoldResult queries,
                            OpFoldResult keys);

  /// How many of `keys` keys there are that a query may attend to: those behind
  /// them are the padding of every sample.
  OpFoldResult countKeys(OpFoldResult keys);

  /// What the tensor has from `first` to `end` in dimension `dim`.
  Value getPart(Value x, int64_t dim, OpFoldResult first, OpFoldResult end) {
    if (isZeroInteger(first) && isSameIndex(l.dim(x, dim), end))
      return x;
    Sizes at(Lowering::rank(x), l.attr(0)), sizes = l.sizes(x);
    at[dim] = first;
    sizes[dim] = l.sub(end, first);
    return l.slice(x, at, sizes);
  }

  /// Whether key `t` is hidden from query `s` of sample `n` by order, by the
  /// window, or because it is padding; null if nothing hides keys.
  Value isHidden(ScalarBuilder &b, Value query, Value key, Value seqLen,
                 Value offset);

  /// Whether there may be a query that all keys are hidden from: its result is
  /// 0. Otherwise a row of scores that are all -inf is what softmax makes of
  /// it.
  bool mayHideKeys() {
    return operands.getAttnMask() || operands.getNonpadKvSeqlen() ||
           op.getIsCausal() || int64_t(op.getLeftWindowSize()) >= 0 ||
           int64_t(op.getRightWindowSize()) >= 0;
  }

  /// logits + mask, of the keys from `first` to `end` of all `keys`; loops n,
  /// h, s, t.
  Value addBias(Value logits, OpFoldResult past, OpFoldResult first,
                OpFoldResult end, OpFoldResult keys);

  Lowering &l;
  AttentionOp op;
  AttentionOp::Adaptor operands;
  Type element;
};

} // namespace

Value AttentionLowering::padMask(Value mask, OpFoldResult keys) {
  int64_t rank = Lowering::rank(mask);
  OpFoldResult columns = l.dim(mask, rank - 1);
  if (isSameIndex(columns, keys))
    return mask;
  Sizes low(rank, l.attr(0)), high(low), sizes = l.sizes(mask);
  high.back() = l.max(l.sub(keys, columns), l.attr(0));
  Type maskType = Lowering::elementType(mask);
  Value hidden = maskType.isInteger(1) ? l.constant(l.b.getBoolAttr(false))
                                       : l.lowest(maskType, false);
  if (getConstantIntValue(high.back()))
    return l.pad(mask, low, high, hidden);
  sizes.back() = l.add(columns, high.back());
  Type type = l.empty(sizes, maskType).getType();
  Value missing = l.asValue(high.back());
  Value none = arith::ConstantIndexOp::create(l.b, l.loc, 0);
  Value isWhole = arith::CmpIOp::create(l.b, l.loc, arith::CmpIPredicate::eq,
                                        missing, none);
  auto keep = [&](OpBuilder &b, Location loc) {
    scf::YieldOp::create(b, loc, l.castTo(mask, type));
  };
  auto pad = [&](OpBuilder &b, Location loc) {
    scf::YieldOp::create(b, loc,
                         l.castTo(l.pad(mask, low, high, hidden), type));
  };
  return scf::IfOp::create(l.b, l.loc, isWhole, keep, pad).getResult(0);
}

/// The scale is one factor of the queries, not the root of it of queries and
/// keys: the keys may be a whole cache, of which a run reads each only once. Of
/// 16-bit floats it is the root, as ONNX defines it: what rounding leaves of
/// the products is another number otherwise. A power of two of at most one
/// rounds nothing but numbers that are not normal then.
Value AttentionLowering::multiplyKeys(Value q, Value k, const Sizes &groups) {
  bool isRoot = getAccumulatorType(element) != element &&
                !isFractionOfTwo(getKnownScale(l.dim(q, 3)));
  Value scale = getScale(l.dim(q, 3), isRoot);
  q = multiply(q, scale);
  if (isRoot)
    k = multiply(k, scale);
  // Rows of a product that are read along are faster than columns, which
  // outweighs the transposition.
  Value rows = l.reshape(q, {groups[0], groups[1], l.dim(q, 3)});
  Value keys = l.reshape(k, {groups[0], l.dim(k, 2), l.dim(k, 3)});
  Value columns = l.transpose(keys, {0, 2, 1});
  return multiplyMatrices(rows, columns, {groups[0], groups[1], l.dim(k, 2)});
}

Value AttentionLowering::isHidden(ScalarBuilder &b, Value query, Value key,
                                  Value seqLen, Value offset) {
  Value hidden;
  auto hide = [&](Value condition) {
    hidden = hidden ? b.bitOr(hidden, condition) : condition;
  };
  Value position = b.add(query, offset);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b.getBuilder(), b.getLoc(), value);
  };
  if (op.getIsCausal())
    hide(b.gt(key, position));
  // Getters of integer attributes are unsigned; -1 means no bound.
  int64_t left = op.getLeftWindowSize(), right = op.getRightWindowSize();
  if (left >= 0) {
    Value distance = b.sub(position, key);
    hide(b.gt(distance, constant(left)));
  }
  if (right >= 0) {
    Value distance = b.sub(key, position);
    hide(b.gt(distance, constant(right)));
  }
  if (seqLen)
    hide(b.ge(key, seqLen));
  return hidden;
}

/// Scores before it would all be hidden. Who asks for scores gets them, too.
OpFoldResult AttentionLowering::findFirstKey(OpFoldResult past,
                                             OpFoldResult queries,
                                             OpFoldResult keys) {
  int64_t left = op.getLeftWindowSize();
  if (left < 0 || op.getQkMatmulOutput())
    return l.attr(0);
  OpFoldResult before = past;
  if (Value lengths = operands.getNonpadKvSeqlen();
      lengths && !operands.getPastKey()) {
    Type type = Lowering::elementType(lengths);
    Value least = l.reduce(lengths, {0}, l.highest(type, false),
                           [](ScalarBuilder &s, ValueRange args) {
                             return s.min(args[0], args[1]);
                           });
    before = l.sub(l.asIndex(l.scalar(least)), queries);
  }
  if (std::optional<int64_t> known = getConstantIntValue(before);
      known && *known <= left)
    return l.attr(0);
  return l.max(l.min(l.sub(before, l.attr(left)), keys), l.attr(0));
}

/// A cache of fixed size is mostly padding at first. Who asks for scores gets
/// those of all keys.
OpFoldResult AttentionLowering::countKeys(OpFoldResult keys) {
  Value lengths = operands.getNonpadKvSeqlen();
  if (!lengths || op.getQkMatmulOutput())
    return keys;
  Type type = Lowering::elementType(lengths);
  Value most = l.reduce(lengths, {0}, l.lowest(type, false),
                        [](ScalarBuilder &s, ValueRange args) {
                          return s.max(args[0], args[1]);
                        });
  return l.max(l.min(l.asIndex(l.scalar(most)), keys), l.attr(0));
}

Value AttentionLowering::addBias(Value logits, OpFoldResult past,
                                 OpFoldResult first, OpFoldResult end,
                                 OpFoldResult keys) {
  Sizes sizes = l.sizes(logits);
  SmallVector<Value> inputs{logits};
  SmallVector<AffineMap> maps{l.identityMap(4)};
  Value mask = operands.getAttnMask(), lengths = operands.getNonpadKvSeqlen();
  bool isBool = false, isUnsigned = false;
  if (mask) {
    Value ofAll = padMask(mask, keys);
    auto [read, map] = l.broadcast(
        getPart(ofAll, Lowering::rank(ofAll) - 1, first, end), sizes);
    inputs.push_back(read);
    maps.push_back(map);
    isBool = Lowering::elementType(mask).isInteger(1);
    isUnsigned = getElementTypeOrSelf(op.getAttnMask()).isUnsignedInteger();
  }
  if (lengths) {
    inputs.push_back(lengths);
    maps.push_back(AffineMap::get(4, 0, l.b.getAffineDimExpr(0)));
  }
  Value queries = l.asValue(sizes[2]), before = l.asValue(past);
  Value start = isZeroInteger(first) ? Value() : l.asValue(first);
  return l.map(inputs, maps, sizes, element,
               [&](ScalarBuilder &s, ValueRange args) {
                 OpBuilder &b = s.getBuilder();
                 Value x = args[0], infinity = l.lowest(element, false);
                 if (isBool) {
                   x = s.select(args[1], x, infinity);
                 } else if (mask) {
                   // Where a key is hidden, its score does not count, even as
                   // NaN.
                   Value bias = s.cast(args[1], element, isUnsigned, false);
                   Value isInfinite = s.eq(bias, infinity);
                   x = s.select(isInfinite, infinity, s.add(x, bias));
                 }
                 Value query = linalg::IndexOp::create(b, s.getLoc(), 2);
                 Value key = linalg::IndexOp::create(b, s.getLoc(), 3);
                 if (start)
                   key = s.add(key, start);
                 Value seqLen, offset = before;
                 if (lengths) {
                   seqLen = arith::IndexCastOp::create(
                       b, s.getLoc(), b.getIndexType(), args.back());
                   if (!operands.getPastKey())
                     offset = s.sub(seqLen, queries);
                 }
                 Value hidden = isHidden(s, query, key, seqLen, offset);
                 return hidden ? s.select(hidden, infinity, x) : x;
               });
}

LogicalResult AttentionLowering::lower() {
  bool isFlat = Lowering::rank(operands.getQ()) == 3;
  if (isFlat &&
      (op.getQNumHeads().value_or(0) < 1 || op.getKvNumHeads().value_or(0) < 1))
    return l.invalid("q_num_heads and kv_num_heads are needed for this rank");
  Value q = splitHeads(operands.getQ(), op.getQNumHeads());
  Value k = splitHeads(operands.getK(), op.getKvNumHeads());
  Value v = splitHeads(operands.getV(), op.getKvNumHeads());
  OpFoldResult past = operands.getPastKey() ? l.dim(operands.getPastKey(), 2)
                                            : OpFoldResult(l.attr(0));
  k = append(operands.getPastKey(), k);
  v = append(operands.getPastValue(), v);
  Sizes qs = l.sizes(q), ks = l.sizes(k);
  OpFoldResult end = countKeys(ks[2]), first = findFirstKey(past, qs[2], end);
  auto getSeen = [&](Value all, Value added, std::optional<int64_t> heads) {
    // Not behind the transposition, which would be one of all.
    return operands.getPastKey()
               ? getPart(all, 2, first, end)
               : splitHeads(getPart(added, isFlat ? 1 : 2, first, end), heads);
  };
  Value seenK = getSeen(k, operands.getK(), op.getKvNumHeads()),
        seenV = getSeen(v, operands.getV(), op.getKvNumHeads());
  OpFoldResult keys = l.dim(seenK, 2), vSize = l.dim(v, 3);
  OpFoldResult groups = l.mul(qs[0], ks[1]);
  OpFoldResult perGroup = l.floorDiv(qs[1], l.max(ks[1], l.attr(1)));
  OpFoldResult rows = l.mul(perGroup, qs[2]);
  Value product = multiplyKeys(q, seenK, {groups, rows});
  Value raw = l.reshape(product, {qs[0], qs[1], qs[2], keys}), capped = raw;
  double cap = op.getSoftcap().convertToDouble();
  if (cap > 0)
    capped = l.mapSame(raw, element, [&](ScalarBuilder &s, ValueRange args) {
      Value limit = s.constant(args[0], cap);
      return s.mul(s.tanh(s.div(args[0], limit)), limit);
    });
  Value biased = addBias(capped, past, first, end, ks[2]);
  Type softmaxType =
      op.getSoftmaxPrecision()
          ? getElementType(l.b.getContext(), *op.getSoftmaxPrecision())
          : element;
  Value weights =
      l.castElements(softmaxInPlace(l, l.castElements(biased, softmaxType), 3,
                                    /*emptyIsZero=*/mayHideKeys()),
                     element);
  Value flatWeights = l.reshape(weights, {groups, rows, keys});
  Value y =
      multiplyMatrices(flatWeights, l.reshape(seenV, {groups, keys, vSize}),
                       {groups, rows, vSize});
  y = l.reshape(y, {qs[0], qs[1], qs[2], vSize});
  if (isFlat) {
    Value swapped = l.transpose(y, {0, 2, 1, 3});
    y = l.reshape(swapped, {qs[0], qs[2], l.mul(qs[1], vSize)});
  }

  SmallVector<Value> results{y};
  if (op.getPresentKey())
    results.push_back(k);
  if (op.getPresentValue())
    results.push_back(v);
  if (op.getQkMatmulOutput()) {
    Value stages[] = {raw, capped, biased, weights};
    results.push_back(stages[op.getQkMatmulOutputMode()]);
  }
  return l.replace(results);
}

static LogicalResult
lowerAttention(AttentionOp op, AttentionOp::Adaptor operands, Lowering &l) {
  return AttentionLowering(l, op, operands).lower();
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

/// A cosine or sine for each pair of channels: of all rows of the cache those
/// that `ids` name, or the cache itself if it has one for each position.
static Value readAngles(Lowering &l, Value cache, Value ids,
                        OpFoldResult half) {
  if (!ids)
    return cache;
  Sizes sizes = l.sizes(ids);
  sizes.push_back(half);
  Value limit = l.asValue(l.dim(cache, 0));
  return l.map(ids, l.dropDims(3, 2), sizes, Lowering::elementType(cache),
               [&](ScalarBuilder &s, ValueRange args) -> Value {
                 OpBuilder &b = s.getBuilder();
                 Value row = clampIndex(s, toIndex(s, args[0]), limit);
                 Value pair = linalg::IndexOp::create(b, s.getLoc(), 2);
                 return tensor::ExtractOp::create(b, s.getLoc(), cache,
                                                  ValueRange{row, pair});
               });
}

/// Each channel with its partner, turned by the angle of their pair. The two
/// channels of all pairs are results of their own, so that each reads what lies
/// one behind the other.
static LogicalResult lowerRotaryEmbedding(RotaryEmbeddingOp op,
                                          RotaryEmbeddingOp::Adaptor operands,
                                          Lowering &l) {
  Value x = operands.getX(), ids = operands.getPositionIds();
  bool isFlat = Lowering::rank(x) == 3;
  Sizes sizes = l.sizes(x);
  if (isFlat) {
    OpFoldResult count = l.attr(*op.getNumHeads());
    x = l.reshape(x, {sizes[0], sizes[1], count, l.floorDiv(sizes[2], count)});
  }
  Sizes split = l.sizes(x);
  OpFoldResult turned = op.getRotaryEmbeddingDim()
                            ? OpFoldResult(l.attr(op.getRotaryEmbeddingDim()))
                            : split[3];
  OpFoldResult half = l.floorDiv(turned, l.attr(2));
  if (ids && failed(checkIndices(l, ids, l.dim(operands.getCosCache(), 0))))
    return failure();
  Value cosines = readAngles(l, operands.getCosCache(), ids, half),
        sines = readAngles(l, operands.getSinCache(), ids, half);

  // Partners lie side by side, or half of the channels apart.
  Sizes pairs = split, part = split, zero(split.size(), l.attr(0));
  part[3] = turned;
  Value all = isSameIndex(turned, split[3]) ? x : l.slice(x, zero, part);
  int64_t partners = op.getInterleaved() ? 4 : 3;
  pairs[3] = half;
  pairs.insert(pairs.begin() + partners, l.attr(2));
  all = l.reshape(all, pairs);
  SmallVector<int64_t> axis{partners};
  Sizes one = pairs;
  one[partners] = l.attr(1);
  SmallVector<Value> channels;
  for (int64_t i : {0, 1}) {
    Sizes at(pairs.size(), l.attr(0));
    at[partners] = l.attr(i);
    channels.push_back(l.sliceWithout(all, at, one, axis));
  }

  AffineExpr d0, d1, d2, d3;
  bindDims(l.b.getContext(), d0, d1, d2, d3);
  AffineMap own = l.identityMap(4),
            angle = AffineMap::get(4, 0, {d0, isFlat ? d1 : d2, d3},
                                   l.b.getContext());
  Type element = Lowering::elementType(x), type = getAccumulatorType(element);
  Sizes halves = split;
  halves[3] = half;
  SmallVector<Value> results;
  for (int64_t i : {0, 1})
    results.push_back(
        l.reshape(l.map({channels[i], channels[1 - i], cosines, sines},
                        {own, own, angle, angle}, halves, element,
                        [&](ScalarBuilder &s, ValueRange args) -> Value {
                          SmallVector<Value> wide;
                          for (Value arg : args)
                            wide.push_back(s.cast(arg, type, false, false));
                          Value across = s.mul(wide[3], wide[1]);
                          Value along = s.mul(wide[2], wide[0]);
                          Value result = i == 0 ? s.sub(along, across)
                                                : s.add(along, across);
                          return s.cast(result, element, false, false);
                        }),
                  one));
  Value y = l.reshape(concatenate(l, results, partners, pairs), part);
  if (!isSameIndex(turned, split[3])) {
    Sizes at = zero, rest = split;
    at[3] = turned;
    rest[3] = l.sub(split[3], turned);
    y = concatenate(l, {y, l.slice(x, at, rest)}, 3, split);
  }
  return l.replace(l.reshape(y, sizes));
}

void onnxc::populateAttention(Lowerings &lowerings) {
  lowerings.add<RotaryEmbeddingOp>(lowerRotaryEmbedding);
  lowerings.add<AttentionOp>(lowerAttention);
}
