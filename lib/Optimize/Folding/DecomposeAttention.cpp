//===- DecomposeAttention.cpp - Bodies of Attention and RotaryEmbedding ---===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionBody.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

/// From `start` to `end` along an axis.
static Value makeSlice(FunctionBody &b, Value x, int64_t axis, int64_t start,
                       int64_t end, int64_t step = 1) {
  return b.make<SliceOp>(
      {x, b.ints(start), b.ints(end), b.ints(axis), b.ints(step)});
}

/// The pairs of `x`, of dims `dims` with a known last one, rotated.
static Value rotate(FunctionBody &b, Value x, ArrayRef<KnownOrValue> dims,
                    Value cos, Value sin, bool interleaved) {
  int64_t size = dims.back().known, half = size / 2;
  Value first = interleaved ? makeSlice(b, x, 3, 0, size, 2)
                            : makeSlice(b, x, 3, 0, half);
  Value second = interleaved ? makeSlice(b, x, 3, 1, size, 2)
                             : makeSlice(b, x, 3, half, size);
  Value real = b.mul(cos, first);
  real = b.sub(real, b.mul(sin, second));
  Value imaginary = b.mul(sin, first);
  imaginary = b.add(imaginary, b.mul(cos, second));
  if (!interleaved)
    return b.concat({real, imaginary}, 3);
  Value pairs = b.concat({b.unsqueeze(real, 4), b.unsqueeze(imaginary, 4)}, 4);
  return b.reshapeTo(pairs, dims);
}

