//===- Experts.cpp - Mixtures of experts, of ONNX Runtime -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of a few experts computes the tokens that the router sends to it. Of
// many, or small ones, every expert computes every token, as one batch of
// products, and what the router did not choose is dropped.
//
//===----------------------------------------------------------------------===//

#include "ContribOps.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Support/SaturatingInt.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::contrib;

//===----------------------------------------------------------------------===//
// The router
//===----------------------------------------------------------------------===//

namespace {
/// The experts that each token goes to, [tokens, k], and how much each of them
/// counts.
struct Routes {
  Value experts, shares;
};
} // namespace

/// The greatest scores choose. `given`: what counts instead of the scores'
/// softmax. With `isNormalized` the shares of a token have the sum 1.
static Routes route(Composer &c, Value scores, Value given, bool isNormalized) {
  Value chosen = c.makeAll<TopKOp>({scores, c.ints(c.getInt("k", 1))},
                                   c.attribute("axis", 1), /*count=*/2)[1];
  Value all = given ? given : c.make<SoftmaxOp>(scores);
  Value shares =
      c.make<GatherElementsOp>({all, chosen}, c.attribute("axis", 1));
  if (isNormalized)
    shares = c.make<DivOp>({shares, c.make<ReduceSumOp>({shares, c.ints(1)})});
  return {chosen, shares};
}

//===----------------------------------------------------------------------===//
// The experts
//===----------------------------------------------------------------------===//

namespace {
/// One product of all experts. Inputs that are absent are null.
struct Product {
  /// [experts, results, channels], or, quantized, [experts, results, bytes].
  Value weights;
  /// [experts, results].
  Value bias;
  /// Of quantized weights: scales and zero points, as the node has them.
  Value scales = {}, zeros = {};
  int64_t bits = 0, block = 0;

  explicit operator bool() const { return static_cast<bool>(weights); }
  /// As numbers of the type of `like`.
  Value getWeights(Composer &c, Value like) const;
  /// Of rows [experts or 1, tokens, channels].
  Value apply(Composer &c, Value rows) const {
    Value y =
        c.make<MatMulOp>({rows, c.transpose(getWeights(c, rows), {0, 2, 1})});
    return bias ? c.add(y, c.unsqueeze(bias, 1)) : y;
  }
};
} // namespace

/// The product of each expert. One Split for all of them: constants are read
/// once.
static SmallVector<Product> split(Composer &c, const Product &product,
                                  int64_t count) {
  SmallVector<Product> all(count, product);
  for (Value Product::*part :
       {&Product::weights, &Product::bias, &Product::scales, &Product::zeros})
    if (Value whole = product.*part)
      for (auto [one, own] : llvm::zip_equal(
               all, c.split(whole, 0, SmallVector<int64_t>(count, 1))))
        one.*part = own;
  return all;
}

Value Product::getWeights(Composer &c, Value like) const {
  if (!scales)
    return weights;
  int64_t columns = *getDim(weights, 2) * 8 / bits, width = block;
  Value scale = scales, zero = zeros;
  if (block <= 0) {
    // One block for all of a row, and zero points along the rows.
    width = columns;
    scale = c.unsqueeze(scale, 2);
  }
  Value numbers = unpackLast(c, weights, bits, columns);
  if (!zero)
    zero = c.make<ExpandOp>(
        {c.number(1 << (bits - 1), numbers), c.shapeOf(scale)});
  else if (block > 0)
    zero = unpackLast(c, zero, bits, columns / block);
  else
    zero = c.unsqueeze(unpackLast(c, zero, bits, *getDim(weights, 1)), 2);
  Value dequantized = c.make<DequantizeLinearOp>(
      {numbers, scale, zero},
      {c.attribute("axis", 2), c.attribute("block_size", width)});
  return c.castLike(dequantized, like);
}

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

namespace {
/// The products of all experts.
struct Experts {
  Product first, second, third;

  /// What they make of rows [experts or 1, tokens, channels].
  Value apply(Composer &c, Value rows) const {
    Value gates = first.apply(c, rows);
    Value inner =
        activateExperts(c, gates, third ? third.apply(c, rows) : Value());
    return second.apply(c, inner);
  }
};
} // namespace

