//===- Attention.cpp - The ops of Attention.td -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Attention.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

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
  return {dims[0], s.constant(*heads), dims[1],
          s.floordiv(dims[2], s.constant(*heads))};
}

LogicalResult AttentionOp::shape(ShapeBuilder &s, Adaptor op) {
  Type keyType = s.elementType(op.getQ()), valueType = s.elementType(op.getV());
  if (!s.ranked(op.getQ()))
    return s.unranked(0, keyType);
  bool packed = s.rank(op.getQ()) == 3;
  Dims q = attentionDims(s, op.getQ(), op.getQNumHeads(), "attention_q");
  Dims k = attentionDims(s, op.getK(), op.getKvNumHeads(), "attention_k");
  Dims v = attentionDims(s, op.getV(), op.getKvNumHeads(), "attention_v");
  s.same(q[3], k[3], "attention_head_size: of queries and keys");
  s.same(k[2], v[2], "attention_kv_sequence: of keys and values");
  if (s.hasFailed())
    return failure();
  Dim total = k[2];
  if (op.getPastKey()) {
    if (!s.ranked(op.getPastKey()))
      total = s.unknown();
    else if (s.require(s.rank(op.getPastKey()) == 4,
                       "attention_past_key: must have rank 4"))
      total = s.dim(op.getPastKey(), 2) + k[2];
  }
  if (failed(s.result(1, keyType, {k[0], k[1], total, k[3]})) ||
      failed(s.result(2, valueType, {v[0], v[1], total, v[3]})) ||
      failed(s.result(3, keyType, {q[0], q[1], q[2], total})))
    return failure();
  if (packed)
    return s.result(0, keyType, {q[0], q[2], q[1] * v[3]});
  return s.result(0, keyType, {q[0], q[1], q[2], v[3]});
}

LogicalResult FlexAttentionOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getQ());
  Dims q = dimsOfRank(s, op.getQ(), 4, "flexattention_q");
  Dims v = dimsOfRank(s, op.getV(), 4, "flexattention_v");
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
