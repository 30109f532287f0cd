//===- Attention.cpp - Attentions of ONNX Runtime -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionParts.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Reduction.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::contrib;

/// What is added to scores where a mask hides a key, unless the node says
/// otherwise.
static constexpr float defaultFilter = -10000;

/// The keys that are attended to: past and present ones.
static Value countKeys(Composer &c, const AttentionParts &parts) {
  Value count = c.sizeOf(parts.key, 2);
  return parts.pastKey ? c.add(c.sizeOf(parts.pastKey, 2), count) : count;
}

/// The bias of a mask (input `mask`) and what is added to scores anyway (input
/// `bias`); either may be absent.
static Value makeBias(Composer &c, const AttentionParts &parts, unsigned mask,
                      unsigned bias) {
  float filter = c.getFloat("mask_filter_value", defaultFilter);
  Value fromMask;
  if (c.input(mask))
    fromMask = makeMaskBias(c, mask, parts.query, countKeys(c, parts), filter);
  Value given = c.input(bias);
  return fromMask && given ? c.add(fromMask, given)
                           : (fromMask ? fromMask : given);
}

//===----------------------------------------------------------------------===//
// Attention: with the product that makes queries, keys and values
//===----------------------------------------------------------------------===//

/// Queries, keys and values [batch, sequence, sum of all channels]. Channels
/// are as many of each, unless the node says otherwise.
static void splitProjection(Composer &c, AttentionParts &parts, Value all,
                            int64_t heads) {
  SmallVector<Value> made;
  if (std::optional<ArrayRef<int64_t>> sizes = c.getInts("qkv_hidden_sizes")) {
    if (sizes->size() != 3)
      return c.failAttribute("qkv_hidden_sizes", "has " + Twine(sizes->size()) +
                                                     " elements; expected 3");
    made = c.split(all, 2, *sizes);
  } else {
    made = c.makeAll<SplitOp>(
        all, {c.attribute("axis", 2), c.attribute("num_outputs", 3)},
        /*count=*/3);
  }
  parts.query = splitHeads(c, made[0], heads);
  parts.key = splitHeads(c, made[1], heads);
  parts.value = splitHeads(c, made[2], heads);
}

/// What is left to do after the projection; keys and values of before are one
/// tensor, as are those of now.
static void attendWithPast(Composer &c, Results &results, Value projected,
                           unsigned mask, unsigned past,
                           std::optional<unsigned> bias) {
  c.expectInt("do_rotary", 0);
  c.expectInt("past_present_share_buffer", 0);
  AttentionParts parts;
  splitProjection(c, parts, projected, c.getCount("num_heads"));
  if (Value before = c.input(past)) {
    parts.pastKey = c.take(before, 0, 0);
    parts.pastValue = c.take(before, 0, 1);
  }
  parts.bias = makeBias(c, parts, mask, bias.value_or(~0u));
  parts.isCausal = c.getInt("unidirectional", 0) != 0;
  parts.scale = c.getFloat("scale", 0);
  AttentionResults made = attend(c, parts);
  results.push_back(made.output);
  if (c.hasOutput(1))
    results.push_back(c.concat(
        {c.unsqueeze(made.presentKey, 0), c.unsqueeze(made.presentValue, 0)},
        0));
}

void contrib::attention(Composer &c, Results &results) {
  c.expectNoInput(6);
  Value product = c.make<MatMulOp>({c.input(0), c.input(1)});
  attendWithPast(c, results, c.addIfAny(product, c.input(2)), 3, 4, 5);
}

void contrib::quantizedAttention(Composer &c, Results &results) {
  Value projected =
      multiplyScaled(c, c.input(0), c.input(1), c.input(6), c.input(7),
                     c.mul(c.input(3), c.input(4)), c.input(2));
  attendWithPast(c, results, projected, 5, 8, std::nullopt);
}

//===----------------------------------------------------------------------===//
// MultiHeadAttention: after it
//===----------------------------------------------------------------------===//

namespace {
/// The parts of a bias [queries, keys, values]: as many channels of queries as
/// of keys.
class PackedBias {
public:
  PackedBias(Composer &c, Value bias, Value channels)
      : c(c), bias(bias), channels(channels) {}