/// How many experts there are, if each is to see the tokens that go to it
/// alone: where one is so small that looking for its tokens takes longer than
/// its products, or there are so many that their code takes long to make, each
/// sees all tokens, and most of what it makes counts nothing.
static std::optional<int64_t> countSeparateExperts(Composer &c,
                                                   const Experts &experts) {
  constexpr int64_t least = 1 << 14, most = 16;
  Value weights = experts.first.weights;
  std::optional<int64_t> count = getDim(weights, 0), rows = getDim(weights, 1),
                         columns = getDim(weights, 2);
  if (!count || !rows || !columns || *count > most ||
      c.getInt("k", 1) >= *count || SaturatingInt(*rows) * *columns < least)
    return std::nullopt;
  return count;
}

/// Rows [tokens, channels] through the experts that they go to.
static Value mixChosen(Composer &c, Value rows, const Routes &routes,
                       const Experts &experts, int64_t count) {
  Value sum = c.make<ExpandOp>({c.number(0, rows), c.shapeOf(rows)});
  SmallVector<Product> first = split(c, experts.first, count);
  SmallVector<Product> second = split(c, experts.second, count);
  SmallVector<Product> third = split(c, experts.third, count);
  for (int64_t expert = 0; expert < count; ++expert) {
    // A token goes to an expert once, so that no index comes twice.
    Value places =
        c.make<NonZeroOp>(c.make<EqualOp>({routes.experts, c.integer(expert)}));
    Value tokens = c.take(places, 0, 0);
    Value shares =
        c.make<GatherNDOp>({routes.shares, c.transpose(places, {1, 0})});
    Value seen = c.unsqueeze(c.gather(rows, tokens, 0), 0);
    Experts own{first[expert], second[expert], third[expert]};
    Value results = own.apply(c, seen);
    Value made = c.make<SqueezeOp>({results, c.ints(0)});
    sum = c.make<ScatterNDOp>(
        {sum, c.unsqueeze(tokens, 1), c.mul(made, c.unsqueeze(shares, 1))},
        c.attribute("reduction", "add"));
  }
  return sum;
}

/// Rows [tokens, channels] through all experts, of which those that they do not
/// go to count nothing.
static Value mixAll(Composer &c, Value rows, Value scores, const Routes &routes,
                    const Experts &experts) {
  Value zeros = c.make<ExpandOp>({c.number(0, scores), c.shapeOf(scores)});
  Value ones =
      c.make<ExpandOp>({c.number(1, scores), c.shapeOf(routes.shares)});
  // [experts, tokens, 1].
  auto scatter = [&](Value values) {
    Value all = c.make<ScatterElementsOp>({zeros, routes.experts, values},
                                          c.attribute("axis", 1));
    return c.unsqueeze(c.make<TransposeOp>(all), 2);
  };
  Value shares = scatter(routes.shares);
  Value marks = scatter(ones);
  Value isChosen = c.cast(marks, c.getNode().builder.getI1Type());
  Value results = experts.apply(c, c.unsqueeze(rows, 0));
  // A product by 0 would not drop infinities and NaN.
  Value products = c.mul(results, shares), none = c.number(0, results);
  Value counted = c.where(isChosen, products, none);
  return c.make<ReduceSumOp>({counted, c.ints(0)}, c.attribute("keepdims", 0));
}

/// The tokens of the first input, [tokens, channels] or of more axes.
static Value mix(Composer &c, const Routes &routes, const Experts &experts) {
  Value input = c.input(0);
  Value rows = c.make<FlattenOp>(input, c.attribute("axis", -1)), sum;
  if (auto count = countSeparateExperts(c, experts))
    sum = mixChosen(c, rows, routes, experts, *count);
  else
    sum = mixAll(c, rows, c.input(1), routes, experts);
  return c.make<ReshapeOp>({sum, c.shapeOf(input)});
}

void contrib::mixtureOfExperts(Composer &c, Results &results) {
  // It changes nothing unless it is a training's.
  c.expectInt("use_sparse_mixer", 0);
  Routes routes =
      route(c, c.input(1), {}, c.getInt("normalize_routing_weights", 0) != 0);
  Experts experts{{c.input(2), c.input(3)},
                  {c.input(4), c.input(5)},
                  {c.input(6), c.input(7)}};
  results.push_back(mix(c, routes, experts));
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
  return {packed, c.input(first + 2),       scales, zeros,
          bits,   c.getInt("block_size", 0)};
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
  Routes routes =
      route(c, c.input(1), given,
            !given || c.getInt("normalize_routing_weights", 0) != 0);
  Experts experts{getQuantizedProduct(c, 1), getQuantizedProduct(c, 2),
                  getQuantizedProduct(c, 3)};
  // Without known sizes there are no weights.
  if (!c.hasFailed())
    results.push_back(mix(c, routes, experts));
}
