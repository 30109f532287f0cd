//===- Gates.cpp - Gates and mixed streams, of ONNX Runtime ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContribOps.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::contrib;

static Value widen(Composer &c, Value x) {
  return x ? c.cast(x, c.builder.getF32Type()) : x;
}

/// `x` with its last axis as two, the second of `size`, if that is not 0.
static Value splitLast(Composer &c, Value x, int64_t size, bool isSizeFirst) {
  int64_t rank = c.getRank(x, "to split its last axis");
  SmallVector<int64_t> shape(rank + 1, 0);
  if (rank < 1)
    return x;
  shape[rank - 1] = isSizeFirst ? size : -1;
  shape[rank] = isSizeFirst ? -1 : size;
  return c.reshape(x, shape);
}

/// x / sqrt(mean of squares along the last axis + epsilon), of single
/// precision.
static Value divideByRootMeanSquare(Composer &c, Value x) {
  Value wide = widen(c, x);
  Value mean = c.make<ReduceMeanOp>({c.mul(wide, wide), c.ints(-1)});
  Value root = c.sqrt(c.add(mean, c.getFloat("epsilon", 1e-5f)));
  return c.make<DivOp>({wide, root});
}

/// The same times a scale, which may be absent.
static Value normalizeLast(Composer &c, Value x, Value scale) {
  Value y = divideByRootMeanSquare(c, x);
  return scale ? c.mul(y, widen(c, scale)) : y;
}

//===----------------------------------------------------------------------===//
// Gates
//===----------------------------------------------------------------------===//

void contrib::gatedAdd(Composer &c, Results &results) {
  results.push_back(c.add(c.input(0), c.mul(c.input(1), c.input(2))));
}

/// Each group of as many channels as `scale` has is normalized.
void contrib::gatedRMSNorm(Composer &c, Results &results) {
  Value x = c.input(0), scale = c.input(1), wideGate = widen(c, c.input(2));
  StringRef function = c.getString("activation", "silu");
  Value gate;
  if (function == "sigmoid")
    gate = c.make<SigmoidOp>(wideGate);
  else if (function == "silu" || function == "swish")
    gate = c.make<SwishOp>(wideGate);
  else
    c.failAttribute("activation",
                    "is '" + function + "'; expected silu, swish or sigmoid");
  std::optional<int64_t> size = getDim(scale, 0);
  if (!size || *size < 1)
    return c.failInput(1, "must be of a known size");
  Value y =
      normalizeLast(c, splitLast(c, x, *size, /*isSizeFirst=*/false), scale);
  Value flat = c.make<ReshapeOp>({y, c.shapeOf(x)});
  results.push_back(c.castLike(c.mul(flat, gate), x));
}

/// sigmoid of the root, with its sign, of how much normalized keys and queries
/// agree.
void contrib::engramGate(Composer &c, Results &results) {
  Value key = c.input(0), value = c.input(2), scale = c.input(5);
  Value normalizedKey = normalizeLast(c, key, c.input(3));
  Value product =
      c.mul(normalizedKey, normalizeLast(c, c.input(1), c.input(4)));
  Value size = c.castLike(c.sizeOf(key, -1), product);
  Value dot =
      c.make<DivOp>({c.make<ReduceSumOp>({product, c.ints(-1)}), c.sqrt(size)});
  Value root = c.sqrt(c.make<MaxOp>({c.abs(dot), c.number(1e-6, dot)}));
  Value gate = c.make<SigmoidOp>(c.mul(c.make<SignOp>(dot), root));
  Value gated = c.mul(gate, c.unsqueeze(widen(c, value), 2));
  results.push_back(c.castLike(gated, key));
  if (!c.hasOutput(1))
    return;
  if (!scale)
    return c.failInput(5, "is missing, which output 1 needs");
  results.push_back(c.castLike(normalizeLast(c, gated, scale), key));
}

/// What LinearAttention takes as decay and beta.
void contrib::linearAttentionGate(Composer &c, Results &results) {
  Value a = c.input(0), b = c.input(3);
  Value rate = c.make<SoftplusOp>(c.add(widen(c, a), c.input(1)));
  results.push_back(c.castLike(c.mul(rate, c.input(2)), a));
  if (!c.hasOutput(1))
    return;
  if (!b)
    return c.failInput(3, "is missing, which output 1 needs");
  results.push_back(c.castLike(c.make<SigmoidOp>(widen(c, b)), b));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// The streams [..., branches, channels]: flat ones have their number in an
/// attribute.
static Value groupStreams(Composer &c, Value x) {
  int64_t branches = c.getInt("num_branches", 0);
  if (branches < 0)
    c.failAttribute("num_branches", "is " + Twine(branches));
  return branches > 0 ? splitLast(c, x, branches, /*isSizeFirst=*/true) : x;
}

/// Gates [..., branches], for each channel or not, or flat as the streams.
static Value groupGates(Composer &c, Value gates, Value streams) {
  int64_t rank = c.getRank(gates, "of gates");
  if (c.getRank(streams, "of streams") != rank + 1)
    return gates;
  std::optional<int64_t> last = getDim(gates, -1);
  int64_t branches = c.getInt("num_branches", 0);
  if (branches > 0 && last != branches) {
    if (!last)
      c.fail("has gates whose last size must be known");
    return groupStreams(c, gates);
  }
  return c.unsqueeze(gates, -1);
}

void contrib::branchwiseRMSNorm(Composer &c, Results &results) {
  Value x = c.input(0), scale = c.input(1), streams = groupStreams(c, x);
  if (scale && c.getRank(scale, "of 'scale'") == 1) {
    // For all branches, or the same for each.
    std::optional<int64_t> count = getDim(scale, 0),
                           channels = getDim(streams, -1);
    if (!count || !channels || *channels < 1)
      return c.failInput(1, "must be of a known size, as the channels");
    if (*count != *channels)
      scale = c.reshape(scale, {-1, *channels});
  }
  Value y = normalizeLast(c, streams, scale);
  results.push_back(c.castLike(c.make<ReshapeOp>({y, c.shapeOf(x)}), x));
}

void contrib::hyperConnectionPreMix(Composer &c, Results &results) {
  Value streams = groupStreams(c, c.input(0));
  Value gates = groupGates(c, widen(c, c.input(1)), streams);
  Value sum = c.make<ReduceSumOp>({c.mul(widen(c, streams), gates), c.ints(-2)},
                                  c.attribute("keepdims", 0));
  results.push_back(
      c.castLike(c.mul(sum, c.getFloat("reduction_scale", 1)), streams));
}

void contrib::hyperConnectionPostMix(Composer &c, Results &results) {
  Value x = c.input(0), streams = widen(c, groupStreams(c, x));
  Value gates = groupGates(c, widen(c, c.input(2)), streams);
  if (Value mixed = c.input(3))
    streams = c.make<MatMulOp>({c.swapLastTwo(widen(c, mixed)), streams});
  Value added = c.mul(gates, c.unsqueeze(widen(c, c.input(1)), -2));
  Value y = c.make<ReshapeOp>({c.add(streams, added), c.shapeOf(x)});
  results.push_back(c.castLike(y, x));
}
