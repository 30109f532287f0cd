//===- Experts.cpp - Mixtures of experts, of ONNX Runtime -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every expert computes every token, as one batch of products; what the router
// did not choose has the weight 0.
//
//===----------------------------------------------------------------------===//

#include "ContribOps.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::contrib;

//===----------------------------------------------------------------------===//
// The router
//===----------------------------------------------------------------------===//

/// `x` where the expert is one of the `count` that `scores` [tokens, experts]
/// are greatest for, 0 elsewhere; with `isNormalized` the sum of each row is 1.
static Value keepChosen(Composer &c, Value x, Value chosen, bool isNormalized) {
  Value kept = c.make<GatherElementsOp>({x, chosen}, c.attribute("axis", 1));
  if (isNormalized)
    kept = c.make<DivOp>({kept, c.make<ReduceSumOp>({kept, c.ints(1)})});
  Value zeros = c.make<ExpandOp>({c.number(0, x), c.shapeOf(x)});
  return c.make<ScatterElementsOp>({zeros, chosen, kept},
                                   c.attribute("axis", 1));
}

/// How much each expert counts for each token [tokens, experts]. The greatest
/// scores choose. `given`: what counts instead of the scores' softmax.
static Value route(Composer &c, Value scores, Value given, bool isNormalized) {
  Value chosen = c.makeAll<TopKOp>({scores, c.ints(c.getInt("k", 1))},
                                   c.attribute("axis", 1), /*count=*/2)[1];
  return keepChosen(c, given ? given : c.make<SoftmaxOp>(scores), chosen,
                    isNormalized);
}

//===----------------------------------------------------------------------===//
// The experts
//===----------------------------------------------------------------------===//

namespace {
/// The weights [experts, results, channels] of one product, and its bias
/// [experts, results], which may be absent, as `weights` may.
struct Product {
  Value weights, bias;

  explicit operator bool() const { return static_cast<bool>(weights); }
  /// Of rows [experts or 1, tokens, channels].
  Value apply(Composer &c, Value rows) const {
    Value y = c.make<MatMulOp>({rows, c.transpose(weights, {0, 2, 1})});
    return bias ? c.add(y, c.unsqueeze(bias, 1)) : y;
  }
};
} // namespace

/// g * sigmoid(alpha g) * (l + beta), with g and l in limits.
static Value gate(Composer &c, Value g, Value l) {
  if (c.getNode().attributes.get("swiglu_limit")) {
    double limit = c.getFloat("swiglu_limit", 0);
    g = c.make<MinOp>({g, c.number(limit, g)});
    l = c.make<ClipOp>({l, c.number(-limit, l), c.number(limit, l)});
  }
  Value swish = c.make<SwishOp>(
      g, c.attribute("alpha", c.getFloat("activation_alpha", 1)));
  return c.mul(swish, c.add(l, c.getFloat("activation_beta", 0)));
}

/// What the second product is given: of `first` and, if there is one, `third`.
static Value activateExperts(Composer &c, Value first, Value third) {
  StringRef function = c.getString("activation_type", "relu");
  if (function == "swiglu") {
    int64_t fusion = c.getInt("swiglu_fusion", 0);
    // Halves of the channels, one after the other or by turns.
    if (fusion == 1) {
      Value pairs = c.reshape(first, {0, 0, -1, 2});
      Value gates = c.take(pairs, 3, 0);
      return gate(c, gates, c.take(pairs, 3, 1));
    }
    if (fusion == 2) {
      SmallVector<Value> halves = c.makeAll<SplitOp>(
          first, {c.attribute("axis", 2), c.attribute("num_outputs", 2)},
          /*count=*/2);
      return gate(c, halves[0], halves[1]);
    }
    if (fusion != 0 || !third) {
      c.failAttribute("swiglu_fusion",
                      "is " + Twine(fusion) +
                          "; expected 1, 2, or 0 and a third product");
      return {};
    }
    return gate(c, first, third);
  }
  Value y;
  if (function == "relu")
    y = c.make<ReluOp>(first);
  else if (function == "silu")
    y = c.make<SwishOp>(first);
  else if (function == "gelu")
    y = c.make<GeluOp>(first, c.attribute("approximate", "tanh"));
  else if (function == "identity")
    y = first;
  else
    c.failAttribute("activation_type",
                    "is '" + function +
                        "'; expected relu, gelu, silu, swiglu or identity");
  return third ? c.mul(y, third) : y;
}

