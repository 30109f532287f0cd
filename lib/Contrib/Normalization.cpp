//===- Normalization.cpp - Normalizations of ONNX Runtime -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContribOps.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Over the last axes
//===----------------------------------------------------------------------===//

namespace {
/// X and the scale may be of different types; the result has that of the scale,
/// statistics are in single precision.
struct MixedTypes {
  MixedTypes(Composer &c) : c(c), scale(c.input(1)) {
    Type x = getElementType(c.input(0)), other = getElementType(scale);
    if (x && other && x != other)
      wide = c.builder.getF32Type();
  }
  Value widen(Value x) { return wide && x ? c.cast(x, wide) : x; }
  Value narrow(Value y) { return wide ? c.castLike(y, scale) : y; }

  Composer &c;
  Value scale;
  /// Null if all are of one type.
  Type wide;
};
} // namespace

/// As it was before ONNX had it, and as ONNX Runtime still takes it.
void contrib::layerNormalization(Composer &c, Results &results) {
  MixedTypes types(c);
  SmallVector<Value> made = c.makeAll<LayerNormalizationOp>(
      {types.widen(c.input(0)), types.widen(c.input(1)),
       types.widen(c.input(2))},
      c.pick({"axis", "epsilon", "stash_type"}), /*count=*/3);
  results.append({types.narrow(made[0]), made[1], made[2]});
}

/// 1 / sqrt(mean of squares + epsilon), over the axes from `axis` on.
static Value inverseRootMeanSquare(Composer &c, Value x, int64_t axis,
                                   double epsilon) {
  SmallVector<int64_t> axes;
  if (axis < 0)
    axes = llvm::to_vector(llvm::seq<int64_t>(axis, 0));
  else
    axes = llvm::to_vector(llvm::seq<int64_t>(
        axis, c.getRank(x, "to normalize over the axes from 'axis' on")));
  Value real = c.cast(x, c.builder.getF32Type());
  Value mean = c.make<ReduceMeanOp>({c.mul(real, real), c.ints(axes)});
  return c.make<ReciprocalOp>(c.sqrt(c.add(mean, epsilon)));
}

void contrib::simplifiedLayerNormalization(Composer &c, Results &results) {
  MixedTypes types(c);
  double epsilon = c.getFloat("epsilon", 1e-5f);
  Value y = c.make<RMSNormalizationOp>(
      {types.widen(c.input(0)), types.widen(c.input(1))},
      c.pick({"axis", "epsilon", "stash_type"}));
  results.push_back(types.narrow(y));
  if (c.hasOutput(1))
    results.push_back(
        inverseRootMeanSquare(c, c.input(0), c.getInt("axis", -1), epsilon));
}

/// The sum of input, skip and bias, which is the fourth output of the
/// operators that normalize it.
static Value addSkip(Composer &c, unsigned bias) {
  return c.addIfAny(c.add(c.input(0), c.input(1)), c.input(bias));
}

void contrib::skipLayerNormalization(Composer &c, Results &results) {
  Value sum = addSkip(c, 4);
  SmallVector<Value> made = c.makeAll<LayerNormalizationOp>(
      {sum, c.input(2), c.input(3)},
      {c.attribute("axis", -1),
       c.attribute("epsilon", c.getFloat("epsilon", 1e-12f))},
      /*count=*/3);
  results.append({made[0], made[1], made[2], sum});
}

