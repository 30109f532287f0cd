//===- Attention.cpp - The ops of Attention.td ----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Attention.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Attention.cpp.inc"

void ONNXDialect::registerAttentionOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Attention.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

/// Q, K or V as (batch, heads, sequence, head size): 3-D operands pack the
/// heads into the last dimension.
static Dims attentionDims(ShapeBuilder &s, Value value,
                          std::optional<int64_t> heads,
                          const llvm::Twine &tag) {
  Dims unknown(4, s.unknown());
  if (!s.ranked(value))
    return unknown;
  Dims dims = s.dims(value);
  if (dims.size() == 4)
    return dims;
  if (!s.require(dims.size() == 3, tag + ": must have rank 3 or 4, has " +
                                       llvm::Twine(dims.size())) ||
      !s.require(heads && *heads >= 1,
                 tag + ": packed heads need their number as an attribute"))
    return unknown;
  Dim count = s.constant(*heads), size = s.floordiv(dims[2], count);
  s.same(dims[2], count * size, tag + ": as many channels for each head");
  return {dims[0], count, dims[1], size};
}

/// The dims of a cache before those of `present`, of which the sequence is
/// another.
static Dims pastDims(ShapeBuilder &s, Value past, ArrayRef<Dim> present,
                     const llvm::Twine &tag) {
  Dims dims = dimsOfRank(s, past, 4, tag);
  for (int64_t i : {0, 1, 3})
    s.same(dims[i], present[i], tag);
  return dims;
}

/// Masks are aligned at the last dimension, which may be too short.
static void requireMask(ShapeBuilder &s, Value mask, ArrayRef<Dim> scores) {
  if (!mask || !s.ranked(mask))
    return;
  int64_t rank = s.rank(mask);
  if (!s.require(rank >= 1 && rank <= 4,
                 "attention_mask_rank: must be 1 to 4, is " +
                     llvm::Twine(rank)))
    return;
  Dims dims = s.dims(mask);
  s.requireLessEqual(dims.back(), scores.back(),
                     "attention_mask_length: the mask must not be for more "
                     "keys than there are");
  dims.back() = scores.back();
  s.broadcastTo(dims, scores, "attention_mask");
}

static bool isSoftmaxPrecision(ShapeBuilder &s, std::optional<int64_t> type) {
  return !type ||
         isa_and_present<Float16Type, BFloat16Type, Float32Type, Float64Type>(
             getElementType(s.getContext(), *type));
}

LogicalResult AttentionOp::shape(ShapeBuilder &s, Adaptor op) {
  Type keyType = s.elementType(op.getQ()), valueType = s.elementType(op.getV());
  int64_t mode = op.getQkMatmulOutputMode();
  s.require(mode >= 0 && mode <= 3,
            "attention_mode: qk_matmul_output_mode must be 0 to 3, is " +
                llvm::Twine(mode));
  s.require(isSoftmaxPrecision(s, op.getSoftmaxPrecision()),
            "attention_precision: softmax_precision must be the number of a "
            "float type of 16 bits or more");
  s.require(!op.getPastKey() == !op.getPastValue(),
            "attention_past: past_key and past_value come together");
  if (!s.ranked(op.getQ()))
    return s.unranked(0, keyType);
  bool packed = s.rank(op.getQ()) == 3;
  Dims q = attentionDims(s, op.getQ(), op.getQNumHeads(), "attention_q");
  Dims k = attentionDims(s, op.getK(), op.getKvNumHeads(), "attention_k");
  Dims v = attentionDims(s, op.getV(), op.getKvNumHeads(), "attention_v");
  s.same(q[3], k[3], "attention_head_size: of queries and keys");
  s.same(k[2], v[2], "attention_kv_sequence: of keys and values");
  s.same(k[1], v[1], "attention_kv_heads: of keys and values");
  s.same(q[0], k[0], "attention_key_batch: of queries and keys");
  s.same(q[0], v[0], "attention_value_batch: of queries and values");
  Dim group = s.floordiv(q[1], s.max(k[1], s.constant(1)));
  s.same(q[1], group * k[1], "attention_groups: as many heads for each key");
  if (s.hasFailed())
    return failure();
  Dim total = k[2];
  if (op.getPastKey() && op.getPastValue()) {
    Dims past = pastDims(s, op.getPastKey(), k, "attention_past_key");
    Dims other = pastDims(s, op.getPastValue(), v, "attention_past_value");
    total = s.same(past[2], other[2], "attention_past_sequence") + k[2];
  }
  requireMask(s, op.getAttnMask(), {q[0], q[1], q[2], total});
  if (op.getNonpadKvSeqlen())
    s.same(dimsOfRank(s, op.getNonpadKvSeqlen(), 1, "attention_lengths")[0],
           q[0], "attention_lengths_batch: of queries and lengths");
  if (failed(s.result(1, keyType, {k[0], k[1], total, k[3]})) ||
      failed(s.result(2, valueType, {v[0], v[1], total, v[3]})) ||
      failed(s.result(3, keyType, {q[0], q[1], q[2], total})))
    return failure();
  if (packed)
    return s.result(0, keyType, {q[0], q[2], q[1] * v[3]});
  return s.result(0, keyType, {q[0], q[1], q[2], v[3]});
}

/// What scores and weights are computed in: float, unless the op says or gets
/// more. Null if that is unknown.
static Type getComputedType(MLIRContext *context, Type element,
                            std::optional<int64_t> precision) {
  if (precision)
    return getElementType(context, *precision);
  if (!isa_and_present<FloatType>(element))
    return {};
  return element.isF64() ? element : Float32Type::get(context);
}

