//===- PulsePositions.cpp - Pulses of what works position by position -----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pulser.h"

#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;

static int64_t getRankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

//===----------------------------------------------------------------------===//
// Elementwise operators
//===----------------------------------------------------------------------===//

/// Whether a value without the sequence is the same at all positions.
static bool isSameAtAll(Value old, int64_t axisFromEnd) {
  int64_t axis = getRankOf(old) - 1 - axisFromEnd;
  return axis < 0 || getDim(old, axis) == 1;
}

LogicalResult Pulser::visitElementwise(Operation *op) {
  int64_t rank = 0;
  for (Value operand : op->getOperands())
    rank = std::max(rank, getRankOf(operand));
  std::optional<int64_t> fromEnd;
  for (Value operand : op->getOperands()) {
    if (!isStream(operand))
      continue;
    int64_t own = getRankOf(operand) - 1 - get(operand).stream.axis;
    if (fromEnd && own != *fromEnd)
      return fail(op) << "the sequence is in different dimensions of its "
                         "operands, so that each position meets each other one";
    fromEnd = own;
  }
  for (Value operand : op->getOperands())
    if (!isStream(operand) && !isSameAtAll(operand, *fromEnd))
      return fail(op) << "one of its operands has a length of its own along "
                         "the sequence";
  SmallVector<std::pair<Value, Value>> replaced;
  Stream out;
  if (failed(align(op, llvm::to_vector(op->getOperands()), replaced, out)))
    return failure();
  out.axis = rank - 1 - *fromEnd;
  out.value = clone(op, replaced)->getResult(0);
  set(op->getResult(0), out);
  return success();
}

/// Of operators that mix what is along the dimensions first ... end - 1.
LogicalResult Pulser::visitAxisOp(Operation *op, int64_t first, int64_t end) {
  for (Value operand : op->getOperands().drop_front())
    if (isStream(operand) || !isStream(op->getOperand(0)))
      return fail(op) << "its parameters depend on the sequence";
  Stream in = getStream(op, op->getOperand(0));
  if (in.axis >= first && in.axis < end)
    return fail(op) << "it needs all positions of the sequence at once";
  return keep(op, in, in.axis);
}

LogicalResult Pulser::visitBatchNormalization(Operation *op) {
  if (cast<BatchNormalizationOp>(op).getTrainingMode())
    return fail(op) << "in training it needs all positions of the sequence at "
                       "once";
  return visitAxisOp(op, 1, 2);
}