  Value addTo(Value x, unsigned part) {
    if (!bias)
      return x;
    Value begin = c.mul(channels, static_cast<double>(part));
    Value end = part == 2 ? c.ints(std::numeric_limits<int64_t>::max())
                          : c.mul(channels, static_cast<double>(part + 1));
    return c.add(x, c.slice(bias, 0, begin, end));
  }

private:
  Composer &c;
  Value bias, channels;
};
} // namespace

/// [batch, sequence, heads, parts, size] as [batch, sequence, heads * size].
static Value takePart(Composer &c, Value packed, int64_t part) {
  return c.reshape(c.take(packed, 3, part), {0, 0, -1});
}

/// Sets queries, keys and values from inputs 0 to 2 and the bias of input
/// `bias`. Some may be packed with those before.
static void unpackInputs(Composer &c, AttentionParts &parts, int64_t heads,
                         unsigned biasIndex) {
  Value q = c.input(0), k = c.input(1), v = c.input(2);
  int64_t queryRank = c.getRank(q, "of 'query'"),
          keyRank = k ? c.getRank(k, "of 'key'") : 0;
  if (c.hasFailed())
    return;
  if (k && keyRank == 4) {
    // Keys and values of before, with their heads already split.
    Value bias = c.input(biasIndex);
    if (bias) {
      Value zero = c.ints(0);
      q = c.add(q, c.slice(bias, 0, zero, c.sizeOf(q, 2)));
    }
    parts.query = splitHeads(c, q, heads);
    parts.key = k;
    parts.value = v;
    return;
  }
  if (k && keyRank == 5) {
    v = takePart(c, k, 1);
    k = takePart(c, k, 0);
  } else if (!k && queryRank == 5) {
    k = takePart(c, q, 1);
    v = takePart(c, q, 2);
    q = takePart(c, q, 0);
  } else if (!k) {
    SmallVector<Value> made = c.makeAll<SplitOp>(
        q, {c.attribute("axis", 2), c.attribute("num_outputs", 3)},
        /*count=*/3);
    q = made[0];
    k = made[1];
    v = made[2];
  }
  if (!v)
    return c.failInput(2, "is missing, and 'key' has no values");
  PackedBias bias(c, c.input(biasIndex),
                  c.input(biasIndex) ? c.sizeOf(q, 2) : Value());
  parts.query = splitHeads(c, bias.addTo(q, 0), heads);
  parts.key = splitHeads(c, bias.addTo(k, 1), heads);
  parts.value = splitHeads(c, bias.addTo(v, 2), heads);
}

void contrib::multiHeadAttention(Composer &c, Results &results) {
  // Of a cache that is written in place.
  c.expectNoInput(8);
  c.expectNoInput(9);
  AttentionParts parts;
  unpackInputs(c, parts, c.getCount("num_heads"), 3);
  parts.pastKey = c.input(6);
  parts.pastValue = c.input(7);
  if (c.hasFailed())
    return;
  parts.bias = makeBias(c, parts, 4, 5);
  parts.isCausal = c.getInt("unidirectional", 0) != 0;
  parts.scale = c.getFloat("scale", 0);
  // Scores with the mask.
  parts.scoresMode = 2;
  AttentionResults made = attend(c, parts);
  results.append(
      {made.output, made.presentKey, made.presentValue, made.scores});
}

/// One query for each sample. Keys and values of before stand in a tensor that
/// is long enough for those to come, if the node says so.
void contrib::decoderMaskedMultiHeadAttention(Composer &c, Results &results) {
  // More beams than one would read each other's keys.
  c.expectNoInput(9);
  AttentionParts parts;
  unpackInputs(c, parts, c.getCount("num_heads"), 10);
  if (c.hasFailed())
    return;
  bool isShared = c.getInt("past_present_share_buffer", 0) != 0 && c.input(5);
  Value presentKey, presentValue;
  if (isShared) {
    Value before = c.input(7);
    if (!before)
      return c.failInput(7, "is missing, which attribute "
                            "'past_present_share_buffer' needs");
    Value batch = c.sizeOf(parts.query, 0);
    Value at = c.make<ExpandOp>({c.scalar(c.castToInt64(before)), batch});
    auto write = [&](unsigned input, Value x) {
      return c.make<TensorScatterOp>({c.input(input), x, at});
    };
    presentKey = write(5, parts.key);
    presentValue = write(6, parts.value);
    // Nothing is seen behind what was just written.
    Value total = c.add(c.reshape(c.castToInt64(before), 1), 1.0);
    parts.key = c.slice(presentKey, 2, c.ints(0), total);
    parts.value = c.slice(presentValue, 2, c.ints(0), total);
  } else {
    parts.pastKey = c.input(5);
    parts.pastValue = c.input(6);
  }
  parts.bias = makeBias(c, parts, 3, 4);
  parts.scale = c.getFloat("scale", 0);
  parts.scoresMode = 2;
  AttentionResults made = attend(c, parts);
  results.append({made.output, isShared ? presentKey : made.presentKey,
                  isShared ? presentValue : made.presentValue, made.scores});
}

