//===- GroupQuery.cpp - GroupQueryAttention and rotations -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionParts.h"

#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Trigonometry.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::contrib;

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

/// `x` [batch, heads, sequence, size], turned by the angles of `positions`
/// [batch, sequence]; without them, the caches are for each token. They have
/// half a column for each channel that is turned.
static Value rotate(Composer &c, Value x, Value cosines, Value sines,
                    Value positions, bool interleaved) {
  SmallVector<NamedAttribute> attributes{
      c.attribute("interleaved", static_cast<int64_t>(interleaved))};
  std::optional<int64_t> half = getDim(cosines, -1), size = getDim(x, 3);
  if (half && size && 2 * *half < *size)
    attributes.push_back(c.attribute("rotary_embedding_dim", 2 * *half));
  return c.make<RotaryEmbeddingOp>({x, cosines, sines, positions}, attributes);
}

/// Heads of a tensor [batch, sequence, channels] that is rotated: the number
/// that the node has, or as the caches tell.
static int64_t countHeads(Composer &c, Value x, Value cosines) {
  int64_t heads = c.getInt("num_heads", 0);
  if (heads > 0)
    return heads;
  std::optional<int64_t> channels = getDim(x, 2), half = getDim(cosines, 1);
  if (!channels || !half || *half < 1 || *channels % (2 * *half) != 0) {
    c.failAttribute("num_heads",
                    "is missing and cannot be computed from the sizes");
    return 1;
  }
  return *channels / (2 * *half);
}

/// What `turn` makes of input 0 [batch, heads, sequence, size]; where the heads
/// are not apart, it is what they are to it alone.
static Value turnHeads(Composer &c, Value cosines,
                       function_ref<Value(Value)> turn) {
  c.expectInt("is_packed_batching", 0);
  if (c.getFloat("scale", 1) != 1)
    c.failAttribute("scale", "is not 1, which alone is supported");
  Value x = c.input(0);
  int64_t rank = c.getRank(x, "of 'input'");
  if (!c.hasFailed() && rank != 3 && rank != 4)
    c.failInput(0, "has rank " + Twine(rank) + "; expected 3 or 4");
  if (c.hasFailed())
    return {};
  if (rank == 4)
    return turn(x);
  Value y = turn(splitHeads(c, x, countHeads(c, x, cosines)));
  return c.reshape(c.transpose(y, {0, 2, 1, 3}), {0, 0, -1});
}

/// The positions are [batch, sequence], or where the first token of each sample
/// stands.
void contrib::rotaryEmbedding(Composer &c, Results &results) {
  Value positions = c.input(1), cosines = c.input(2);
  bool isStart = c.getRank(positions, "of 'position_ids'") == 1;
  results.push_back(turnHeads(c, cosines, [&](Value x) {
    if (isStart)
      positions =
          c.make<ExpandOp>({c.add(c.range(c.scalarSizeOf(x, 2)), positions),
                            c.concat({c.sizeOf(x, 0), c.sizeOf(x, 2)}, 0)});
    return rotate(c, x, cosines, c.input(3), positions,
                  c.getInt("interleaved", 0) != 0);
  }));
}

/// Which of the three positions tells the angle of each column of the caches:
/// as many columns for each in turn, or by turns as long as there are any left
/// of the second and third, which leaves the rest to the first.
static SmallVector<int64_t> assignColumns(ArrayRef<int64_t> counts,
                                          int64_t columns, bool byTurns) {
  SmallVector<int64_t> owners(columns, 0);
  if (!byTurns) {
    std::fill_n(owners.begin() + counts[0], counts[1], 1);
    std::fill_n(owners.begin() + counts[0] + counts[1], counts[2], 2);
    return owners;
  }
  for (int64_t owner : {1, 2})
    for (int64_t i = owner, e = std::min(3 * counts[owner], columns); i < e;
         i += 3)
      owners[i] = owner;
  return owners;
}