Type FlexAttentionOp::getComputedType() {
  return ::getComputedType(getContext(), getElementTypeOrSelf(getQ().getType()),
                           getSoftmaxPrecision());
}

/// Whether a subgraph, if there is one, makes a tensor of `element` out of one.
static bool changesTensor(Region &region, Type element) {
  if (region.empty())
    return true;
  Block &block = region.front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  auto isOne = [&](TypeRange types) {
    if (types.size() != 1)
      return false;
    auto type = dyn_cast<TensorType>(types.front());
    return !element || isa<UnknownType>(types.front()) ||
           (type && (type.getElementType() == element ||
                     isa<UnknownType>(type.getElementType())));
  };
  return yield && isOne(block.getArgumentTypes()) &&
         isOne(yield->getOperandTypes());
}

LogicalResult FlexAttentionOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getQ());
  Type computed =
      ::getComputedType(s.getContext(), elementType, op.getSoftmaxPrecision());
  s.require(changesTensor(op.getScoreMod(), computed),
            "flexattention_score_mod: must make one tensor out of one, of "
            "the type of softmax_precision");
  s.require(changesTensor(op.getProbMod(), computed),
            "flexattention_prob_mod: must make one tensor out of one, of "
            "the type of softmax_precision");
  s.require(isSoftmaxPrecision(s, op.getSoftmaxPrecision()),
            "flexattention_precision: softmax_precision must be the number of "
            "a float type of 16 bits or more");
  Dims q = dimsOfRank(s, op.getQ(), 4, "flexattention_q");
  Dims k = dimsOfRank(s, op.getK(), 4, "flexattention_k");
  Dims v = dimsOfRank(s, op.getV(), 4, "flexattention_v");
  s.same(q[3], k[3], "flexattention_head_size: of queries and keys");
  s.same(k[2], v[2], "flexattention_kv_sequence: of keys and values");
  s.same(k[1], v[1], "flexattention_kv_heads: of keys and values");
  return s.result(0, elementType, {q[0], q[1], q[2], v[3]});
}

LogicalResult LinearAttentionOp::shape(ShapeBuilder &s, Adaptor op) {
  int64_t heads = op.getKvNumHeads(), queryHeads = op.getQNumHeads();
  if (!s.require(heads >= 1 && queryHeads >= 1,
                 "linearattention_heads: must be positive"))
    return failure();
  Dims query = dimsOfRank(s, op.getQuery(), 3, "linearattention_query");
  Dims key = dimsOfRank(s, op.getKey(), 3, "linearattention_key");
  Dims value = dimsOfRank(s, op.getValue(), 3, "linearattention_value");
  Dim valueSize = s.floordiv(value[2], s.constant(heads));
  Type stateType = op.getPastState() ? s.elementType(op.getPastState())
                                     : s.elementType(op.getQuery());
  if (failed(s.result(1, stateType,
                      {query[0], s.constant(heads),
                       s.floordiv(key[2], s.constant(heads)), valueSize})))
    return failure();
  return s.result(0, s.elementType(op.getQuery()),
                  {query[0], query[1], valueSize * queryHeads});
}

LogicalResult RotaryEmbeddingOp::shape(ShapeBuilder &s, Adaptor op) {
  Value x = op.getX(), ids = op.getPositionIds();
  int64_t cacheRank = ids ? 2 : 3;
  Dims cosines =
      dimsOfRank(s, op.getCosCache(), cacheRank, "rotaryembedding_cos_cache");
  Dims sines =
      dimsOfRank(s, op.getSinCache(), cacheRank, "rotaryembedding_sin_cache");
  for (auto [cosine, sine] : llvm::zip_equal(cosines, sines))
    s.same(cosine, sine, "rotaryembedding_sin_cache: sizes of both caches");
  // By batch and position.
  Dims rows =
      ids ? dimsOfRank(s, ids, 2, "rotaryembedding_position_ids") : cosines;
  if (!s.ranked(x))
    return s.sameAsOperand(0);
  int64_t rank = s.rank(x), turned = op.getRotaryEmbeddingDim();
  if (!s.require(rank == 3 || rank == 4,
                 "rotaryembedding_x: must have rank 3 or 4, has " +
                     llvm::Twine(rank)))
    return failure();
  Dims dims = s.dims(x);
  Dim channels = dims.back();
  if (rank == 3) {
    int64_t heads = op.getNumHeads().value_or(0);
    if (!s.require(heads >= 1, "rotaryembedding_num_heads: must be given and "
                               "positive where the input has rank 3"))
      return failure();
    requireMultiple(s, channels, heads,
                    "rotaryembedding_num_heads: the number of channels must "
                    "be a multiple of num_heads");
    channels = s.floordiv(channels, s.constant(heads));
  }
  if (turned != 0) {
    s.requireLessEqual(s.constant(turned), channels,
                       "rotaryembedding_rotary_embedding_dim: must not be more "
                       "than a head has channels");
    channels = s.constant(turned);
  }
  s.same(cosines.back() * 2, channels,
         "rotaryembedding_columns: two channels for each column of a cache");
  s.same(rows[0], dims[0], "rotaryembedding_batch: of positions and input");
  s.same(rows[1], dims[rank == 3 ? 1 : 2],
         "rotaryembedding_sequence: of positions and input");
  return s.sameAsOperand(0);
}