//===----------------------------------------------------------------------===//
// Biases by position
//===----------------------------------------------------------------------===//

/// The bucket of each distance of a key behind a query: near ones have one of
/// their own, far ones share one with others about as far.
static Value countBuckets(Composer &c, Value distance, int64_t buckets,
                          int64_t greatest) {
  int64_t exact = buckets / 2;
  Value real = c.cast(distance, c.builder.getF32Type());
  // A distance of 0 is none of the far ones.
  Value ratio = c.mul(c.make<MaxOp>({real, c.number(exact, real)}),
                      1.0 / static_cast<double>(exact));
  double width = static_cast<double>(buckets - exact) /
                 std::log(static_cast<double>(greatest) / exact);
  Value far = c.add(c.castToInt64(c.mul(c.log(ratio), width)), exact);
  Value bounded = c.make<MinOp>({far, c.integer(buckets - 1)});
  return c.make<WhereOp>(
      {c.make<LessOp>({distance, c.integer(exact)}), distance, bounded});
}

/// A table of T5 [buckets, heads], whose elements lie as [heads, buckets].
void contrib::relativePositionBias(Composer &c, Results &results) {
  Value table = c.input(0);
  std::optional<int64_t> buckets = getDim(table, 0), heads = getDim(table, 1);
  bool isBidirectional = c.getInt("is_bidirectional", 0) != 0;
  int64_t greatest = c.getCount("max_distance");
  if (!buckets || !heads)
    return c.failInput(0, "must be of known sizes");
  int64_t count = isBidirectional ? *buckets / 2 : *buckets;
  if (count < 2 || greatest <= count / 2)
    return c.fail("has " + Twine(count) + " buckets for distances up to " +
                  Twine(greatest));
  auto positions = [&](unsigned input) {
    return c.range(c.scalar(c.castToInt64(c.input(input))));
  };
  Value keys = positions(2);
  Value ahead = c.sub(keys, c.unsqueeze(positions(1), 1));
  Value indices;
  if (isBidirectional) {
    Value isAhead = c.castToInt64(c.make<GreaterOp>({ahead, c.integer(0)}));
    Value bucket = countBuckets(c, c.abs(ahead), count, greatest);
    indices = c.add(bucket, c.mul(isAhead, c.integer(count)));
  } else {
    Value behind = c.make<MaxOp>({c.make<NegOp>(ahead), c.integer(0)});
    indices = countBuckets(c, behind, count, greatest);
  }
  Value rows = c.reshape(table, {*heads, *buckets});
  results.push_back(c.unsqueeze(c.gather(rows, indices, 1), 0));
}

/// A bias of positions times what two gates make of each query.
void contrib::gatedRelativePositionBias(Composer &c, Results &results) {
  c.expectNoInput(6);
  Value queries =
      splitHeads(c, c.add(c.input(0), c.input(1)), c.getCount("num_heads"));
  Value both = c.add(c.make<MatMulOp>({queries, c.input(3)}), c.input(4));
  Value sums =
      c.make<ReduceSumOp>({c.reshape(both, {0, 0, 0, 2, -1}), c.ints(-1)},
                          c.attribute("keepdims", 0));
  Value gates = c.make<SigmoidOp>(sums);
  Value first = c.slice(gates, 3, 0, 1), second = c.slice(gates, 3, 1, 2);
  Value factor =
      c.add(c.mul(first, c.sub(c.mul(second, c.input(5)), 1.0)), 2.0);
  results.push_back(c.mul(factor, c.input(2)));
}