/// The positions are [3, batch, sequence]: in time, height and width.
void contrib::multimodalRotaryEmbedding(Composer &c, Results &results) {
  Value cosines = c.input(2);
  std::optional<ArrayRef<int64_t>> counts = c.getInts("mrope_section");
  std::optional<int64_t> columns = getDim(cosines, 1);
  if (!columns)
    return c.failInput(2, "must be of a known number of columns");
  int64_t layout = c.getInt("mrope_layout", 0), sum = 0;
  if (layout != 0 && layout != 1)
    c.failAttribute("mrope_layout",
                    "is " + Twine(layout) + "; expected 0 or 1");
  bool isValid = counts && counts->size() == 3;
  for (int64_t count : counts.value_or(ArrayRef<int64_t>())) {
    isValid &= count >= 0 && count <= *columns;
    sum += count;
  }
  if (!isValid || sum != *columns)
    c.failAttribute("mrope_section", "must be three counts that make " +
                                         Twine(*columns) + " columns");
  if (c.hasFailed())
    return;
  Value owners = c.reshape(
      c.ints(assignColumns(*counts, *columns, layout == 1)), {1, 1, -1});
  // [batch, sequence, columns], each column by the position that owns it.
  auto angles = [&](Value cache) {
    auto of = [&](int64_t owner) {
      return c.gather(cache, c.take(c.input(1), 0, owner), 0);
    };
    Value y = of(0);
    for (int64_t owner : {1, 2})
      y = c.make<WhereOp>(
          {c.make<EqualOp>({owners, c.ints(owner)}), of(owner), y});
    return y;
  };
  results.push_back(turnHeads(c, cosines, [&](Value x) {
    Value ofCosines = angles(cosines);
    return rotate(c, x, ofCosines, angles(c.input(3)), {},
                  c.getInt("interleaved", 0) != 0);
  }));
}

/// q cos(emb) + q_rot sin(emb), and the same for k.
void contrib::gemmaRotaryEmbedding(Composer &c, Results &results) {
  Value angles = c.unsqueeze(c.input(0), 1);
  auto turn = [&](unsigned first) {
    Value x = c.input(first);
    Value ofCosines = c.mul(x, c.castLike(c.make<CosOp>(angles), x));
    return c.add(ofCosines, c.mul(c.input(first + 1),
                                  c.castLike(c.make<SinOp>(angles), x)));
  };
  results.append({turn(1), turn(3)});
}

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

namespace {
/// Inputs in the order of the operator.
enum GroupQueryInput : unsigned {
  Query,
  Key,
  ValueInput,
  PastKey,
  PastValue,
  LengthsLessOne,
  TotalLength,
  Cosines,
  Sines,
  PositionIds,
  AttentionBias,
  HeadSink,
  KeyScale,
  ValueScale,
  QueryNorm,
  KeyNorm
};

class GroupQueryAttention {
public:
  explicit GroupQueryAttention(Composer &c)
      : c(c), heads(c.getCount("num_heads")),
        keyHeads(c.getCount("kv_num_heads")) {}

  void compute(Results &results);

private:
  void checkSupported();
  void splitInputs();
  void locate();
  void rotateInputs();
  Value writeCache(unsigned pastInput, Value x);
  void addSink();

  Composer &c;
  int64_t heads, keyHeads;
  AttentionParts parts;
  /// [batch]: tokens before those of now; keys that are valid after them.
  Value before, valid;
  /// Scalar: all tokens of the longest sample.
  Value total;
};
} // namespace

void GroupQueryAttention::checkSupported() {
  for (unsigned input : {KeyScale, ValueScale})
    c.expectNoInput(input);
  for (StringRef name : {"k_quant_type", "v_quant_type"})
    if (StringRef kind = c.getString(name, "NONE"); kind != "NONE")
      c.failAttribute(name, "is '" + kind + "'; only 'NONE' is supported");
  c.expectInt("sliding_window_cache", 0);
  if (heads % keyHeads != 0)
    c.failAttribute("num_heads", "is " + Twine(heads) +
                                     ", no multiple of 'kv_num_heads', " +
                                     Twine(keyHeads));
  if (!c.input(PastKey) != !c.input(PastValue))
    c.failInput(c.input(PastKey) ? PastValue : PastKey, "is missing");
  if (!c.input(QueryNorm) != !c.input(KeyNorm))
    c.failInput(c.input(QueryNorm) ? KeyNorm : QueryNorm, "is missing");
  if (c.input(Key) && !c.input(ValueInput))
    c.failInput(ValueInput, "is missing");
}