static BodyResults inlineRotaryEmbedding(FunctionBody &b,
                                         RotaryEmbeddingOp op) {
  Value x = op.getX();
  std::optional<int64_t> rank = getRank(x), width = getDim(x, -1);
  int64_t heads = op.getNumHeads().value_or(0);
  bool isFlat = rank == 3;
  if (!width || (!isFlat && rank != 4) || (isFlat && heads < 1))
    return {};
  int64_t size = isFlat ? *width / heads : *width,
          rotated =
              op.getRotaryEmbeddingDim() ? op.getRotaryEmbeddingDim() : size;
  if (size == 0 || rotated > size || rotated % 2 != 0)
    return {};
  // Batch, position, head, channel.
  SmallVector<KnownOrValue> dims;
  Value input = x;
  if (isFlat) {
    dims = {b.dim(x, 0), b.dim(x, 1), heads, size};
    input = b.reshapeTo(x, dims);
  } else {
    dims = {b.dim(x, 0), b.dim(x, 2), b.dim(x, 1), size};
    input = b.transpose(x, {0, 2, 1, 3});
  }
  auto getAngles = [&](Value cache) {
    if (Value positions = op.getPositionIds())
      cache = b.make<GatherOp>({cache, positions});
    return b.unsqueeze(makeSlice(b, cache, 2, 0, rotated / 2), 2);
  };
  Value cos = getAngles(op.getCosCache()), sin = getAngles(op.getSinCache());
  SmallVector<KnownOrValue> rotatedDims(dims);
  rotatedDims.back() = rotated;
  Value part = rotated < size ? makeSlice(b, input, 3, 0, rotated) : input;
  Value y = rotate(b, part, rotatedDims, cos, sin, op.getInterleaved());
  if (rotated < size)
    y = b.concat({y, makeSlice(b, input, 3, rotated, size)}, 3);
  if (isFlat)
    return b.reshapeTo(y, {dims[0], dims[1], *width});
  return b.transpose(y, {0, 2, 1, 3});
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// 0, 1, ... below a dim.
static Value makeRange(FunctionBody &b, KnownOrValue dim) {
  return b.range(dim.value ? b.make<SqueezeOp>({dim.value, b.ints(0)})
                           : b.integer(dim.known));
}

/// What is added to the scores; null if nothing is.
static Value makeBias(FunctionBody &b, AttentionOp op, Value q, Value keys,
                      Type type) {
  Value bias = op.getAttnMask();
  Value hidden = b.number(-std::numeric_limits<double>::infinity(), type);
  Value zero = b.number(0, type);
  if (bias)
    bias = getElementType(bias).isInteger(1) ? b.where(bias, zero, hidden)
                                             : b.cast(bias, type);
  if (!op.getIsCausal())
    return bias;
  Value row = b.unsqueeze(makeRange(b, b.dim(q, 2)), 1);
  if (Value past = op.getPastKey())
    row = b.add(row, b.shape(b.dim(past, 2)));
  Value column = makeRange(b, b.dim(keys, 2));
  Value causal = b.where(b.less(row, column), hidden, zero);
  return bias ? b.add(bias, causal) : causal;
}

namespace {
/// What of Attention is known before anything is made.
struct AttentionForm {
  int64_t heads, kvHeads, rank;
  double scale;
  /// What is computed in.
  Type type;
};
} // namespace

static std::optional<AttentionForm> getForm(AttentionOp op) {
  Value q = op.getQ(), k = op.getK(), v = op.getV();
  std::optional<int64_t> rank = getRank(q);
  Type element = getElementType(q);
  if (!element || !getElementType(v) || (rank != 3 && rank != 4) ||
      getRank(k) != rank || getRank(v) != rank || op.getNonpadKvSeqlen() ||
      static_cast<int64_t>(op.getLeftWindowSize()) != -1 ||
      static_cast<int64_t>(op.getRightWindowSize()) != -1)
    return std::nullopt;
  auto getHeads = [&](Value x, std::optional<int64_t> given) {
    return *rank == 4 ? getDim(x, 1) : given;
  };
  auto heads = getHeads(q, op.getQNumHeads()),
       kvHeads = getHeads(k, op.getKvNumHeads());
  std::optional<int64_t> width = getDim(q, -1);
  if (!heads || !kvHeads || !width || *kvHeads < 1 || *heads % *kvHeads != 0 ||
      (*rank == 3 && (!getDim(k, -1) || !getDim(v, -1))))
    return std::nullopt;
  // Scores behind the mask: engines disagree on what a hidden one is.
  if (op.getQkMatmulOutput() && op.getQkMatmulOutputMode() == 2)
    return std::nullopt;
  // A mask may be shorter than the keys: what it does not say is hidden.
  if (Value mask = op.getAttnMask()) {
    std::optional<int64_t> keys = getDim(k, *rank == 4 ? 2 : 1), past = 0;
    if (op.getPastKey())
      past = getDim(op.getPastKey(), 2);
    if (!getElementType(mask) || !keys || !past ||
        getDim(mask, -1) != *keys + *past)
      return std::nullopt;
  }
  int64_t size = *rank == 4 ? *width : *width / *heads;
  if (size < 1 || (op.getSoftmaxPrecision() &&
                   static_cast<int64_t>(*op.getSoftmaxPrecision()) !=
                       getDataType(element) &&
                   *op.getSoftmaxPrecision() != 1))
    return std::nullopt;
  double scale = op.getScale() ? op.getScale()->convertToDouble()
                               : 1 / std::sqrt(static_cast<double>(size));
  Type type = element.isF64() ? element : Float32Type::get(op.getContext());
  return AttentionForm{*heads, *kvHeads, *rank, scale, type};
}

/// Heads before positions.
static Value splitHeads(FunctionBody &b, Value x, int64_t heads) {
  if (getRank(x) == 4)
    return x;
  Value split =
      b.reshapeTo(x, {b.dim(x, 0), b.dim(x, 1), heads, *getDim(x, -1) / heads});
  return b.transpose(split, {0, 2, 1, 3});
}

/// Each head as often as there are heads of queries for it.
static Value repeatHeads(FunctionBody &b, Value x, const AttentionForm &form) {
  int64_t times = form.heads / form.kvHeads;
  if (times == 1)
    return x;
  Value repeated =
      b.make<ExpandOp>({b.unsqueeze(x, 2), b.ints({1, 1, times, 1, 1})});
  return b.reshapeTo(repeated,
                     {b.dim(x, 0), form.heads, b.dim(x, 2), b.dim(x, 3)});
}

static BodyResults inlineAttention(FunctionBody &b, AttentionOp op) {
  std::optional<AttentionForm> form = getForm(op);
  if (!form)
    return {};
  Type type = form->type, element = getElementType(op.getQ());
  Value q = splitHeads(b, op.getQ(), form->heads);
  Value k = splitHeads(b, op.getK(), form->kvHeads);
  Value v = splitHeads(b, op.getV(), form->kvHeads);
  if (op.getPastKey())
    k = b.concat({op.getPastKey(), k}, 2);
  if (op.getPastValue())
    v = b.concat({op.getPastValue(), v}, 2);
  Value keys =
      b.transpose(repeatHeads(b, b.cast(k, type), *form), {0, 1, 3, 2});
  Value scaled = b.mul(b.cast(q, type), b.number(form->scale, type));
  // What qk_matmul_output may be, by its mode.
  SmallVector<Value, 4> scores{b.make<MatMulOp>({scaled, keys})};
  double cap = op.getSoftcap().convertToDouble();
  scores.push_back(scores[0]);
  if (cap > 0) {
    Value limit = b.number(cap, type);
    scores[1] = b.mul(b.make<TanhOp>(b.div(scores[0], limit)), limit);
  }
  Value bias = makeBias(b, op, q, k, type);
  scores.push_back(bias ? b.add(scores[1], bias) : scores[1]);
  Value weights = makeSoftmax(b, scores[2], -1);
  if (bias) {
    Value hidden = b.number(-std::numeric_limits<double>::infinity(), type);
    Value greatest = b.reduce<ReduceMaxOp>(bias, b.ints(-1));
    Value isHidden = b.make<EqualOp>({greatest, hidden});
    weights = b.where(isHidden, b.number(0, type), weights);
  }
  scores.push_back(weights);
  Value y = b.make<MatMulOp>({weights, repeatHeads(b, b.cast(v, type), *form)});
  y = b.cast(y, element);
  if (form->rank == 3) {
    int64_t width = *getDim(op.getV(), -1) / form->kvHeads * form->heads;
    Value swapped = b.transpose(y, {0, 2, 1, 3});
    y = b.reshapeTo(swapped, {b.dim(op.getQ(), 0), b.dim(op.getQ(), 1), width});
  }
  BodyResults results(y);
  if (op.getPresentKey())
    results.push_back(k);
  if (op.getPresentValue())
    results.push_back(v);
  if (op.getQkMatmulOutput())
    results.push_back(b.cast(scores[op.getQkMatmulOutputMode() & 3], element));
  return results;
}

void optimize::populateAttentionFunctions(RewritePatternSet &patterns,
                                          const RewriteOptions &options) {
  addBody(patterns, options, inlineAttention, 23);
  addBody(patterns, options, inlineRotaryEmbedding, 23);
}
