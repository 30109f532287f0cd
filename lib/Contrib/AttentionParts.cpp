//===- AttentionParts.cpp - What attentions are made of -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionParts.h"

#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Movement.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::contrib;

AttentionResults contrib::attend(Composer &c, const AttentionParts &parts) {
  SmallVector<NamedAttribute> attributes{
      c.attribute("is_causal", parts.isCausal),
      c.attribute("qk_matmul_output_mode", parts.scoresMode)};
  if (parts.scale != 0)
    attributes.push_back(c.attribute("scale", parts.scale));
  if (parts.softcap != 0)
    attributes.push_back(c.attribute("softcap", parts.softcap));
  if (parts.window >= 0)
    attributes.push_back(c.attribute("left_window_size", parts.window));
  SmallVector<Value> made =
      c.makeAll<AttentionOp>({parts.query, parts.key, parts.value, parts.bias,
                              parts.pastKey, parts.pastValue, parts.lengths},
                             attributes, /*count=*/4);
  Value rows = c.reshape(c.transpose(made[0], {0, 2, 1, 3}), {0, 0, -1});
  return {rows, made[1], made[2], made[3]};
}

Value contrib::splitHeads(Composer &c, Value x, int64_t heads) {
  int64_t size = -1;
  if (std::optional<int64_t> known = getDim(x, 2)) {
    if (*known % heads != 0) {
      c.fail("has " + Twine(*known) + " channels, which are not for " +
             Twine(heads) + " heads");
      return {};
    }
    size = *known / heads;
  }
  return c.transpose(c.reshape(x, {0, 0, heads, size}), {0, 2, 1, 3});
}

/// Positions at which each sample ends, [batch] or, behind those, where each
/// begins.
static Value isWithin(Composer &c, Value mask, Value queries, Value total) {
  Value batch = c.sizeOf(queries, 0);
  Value positions = c.range(c.scalar(total));
  auto column = [&](Value bounds) {
    return c.unsqueeze(c.castToInt64(bounds), {1, 2, 3});
  };
  Value ends = column(c.slice(mask, 0, c.ints(0), batch));
  Value within = c.make<LessOp>({positions, ends});
  std::optional<int64_t> size = getDim(mask, 0);
  if (size && size == getDim(queries, 0))
    return within;
  // Without beginnings, these are zeros.
  Value rest =
      c.concat({mask, c.make<ExpandOp>({c.number(0, mask), batch})}, 0);
  Value begins = c.slice(rest, 0, batch, c.mul(batch, 2.0));
  return c.make<AndOp>(
      {within, c.make<GreaterOrEqualOp>({positions, column(begins)})});
}

Value contrib::makeMaskBias(Composer &c, unsigned index, Value queries,
                            Value total, float filter) {
  Value mask = c.input(index);
  if (!mask)
    return {};
  std::optional<int64_t> rank = getRank(mask);
  if (!rank || *rank < 1 || *rank > 4) {
    c.failInput(index, "must have a known rank of 1 to 4");
    return {};
  }
  Value isSeen;
  if (*rank == 1) {
    isSeen = isWithin(c, mask, queries, total);
  } else {
    isSeen = c.make<GreaterOp>({mask, c.number(0, mask)});
    if (*rank == 2) {
      isSeen = c.unsqueeze(isSeen, {1, 2});
    } else if (*rank == 3) {
      isSeen = c.unsqueeze(isSeen, 1);
    } else {
      // For the longest sequence there may be: the last rows of what is there.
      isSeen = c.slice(isSeen, 3, c.ints(0), total);
      isSeen = c.slice(isSeen, 2, c.sub(total, c.sizeOf(queries, 2)), total);
    }
  }
  return c.make<WhereOp>(
      {isSeen, c.number(0, queries), c.number(filter, queries)});
}