void contrib::skipSimplifiedLayerNormalization(Composer &c, Results &results) {
  c.expectNoOutput(1, "mean");
  Value sum = addSkip(c, 3);
  double epsilon = c.getFloat("epsilon", 1e-12f);
  Value y = normalize<RMSNormalizationOp>(c, {sum, c.input(2)}, 1e-12);
  Value inverse;
  if (c.hasOutput(2))
    inverse = inverseRootMeanSquare(c, sum, -1, epsilon);
  results.append({y, Value(), inverse, sum});
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

/// The sum of the embeddings of words, positions and segments, normalized; how
/// many words of each row the mask has.
static void embed(Composer &c, contrib::Results &results, Value word,
                  Value position, Value segment, Value gamma, Value beta,
                  Value positionIds) {
  Value ids = c.input(0), segmentIds = c.input(1), mask = c.input(7);
  Value sum = c.gather(word, ids, 0);
  Value positions;
  if (positionIds) {
    positions = c.gather(position, positionIds, 0);
  } else {
    Value first = c.ints(0);
    positions = c.slice(position, 0, first, c.sizeOf(ids, 1));
  }
  sum = c.add(sum, positions);
  if (segment && segmentIds)
    sum = c.add(sum, c.gather(segment, segmentIds, 0));
  results.push_back(
      contrib::normalize<LayerNormalizationOp>(c, {sum, gamma, beta}, 1e-12));
  Value counts;
  if (mask)
    counts = c.make<ReduceSumOp>(
        {c.castLike(c.make<EqualOp>({mask, c.number(1, mask)}), mask),
         c.ints(1)},
        c.attribute("keepdims", 0));
  else if (c.hasOutput(1))
    counts = c.make<ExpandOp>({c.number(0, ids), c.sizeOf(ids, 0)});
  results.append({counts, sum});
}

void contrib::embedLayerNormalization(Composer &c, Results &results) {
  embed(c, results, c.input(2), c.input(3), c.input(4), c.input(5), c.input(6),
        c.input(8));
}

void contrib::quantizedEmbedLayerNormalization(Composer &c, Results &results) {
  // Scales and zero points of inputs 2 to 6 are as many inputs behind.
  auto real = [&](unsigned i) {
    Value x = c.input(i);
    return x ? c.make<DequantizeLinearOp>({x, c.input(i + 6), c.input(i + 11)})
             : Value();
  };
  Value word = real(2);
  Value position = real(3);
  Value segment = real(4);
  Value gamma = real(5);
  embed(c, results, word, position, segment, gamma, real(6), {});
  results.resize(2);
}

//===----------------------------------------------------------------------===//
// Groups of channels
//===----------------------------------------------------------------------===//

/// GroupNormalization and an activation; `skip` of any rank is added before.
static Value normalizeGroups(Composer &c, Value x) {
  int64_t activation = c.getInt("activation", 0);
  if (activation != 0 && activation != 1)
    c.failAttribute("activation",
                    "is " + Twine(activation) + "; expected 0 or 1");
  bool channelsLast = c.getInt("channels_last", 1) != 0;
  return contrib::withChannelsFirst(c, x, channelsLast, [&](Value image) {
    Type single = c.builder.getF32Type();
    Value y = c.make<GroupNormalizationOp>(
        {c.cast(image, single), c.cast(c.input(1), single),
         c.cast(c.input(2), single)},
        {c.attribute("num_groups", c.getCount("groups")),
         c.attribute("epsilon", c.getFloat("epsilon", 1e-5f))});
    if (activation == 1)
      y = c.make<SwishOp>(y);
    return c.castLike(y, x);
  });
}

void contrib::groupNorm(Composer &c, Results &results) {
  results.push_back(normalizeGroups(c, c.input(0)));
}

void contrib::skipGroupNorm(Composer &c, Results &results) {
  Value skip = c.input(3), bias = c.input(4);
  bool channelsLast = c.getInt("channels_last", 1) != 0;
  SmallVector<int64_t> spatial{2, 3};
  if (channelsLast)
    spatial = {1, 2};
  if (c.getRank(skip, "of 'skip'") == 2)
    skip = c.unsqueeze(skip, spatial);
  if (bias && !channelsLast)
    bias = c.unsqueeze(bias, {1, 2});
  Value sum = c.addIfAny(c.add(c.input(0), skip), bias);
  results.append({normalizeGroups(c, sum), sum});
}
