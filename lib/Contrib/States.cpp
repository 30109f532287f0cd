//===- States.cpp - Operators with a state, of ONNX Runtime ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContribOps.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::contrib;

//===----------------------------------------------------------------------===//
// LinearAttention
//===----------------------------------------------------------------------===//

/// `x` [batch, steps, heads * size] as [steps, batch, heads, size].
static Value stepsFirst(Composer &c, Value x, int64_t heads) {
  return c.transpose(c.reshape(x, {0, 0, heads, -1}), {1, 0, 2, 3});
}

/// Each of axis 2 as often as there are `heads` in all.
static Value repeatHeads(Composer &c, Value x, int64_t given, int64_t heads) {
  if (given == heads)
    return x;
  Value repeated = c.make<ExpandOp>(
      {c.unsqueeze(x, 3), c.ints({1, 1, 1, heads / given, 1})});
  return c.reshape(repeated, {0, 0, heads, -1});
}

/// state = exp(decay) state + beta key (value - what the state tells of key),
/// where the rule has these terms, and query times state, step by step.
void contrib::linearAttention(Composer &c, Results &results) {
  int64_t queryHeads = c.getCount("q_num_heads"),
          heads = c.getCount("kv_num_heads"),
          most = std::max(queryHeads, heads);
  c.expectInt("state_window", 0);
  StringRef rule = c.getString("update_rule", "gated_delta");
  if (!llvm::is_contained({"linear", "gated", "delta", "gated_delta"}, rule))
    c.failAttribute("update_rule",
                    "is '" + rule +
                        "'; expected linear, gated, delta or gated_delta");
  bool isGated = rule.starts_with("gated"), isDelta = rule.ends_with("delta");
  if (isGated && !c.input(4))
    c.failInput(4, "is missing, which the update rule needs");
  if (isDelta && !c.input(5))
    c.failInput(5, "is missing, which the update rule needs");
  if (most % queryHeads != 0 || most % heads != 0)
    c.failAttribute("kv_num_heads", "is " + Twine(heads) + ", which " +
                                        Twine(queryHeads) +
                                        " heads of queries do not fit");
  if (c.hasFailed())
    return;
  Type single = c.builder.getF32Type();
  auto prepare = [&](unsigned input, int64_t count) {
    return stepsFirst(c, c.cast(c.input(input), single), count);
  };
  Value query = repeatHeads(c, prepare(0, queryHeads), queryHeads, most);
  Value value = prepare(2, heads), size = c.sizeOf(query, 3);
  // Keys may be shared as queries are.
  int64_t keyHeads = heads;
  std::optional<int64_t> channels = getDim(c.input(1), 2),
                         known = getDim(query, 3);
  if (channels && known && *known > 0 && *channels != heads * *known)
    keyHeads = *channels / *known;
  if (keyHeads < 1 || heads % keyHeads != 0)
    return c.failInput(1, "has a number of channels that fits no heads");
  Value key = repeatHeads(c, prepare(1, keyHeads), keyHeads, heads);
  Value decay = isGated ? c.exp(prepare(4, heads)) : Value();
  Value beta;
  if (isDelta) {
    beta = c.cast(c.input(5), single);
    beta = c.unsqueeze(c.transpose(beta, {1, 0, 2}), 3);
  }
  Value past = c.input(3), batch = c.sizeOf(query, 1);
  Value state =
      past ? c.cast(past, single)
           : c.make<ExpandOp>(
                 {c.number(0, query),
                  c.concat({batch, c.ints(heads), size, c.sizeOf(value, 3)},
                           0)});
  auto advance = [&](Value step, ValueRange states) -> SmallVector<Value> {
    Value before = states.front();
    auto now = [&](Value x) { return c.gather(x, step, 0); };
    if (decay)
      before = c.mul(before, c.unsqueeze(now(decay), 3));
    Value column = c.unsqueeze(now(key), 3), row = c.unsqueeze(now(value), 2);
    if (isDelta) {
      Value recalled = c.make<MatMulOp>({c.swapLastTwo(column), before});
      Value difference = c.sub(row, recalled);
      row = c.mul(difference, c.unsqueeze(now(beta), 3));
    }
    Value after = c.add(before, c.mul(column, row));
    Value read = after;
    if (most != heads)
      read = c.reshape(c.make<ExpandOp>({c.unsqueeze(after, 2),
                                         c.ints({1, 1, most / heads, 1, 1})}),
                       {0, most, -1, getDim(value, 3).value_or(0)});
    return {after, c.make<MatMulOp>({c.unsqueeze(now(query), 2), read})};
  };
  SmallVector<Value> made = c.loop(c.scalarSizeOf(query, 0), state,
                                   /*numCollected=*/1, advance);
  // [steps, batch, heads, 1, size].
  Value rows = c.reshape(c.transpose(made[1], {1, 0, 2, 3, 4}), {0, 0, -1});
  float scale = c.getFloat("scale", 0);
  if (scale != 0)
    rows = c.mul(rows, scale);
  else
    rows = c.make<DivOp>({rows, c.sqrt(c.castLike(size, rows))});
  results.append({c.castLike(rows, c.input(0)),
                  c.castLike(made[0], past ? past : c.input(0))});
}