/// Queries, keys and values, which may be packed into the first.
void GroupQueryAttention::splitInputs() {
  Value q = c.input(Query), k = c.input(Key), v = c.input(ValueInput);
  if (k) {
    parts.query = splitHeads(c, q, heads);
    parts.key = splitHeads(c, k, keyHeads);
    parts.value = splitHeads(c, v, keyHeads);
  } else {
    SmallVector<Value> made = c.split(splitHeads(c, q, heads + 2 * keyHeads), 1,
                                      {heads, keyHeads, keyHeads});
    parts.query = made[0];
    parts.key = made[1];
    parts.value = made[2];
  }
  if (!c.input(QueryNorm))
    return;
  NamedAttribute epsilon =
      c.attribute("epsilon", c.getFloat("qk_norm_epsilon", 1e-6f));
  parts.query =
      c.make<RMSNormalizationOp>({parts.query, c.input(QueryNorm)}, epsilon);
  parts.key =
      c.make<RMSNormalizationOp>({parts.key, c.input(KeyNorm)}, epsilon);
}

/// Where the tokens of now stand. They are the first ones if all are as many as
/// the longest sample has; shorter ones then end with padding.
void GroupQueryAttention::locate() {
  Value now = c.scalarSizeOf(parts.query, 2);
  Value lengths = c.add(c.castToInt64(c.input(LengthsLessOne)), 1.0);
  if (getRank(lengths) != 1)
    lengths = c.reshape(lengths, -1);
  total = c.scalar(c.castToInt64(c.input(TotalLength)));
  Value isFirst = c.make<EqualOp>({now, total});
  before = c.make<WhereOp>({isFirst, c.integer(0), c.sub(lengths, now)});
  valid = c.add(before, now);
}

void GroupQueryAttention::rotateInputs() {
  Value cosines = c.input(Cosines), sines = c.input(Sines);
  if (!cosines || !sines)
    return c.failInput(cosines ? Sines : Cosines,
                       "is missing, which attribute 'do_rotary' needs");
  Value positions = c.input(PositionIds);
  if (!positions) {
    Value now = c.range(c.scalarSizeOf(parts.query, 2));
    positions = c.add(c.unsqueeze(before, 1), now);
  }
  bool interleaved = c.getInt("rotary_interleaved", 0) != 0;
  parts.query = rotate(c, parts.query, cosines, sines, positions, interleaved);
  parts.key = rotate(c, parts.key, cosines, sines, positions, interleaved);
}

/// What was there before, with `x` behind it, and zeros up to the longest of
/// what was there and all tokens. Rows before all that is written stay in their
/// place: what is behind them is usually `x` alone, so that a cache that lives
/// in the context is appended to.
Value GroupQueryAttention::writeCache(unsigned pastInput, Value x) {
  Value past = c.input(pastInput), length = c.sizeOf(past, 2);
  Value none = c.ints(0), all = c.reshape(total, 1);
  Value more = c.max(c.sub(all, length), none);
  Value earliest = c.reshape(c.reduce<ReduceMinOp>(before, Value()), 1);
  Value first = c.max(c.min(length, earliest), none);
  SmallVector<Value> parts =
      c.makeAll<SplitOp>({past, c.concat({first, c.sub(length, first)}, 0)},
                         c.attribute("axis", 2), /*count=*/2);
  // As large as the new heads, which the past ones must be for the Concat: the
  // model may leave their size open.
  Value shape =
      c.concat({c.sizeOf(past, 0), c.sizeOf(x, 1), more, c.sizeOf(x, 3)}, 0);
  Value grown =
      c.concat({parts[1], c.make<ExpandOp>({c.number(0, past), shape})}, 2);
  Value written = c.make<TensorScatterOp>({grown, x, c.sub(before, first)});
  Value positions = c.range(c.scalarSizeOf(written, 2));
  Value column = c.unsqueeze(positions, 1);
  Value isValid = c.less(column, c.unsqueeze(c.sub(valid, first), {1, 2, 3}));
  return c.concat({parts[0], c.where(isValid, written, c.number(0, written))},
                  2);
}