LogicalResult Pulser::visitQuantize(Operation *op) {
  int64_t axis = op->getAttrOfType<IntegerAttr>("axis")
                     ? op->getAttrOfType<IntegerAttr>("axis").getInt()
                     : 1;
  int64_t scaleRank = getRankOf(op->getOperand(1));
  if (scaleRank > 1)
    return fail(op) << "it has scales of blocks";
  bool isOne = scaleRank == 0 || getDim(op->getOperand(1), 0) == 1;
  return isOne ? visitAxisOp(op, 0, 0) : visitAxisOp(op, axis, axis + 1);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult Pulser::visitReduction(Operation *op) {
  if (!isStream(op->getOperand(0)))
    return fail(op) << "its axes depend on the sequence";
  Stream in = getStream(op, op->getOperand(0));
  int64_t rank = getRankOf(op->getOperand(0));
  SmallVector<int64_t> axes;
  if (auto axis = op->getAttrOfType<IntegerAttr>("axis")) {
    axes.push_back(axis.getInt());
  } else if (Value list = getFormal(op, "axes")) {
    std::optional<int64_t> count = getDim(list, 0);
    for (int64_t i = 0; i < count.value_or(0); ++i) {
      std::optional<int64_t> item = getConstantInteger(list, i);
      if (!item)
        return fail(op) << "its axes are not constants";
      axes.push_back(*item);
    }
  }
  auto noop = op->getAttrOfType<IntegerAttr>("noop_with_empty_axes");
  if (axes.empty() && !(noop && noop.getInt()) &&
      !op->getAttrOfType<IntegerAttr>("axis"))
    axes.assign(llvm::seq<int64_t>(0, rank).begin(),
                llvm::seq<int64_t>(0, rank).end());
  auto keepdims = op->getAttrOfType<IntegerAttr>("keepdims");
  int64_t axis = in.axis;
  for (int64_t reduced : axes) {
    reduced = reduced < 0 ? reduced + rank : reduced;
    if (reduced == in.axis)
      return fail(op) << "it needs all positions of the sequence at once";
    axis -= keepdims && !keepdims.getInt() && reduced < in.axis;
  }
  return keep(op, in, axis);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

static constexpr char sumsOverSequence[] =
    "it sums over all positions of the sequence";
static constexpr char pairsOfPositions[] =
    "it multiplies each position by each other one, as attention over the "
    "whole sequence does";

LogicalResult Pulser::visitMatMul(Operation *op) {
  Value a = getFormal(op, "A"), b = getFormal(op, "B");
  if (!a) {
    a = getFormal(op, "a");
    b = getFormal(op, "b");
  }
  for (Value operand : op->getOperands())
    if (operand != a && operand != b && isStream(operand))
      return fail(op) << "its scales depend on the sequence";
  int64_t rankA = getRankOf(a), rankB = getRankOf(b);
  // The dimension of the result, counted from its end.
  std::optional<int64_t> ofA, ofB;
  bool isBatch = true;
  if (isStream(a)) {
    int64_t at = rankA - 1 - get(a).stream.axis;
    if (at == 0)
      return fail(op) << sumsOverSequence;
    ofA = rankB == 1 ? at - 1 : at;
    isBatch = at >= 2;
  }
  if (isStream(b)) {
    int64_t at = rankB - 1 - get(b).stream.axis;
    if (at == 1 || rankB == 1)
      return fail(op) << sumsOverSequence;
    ofB = rankA == 1 && at > 0 ? at - 1 : at;
    isBatch &= at >= 2;
  }
  if (ofA && ofB && (*ofA != *ofB || !isBatch))
    return fail(op) << pairsOfPositions;
  Value fixed = !ofA ? a : !ofB ? b : Value();
  if (fixed && isBatch && !isSameAtAll(fixed, ofA ? *ofA : *ofB))
    return fail(op) << "one of its operands has a length of its own along the "
                       "sequence";
  SmallVector<std::pair<Value, Value>> replaced;
  Stream out;
  if (failed(align(op, {a, b}, replaced, out)))
    return failure();
  out.value = clone(op, replaced)->getResult(0);
  out.axis = getRankOf(op->getResult(0)) - 1 - (ofA ? *ofA : *ofB);
  set(op->getResult(0), out);
  return success();
}

LogicalResult Pulser::visitGemm(Operation *op) {
  auto gemm = cast<GemmOp>(op);
  Value a = gemm.getA(), b = gemm.getB(), c = gemm.getC();
  std::optional<int64_t> axis;
  if (isStream(a)) {
    if (get(a).stream.axis == (gemm.getTransA() ? 0 : 1))
      return fail(op) << sumsOverSequence;
    axis = 0;
  }
  if (isStream(b)) {
    if (get(b).stream.axis == (gemm.getTransB() ? 1 : 0))
      return fail(op) << sumsOverSequence;
    if (axis)
      return fail(op) << pairsOfPositions;
    axis = 1;
  }
  if (c) {
    std::optional<int64_t> ofC;
    if (isStream(c))
      ofC = get(c).stream.axis + 2 - getRankOf(c);
    if (axis && ofC && *axis != *ofC)
      return fail(op) << pairsOfPositions;
    if (!axis)
      axis = ofC;
    if (!isStream(c) && !isSameAtAll(c, 1 - *axis))
      return fail(op) << "one of its operands has a length of its own along "
                         "the sequence";
  }
  SmallVector<std::pair<Value, Value>> replaced;
  Stream out;
  if (failed(align(op, {a, b, c}, replaced, out)))
    return failure();
  out.value = clone(op, replaced)->getResult(0);
  out.axis = *axis;
  set(op->getResult(0), out);
  return success();
}

LogicalResult Pulser::visitEinsum(Operation *op) {
  std::string equation = cast<EinsumOp>(op).getEquation().str();
  llvm::erase(equation, ' ');
  auto [inputs, output] = StringRef(equation).split("->");
  if (!StringRef(equation).contains("->") || StringRef(equation).contains('.'))
    return fail(op) << "its equation has no explicit output, or dots";
  SmallVector<StringRef> labels;
  inputs.split(labels, ',');
  if (labels.size() != op->getNumOperands())
    return fail(op) << "its equation has another number of operands";
  std::optional<char> sequence;
  for (auto [operand, own] : llvm::zip_equal(op->getOperands(), labels)) {
    if (!isStream(operand))
      continue;
    char label = own[get(operand).stream.axis];
    if (sequence && *sequence != label)
      return fail(op) << pairsOfPositions;
    sequence = label;
  }
  if (!output.contains(*sequence))
    return fail(op) << sumsOverSequence;
  for (auto [operand, own] : llvm::zip_equal(op->getOperands(), labels))
    if (own.count(*sequence) > (isStream(operand) ? 1 : 0))
      return fail(op) << "one of its operands has a length of its own along "
                         "the sequence";
  SmallVector<std::pair<Value, Value>> replaced;
  Stream out;
  if (failed(align(op, llvm::to_vector(op->getOperands()), replaced, out)))
    return failure();
  out.value = clone(op, replaced)->getResult(0);
  out.axis = output.find(*sequence);
  set(op->getResult(0), out);
  return success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Which keys of a pulse and of those around it each query sees.
static Value makeBand(ONNXBuilder &b, int64_t queries, int64_t keys) {
  SmallVector<bool> band;
  for (int64_t query = 0; query < queries; ++query)
    for (int64_t key = 0; key < keys; ++key)
      band.push_back(key >= query && key <= query + keys - queries);
  return b.constant(DenseElementsAttr::get(
      RankedTensorType::get({queries, keys}, b.builder.getI1Type()), band));
}

LogicalResult Pulser::visitAttention(Operation *op) {
  auto attention = cast<AttentionOp>(op);
  Value q = attention.getQ(), k = attention.getK(), v = attention.getV();
  int64_t sequenceAxis = getRankOf(q) == 3 ? 1 : 2;
  if (!isStream(q) || !isStream(k) || !isStream(v))
    return fail(op) << "only some of its operands have the sequence";
  int64_t axis = get(q).stream.axis;
  if (axis != get(k).stream.axis || axis != get(v).stream.axis)
    return fail(op) << pairsOfPositions;
  if (attention.getPastKey() || attention.getNonpadKvSeqlen() ||
      llvm::any_of(op->getResults().drop_front(),
                   [](Value result) { return !result.use_empty(); }))
    return fail(op) << "it has a cache, and is a step already";
  SmallVector<std::pair<Value, Value>> replaced;
  Stream out;
  if (failed(align(op, {q, k, v}, replaced, out)))
    return failure();
  auto lookup = [&](Value old) {
    return llvm::find_if(replaced,
                         [&](auto &pair) { return pair.first == old; })
        ->second;
  };
  if (axis == 0) {
    if (attention.getAttnMask() && (isStream(attention.getAttnMask()) ||
                                    getRankOf(attention.getAttnMask()) > 2))
      return fail(op) << "its mask depends on the position";
    out.value = clone(op, replaced)->getResult(0);
    set(op->getResult(0), out);
    return success();
  }
  int64_t left = attention.getLeftWindowSize();
  int64_t right = attention.getIsCausal() ? 0 : attention.getRightWindowSize();
  if (axis != sequenceAxis || left < 0 || right < 0)
    return fail(op) << "its queries see keys at any distance; "
                       "left_window_size, and right_window_size or is_causal, "
                       "bound it";
  if (attention.getAttnMask())
    return fail(op) << "it has a mask for the whole sequence";
  WindowForm form;
  form.extent = left + right + 1;
  form.padding.left = left;
  form.padding.right = right;
  Stream keys = out, values = out;
  keys.value = lookup(k);
  values.value = lookup(v);
  FailureOr<Stream> keyRows = readWindows(op, k, keys, form);
  if (failed(keyRows))
    return failure();
  FailureOr<Stream> valueRows = readWindows(op, v, values, form);
  Stream queries = out;
  queries.value = lookup(q);
  FailureOr<Stream> queryRows = delayBy(op, q, queries, right);
  if (failed(valueRows) || failed(queryRows))
    return failure();
  ONNXBuilder b(builder, op->getLoc());
  int64_t count = out.size + left + right;
  Stream ones = out;
  ones.axis = 1;
  ones.value = b.constant(DenseElementsAttr::get(
      RankedTensorType::get({1, count}, builder.getI1Type()), true));
  // The first row is `left` positions before the first query, which has been
  // delayed by `right`.
  Value inside = mask(ones, ones.value, left + right, true, right > 0, {});
  Value band = makeBand(b, out.size, count);
  auto made = cast<AttentionOp>(builder.clone(*op));
  made.getQMutable().set(queryRows->value);
  made.getKMutable().set(keyRows->value);
  made.getVMutable().set(valueRows->value);
  made.getAttnMaskMutable().assign(b.make<AndOp>({band, inside}));
  made->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
  made.setIsCausal(0);
  made.setLeftWindowSize(-1);
  made.setRightWindowSize(-1);
  refineResults(made);
  Stream result = *queryRows;
  result.value = made.getY();
  set(op->getResult(0), result);
  return success(!b.hasFailed());
}