/// The tokens of `input`, [tokens, channels] or of more axes, through all
/// experts, as `counts` [tokens, experts] tells.
static Value mix(Composer &c, Value counts, const Product &first,
                 const Product &second, const Product &third) {
  Value input = c.input(0);
  Value rows =
      c.unsqueeze(c.make<FlattenOp>(input, c.attribute("axis", -1)), 0);
  Value gates = first.apply(c, rows);
  Value inner =
      activateExperts(c, gates, third ? third.apply(c, rows) : Value());
  Value results = second.apply(c, inner);
  Value shares = c.unsqueeze(c.make<TransposeOp>(counts), 2);
  Value sum = c.make<ReduceSumOp>({c.mul(results, shares), c.ints(0)},
                                  c.attribute("keepdims", 0));
  return c.make<ReshapeOp>({sum, c.shapeOf(input)});
}

void contrib::mixtureOfExperts(Composer &c, Results &results) {
  // It changes nothing unless it is a training's.
  c.expectInt("use_sparse_mixer", 0);
  Value counts =
      route(c, c.input(1), {}, c.getInt("normalize_routing_weights", 0) != 0);
  results.push_back(mix(c, counts, {c.input(2), c.input(3)},
                        {c.input(4), c.input(5)}, {c.input(6), c.input(7)}));
}

//===----------------------------------------------------------------------===//
// Quantized
//===----------------------------------------------------------------------===//

/// Product `number` of the node, from 1, whose weights are packed along the
/// last axis. Absent if it has none.
static Product getQuantizedProduct(Composer &c, unsigned number) {
  unsigned first = 3 * number - 1;
  Value packed = c.input(first), scales = c.input(first + 1),
        zeros = c.input(10 + number);
  if (!packed)
    return {};
  int64_t bits = c.getInt(("fc" + Twine(number) + "_expert_weight_bits").str(),
                          c.getInt("expert_weight_bits", 4));
  if (!llvm::is_contained({2, 4, 8}, bits))
    c.failAttribute("expert_weight_bits",
                    "is " + Twine(bits) + "; expected 2, 4 or 8");
  if (!scales)
    c.failInput(first + 1, "is missing");
  std::optional<int64_t> bytes = getDim(packed, 2), rows = getDim(packed, 1);
  if (!c.hasFailed() && (!bytes || !rows))
    c.failInput(first, "must be of known sizes");
  if (c.hasFailed())
    return {};
  int64_t columns = *bytes * 8 / bits, block = c.getInt("block_size", 0);
  bool isBlocked = block > 0;
  if (!isBlocked) {
    // One block for all of a row, and zero points along the rows.
    block = columns;
    scales = c.unsqueeze(scales, 2);
  }
  Value numbers = unpackLast(c, packed, bits, columns);
  if (!zeros)
    zeros = c.make<ExpandOp>(
        {c.number(1 << (bits - 1), numbers), c.shapeOf(scales)});
  else if (isBlocked)
    zeros = unpackLast(c, zeros, bits, columns / block);
  else
    zeros = c.unsqueeze(unpackLast(c, zeros, bits, *rows), 2);
  Value weights = c.make<DequantizeLinearOp>(
      {numbers, scales, zeros},
      {c.attribute("axis", 2), c.attribute("block_size", block)});
  return {c.castLike(weights, c.input(0)), c.input(first + 2)};
}

void contrib::quantizedMixtureOfExperts(Composer &c, Results &results) {
  c.expectInt("use_sparse_mixer", 0);
  StringRef kind = c.getString("quant_type", "int");
  if (kind != "int")
    c.failAttribute("quant_type", "is '" + kind + "'; only 'int' is supported");
  if (c.getInt("weights_prepacked", -1) > 0)
    c.failAttribute("weights_prepacked",
                    "is 1; only weights that are not are supported");
  for (unsigned input : llvm::seq(15u, 21u))
    c.expectNoInput(input);
  // Without weights of their own, those of the chosen are always normalized.
  Value given = c.input(14);
  Value counts = route(c, c.input(1), given,
                       !given || c.getInt("normalize_routing_weights", 0) != 0);
  results.push_back(mix(c, counts, getQuantizedProduct(c, 1),
                        getQuantizedProduct(c, 2), getQuantizedProduct(c, 3)));
}