/// A key that gives each head's sink as its score, and a value of zeros: they
/// only count in the sum that weights are divided by.
void GroupQueryAttention::addSink() {
  auto widen = [&](Value x) {
    Value shape = c.concat(
        {c.sizeOf(x, 0), c.sizeOf(x, 1), c.ints(1), c.sizeOf(x, 3)}, 0);
    return c.concat({c.make<ExpandOp>({c.number(0, x), shape}), x}, 2);
  };
  Value q = parts.query;
  Value keys = c.range(c.scalarSizeOf(parts.key, 2));
  Value behind = c.unsqueeze(before, {1, 2, 3});
  Value positions =
      c.add(behind, c.unsqueeze(c.range(c.scalarSizeOf(q, 2)), 1));
  Value last =
      parts.isCausal ? positions : c.sub(c.unsqueeze(valid, {1, 2, 3}), 1.0);
  Value isSeen = c.make<LessOrEqualOp>({keys, last});
  if (parts.window >= 0)
    isSeen = c.make<AndOp>(
        {isSeen, c.make<LessOrEqualOp>(
                     {c.sub(positions, keys), c.integer(parts.window)})});
  Value zero = c.number(0, q);
  Value bias =
      c.make<WhereOp>({isSeen, parts.bias ? parts.bias : zero,
                       c.number(-std::numeric_limits<double>::infinity(), q)});
  Value sink = c.input(HeadSink);
  sink = sink ? c.reshape(sink, {1, -1, 1, 1}) : c.reshape(zero, {1, 1, 1, 1});
  // All of one shape but for the keys.
  Value shape =
      c.concat({c.sizeOf(q, 0), c.sizeOf(q, 1), c.sizeOf(q, 2), c.ints(1)}, 0);
  parts.bias = c.concat(
      {c.make<ExpandOp>({sink, shape}), c.make<ExpandOp>({bias, shape})}, 3);
  parts.key = widen(parts.key);
  parts.value = widen(parts.value);
  parts.isCausal = false;
  parts.window = -1;
  parts.lengths = {};
}

void GroupQueryAttention::compute(Results &results) {
  checkSupported();
  splitInputs();
  locate();
  if (c.getInt("do_rotary", 0) != 0)
    rotateInputs();
  if (c.hasFailed())
    return;
  if (c.input(PastKey)) {
    parts.key = writeCache(PastKey, parts.key);
    parts.value = writeCache(PastValue, parts.value);
    parts.lengths = valid;
  }
  Value presentKey = parts.key, presentValue = parts.value;
  if (c.input(PastKey)) {
    // What is behind all tokens would only be hidden.
    Value end = c.reshape(total, 1);
    parts.key = c.slice(presentKey, 2, c.ints(0), end);
    parts.value = c.slice(presentValue, 2, c.ints(0), end);
  }
  parts.bias = c.input(AttentionBias);
  parts.isCausal = c.getInt("causal", 1) != 0;
  // Counted with the own position.
  if (int64_t window = c.getInt("local_window_size", -1); window > 0)
    parts.window = window - 1;
  parts.scale = c.getFloat("scale", 0);
  parts.softcap = c.getFloat("softcap", 0);
  int64_t kind = c.getInt("qk_output", 0);
  if (c.hasOutput(3) && kind != 1 && kind != 2)
    c.failAttribute("qk_output", "is " + Twine(kind) + "; expected 1 or 2");
  parts.scoresMode = kind == 2 ? 3 : 2;
  bool hasSink = c.input(HeadSink) || c.getInt("smooth_softmax", 0) == 1;
  if (hasSink) {
    c.expectNoOutput(3, "output_qk");
    addSink();
  }
  AttentionResults made = attend(c, parts);
  Value scores = made.scores;
  if (c.hasOutput(3) && kind == 1)
    scores = c.make<WhereOp>(
        {c.make<IsInfOp>(scores, c.attribute("detect_positive", 0)),
         c.number(0, scores), scores});
  results.append({made.output, presentKey, presentValue, scores});
}

void contrib::groupQueryAttention(Composer &c, Results &results) {
  GroupQueryAttention(c).compute(results);
}