//===----------------------------------------------------------------------===//
// CausalConvWithState
//===----------------------------------------------------------------------===//

/// Each channel with a kernel of its own, over the steps before and now. What
/// the next run has to know of them is the second result.
void contrib::causalConvWithState(Composer &c, Results &results) {
  c.expectInt("ndim", 1);
  c.expectInt("state_window", 0);
  int64_t dilation = c.getInt("dilation", 1);
  StringRef function = c.getString("activation", "none");
  if (!llvm::is_contained({"none", "silu", "swish"}, function))
    c.failAttribute("activation",
                    "is '" + function + "'; expected silu, swish or none");
  if (dilation < 1)
    c.failAttribute("dilation",
                    "is " + Twine(dilation) + "; expected 1 or more");
  Value input = c.input(0), weights = c.input(1), past = c.input(3);
  std::optional<int64_t> channels = getDim(weights, 0),
                         taps = getDim(weights, 2);
  if (!c.hasFailed() && (!channels || !taps || *taps < 1))
    c.failInput(1, "must be of known sizes");
  if (c.hasFailed())
    return;
  int64_t before = (*taps - 1) * dilation;
  bool isLast = c.getInt("channels_last", 0) != 0;
  // [batch, steps, …] to [batch, channels, steps] and back.
  auto toFront = [&](Value x) {
    return isLast ? c.transpose(c.reshape(x, {0, 0, -1}), {0, 2, 1}) : x;
  };
  auto toBack = [&](Value x, Value steps) {
    if (!isLast)
      return x;
    Value rest = c.make<ShapeOp>(input, c.attribute("start", 2));
    return c.make<ReshapeOp>({c.transpose(x, {0, 2, 1}),
                              c.concat({c.sizeOf(input, 0), steps, rest}, 0)});
  };
  Value x = toFront(input);
  Value earlier =
      past ? c.castLike(toFront(past), x)
           : c.make<ExpandOp>(
                 {c.number(0, x),
                  c.concat({c.sizeOf(x, 0), c.ints({*channels, before})}, 0)});
  Value all = c.concat({earlier, x}, 2);
  Value y = c.make<ConvOp>({all, weights, c.input(2)},
                           {c.attribute("group", *channels),
                            c.attribute("dilations", ArrayRef(dilation))});
  if (function != "none")
    y = c.make<SwishOp>(y);
  Value total = c.sizeOf(all, 2);
  Value last = c.slice(all, 2, c.sub(total, c.ints(before)), total);
  results.append({toBack(y, c.sizeOf(x, 2)), toBack(last, c.ints(before))});
}
