//===- Indexing.cpp - The ops of Indexing.td ------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Indexing.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Indexing.cpp.inc"

void ONNXDialect::registerIndexingOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Indexing.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getData());
  if (!s.ranked(op.getData()) || !s.ranked(op.getIndices()))
    return s.unranked(0, elementType);
  int64_t rank = s.rank(op.getData());
  if (!s.require(rank >= 1, "gather_data: must have at least rank 1"))
    return failure();
  int64_t axis = s.axis(op.getAxis(), rank, "gather_axis");
  if (s.hasFailed())
    return failure();
  Dims data = s.dims(op.getData());
  Dims output(llvm::ArrayRef<Dim>(data).take_front(axis));
  output.append(s.dims(op.getIndices()));
  output.append(data.begin() + axis + 1, data.end());
  return s.result(0, elementType, output);
}

/// Only along the axis may there be more indices than elements.
static void requireWithin(ShapeBuilder &s, Value indices, Value data,
                          int64_t axis, const llvm::Twine &tag) {
  for (int64_t i = 0, rank = s.rank(data); i < rank; ++i)
    if (i != axis) {
      Dim count = s.dim(indices, i);
      s.requireLessEqual(count, s.dim(data, i),
                         tag + ": must not be larger than data in dimension " +
                             llvm::Twine(i));
    }
}

LogicalResult GatherElementsOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getData());
  bool bothRanked = s.ranked(op.getData()) && s.ranked(op.getIndices());
  int64_t axis = 0;
  if (s.ranked(op.getData()))
    axis = s.axis(op.getAxis(), s.rank(op.getData()), "gatherelements_axis");
  s.require(!bothRanked || s.rank(op.getData()) == s.rank(op.getIndices()),
            "gatherelements_indices: must have the rank of data");
  if (s.hasFailed())
    return failure();
  if (bothRanked)
    requireWithin(s, op.getIndices(), op.getData(), axis,
                  "gatherelements_indices");
  if (s.ranked(op.getIndices()))
    return s.result(0, elementType, s.dims(op.getIndices()));
  if (s.ranked(op.getData()))
    return s.result(0, elementType, Dims(s.rank(op.getData()), s.unknown()));
  return s.unranked(0, elementType);
}

LogicalResult GatherNDOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getData());
  if (!s.ranked(op.getData()) || !s.ranked(op.getIndices()))
    return s.unranked(0, elementType);
  int64_t rank = s.rank(op.getData()), batch = op.getBatchDims();
  Dims data = s.dims(op.getData()), indices = s.dims(op.getIndices());
  if (!s.require(rank >= 1 && !indices.empty(),
                 "gathernd_c1: data and indices must have at least rank 1") ||
      !s.require(batch >= 0 && batch < std::min<int64_t>(rank, indices.size()),
                 "gathernd_batch_dims: must be less than both ranks"))
    return failure();
  for (int64_t i = 0; i < batch; ++i)
    s.same(data[i], indices[i], "gathernd_batch_dims");
  Dim tuple = indices.back();
  if (!tuple.isKnown())
    return s.unranked(0, elementType);
  int64_t length = *tuple.getKnown();
  if (!s.require(length >= 1 && length <= rank - batch,
                 "gathernd_indices: tuples of " + llvm::Twine(length) +
                     " indices for " + llvm::Twine(rank - batch) +
                     " dimensions"))
    return failure();
  Dims output(llvm::ArrayRef<Dim>(indices).drop_back());
  output.append(data.begin() + batch + length, data.end());
  return s.result(0, elementType, output);
}

/// ScatterElements, and Scatter, its former name.
static LogicalResult scatterElements(ShapeBuilder &s, Value data, Value indices,
                                     Value updates, int64_t axis,
                                     llvm::StringRef op) {
  if (s.ranked(data)) {
    axis = s.axis(axis, s.rank(data), op + "_axis");
    if (s.ranked(indices) &&
        s.require(s.rank(indices) == s.rank(data),
                  op + "_indices: must have the rank of data") &&
        !s.hasFailed())
      requireWithin(s, indices, data, axis, op + "_indices");
  }
  if (s.ranked(indices) && s.ranked(updates) &&
      s.require(s.rank(indices) == s.rank(updates),
                op + "_updates: must have the shape of indices")) {
    Dims ofIndices = s.dims(indices);
    for (auto [a, b] : llvm::zip_equal(ofIndices, s.dims(updates)))
      s.same(a, b, op + "_updates");
  }
  return s.sameAsOperand(0);
}

LogicalResult ScatterElementsOp::shape(ShapeBuilder &s, Adaptor op) {
  return scatterElements(s, op.getData(), op.getIndices(), op.getUpdates(),
                         op.getAxis(), "scatterelements");
}

LogicalResult ScatterOp::shape(ShapeBuilder &s, Adaptor op) {
  return scatterElements(s, op.getData(), op.getIndices(), op.getUpdates(),
                         op.getAxis(), "scatter");
}

LogicalResult ScatterNDOp::shape(ShapeBuilder &s, Adaptor op) {
  Value data = op.getData(), indices = op.getIndices();
  if (s.ranked(data) && s.ranked(indices)) {
    if (!s.require(s.rank(data) >= 1 && s.rank(indices) >= 1,
                   "scatternd_c1: data and indices must have at least rank 1"))
      return failure();
    Dims tuples = s.dims(indices);
    std::optional<int64_t> length = tuples.back().getKnown();
    if (length &&
        s.require(*length <= s.rank(data),
                  "scatternd_indices: tuples of " + llvm::Twine(*length) +
                      " indices for rank " + llvm::Twine(s.rank(data))) &&
        s.ranked(op.getUpdates())) {
      Dims expected(llvm::ArrayRef<Dim>(tuples).drop_back());
      Dims dims = s.dims(data);
      expected.append(dims.begin() + *length, dims.end());
      Dims updates = s.dims(op.getUpdates());
      if (s.require(updates.size() == expected.size(),
                    "scatternd_updates: must have rank " +
                        llvm::Twine(expected.size())))
        for (auto [a, b] : llvm::zip_equal(updates, expected))
          s.same(a, b, "scatternd_updates");
    }
  }
  return s.sameAsOperand(0);
}

LogicalResult NonZeroOp::shape(ShapeBuilder &s, Adaptor op) {
  Dim rank = s.ranked(op.getX()) ? s.constant(s.rank(op.getX())) : s.unknown();
  return s.result(0, IntegerType::get(s.getContext(), 64), {rank, s.unknown()});
}

LogicalResult CompressOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getInput());
  if (s.ranked(op.getCondition()))
    s.require(s.rank(op.getCondition()) == 1,
              "compress_condition: must have rank 1");
  if (s.hasFailed())
    return failure();
  if (!op.getAxis())
    return s.result(0, elementType, s.unknown());
  if (!s.ranked(op.getInput()))
    return s.unranked(0, elementType);
  int64_t axis = s.axis(*op.getAxis(), s.rank(op.getInput()), "compress_axis");
  if (s.hasFailed())
    return failure();
  Dims output = s.dims(op.getInput());
  output[axis] = s.unknown();
  return s.result(0, elementType, output);
}

LogicalResult OneHotOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getValues());
  if (!s.ranked(op.getIndices()))
    return s.unranked(0, elementType);
  Dims output = s.dims(op.getIndices());
  int64_t axis = s.axis(op.getAxis(), output.size() + 1, "onehot_axis");
  if (s.hasFailed())
    return failure();
  if (!requireScalar(s, op.getDepth(), "onehot_depth: must be one number"))
    return failure();
  if (s.ranked(op.getValues()))
    s.same(dimsOfRank(s, op.getValues(), 1, "onehot_values")[0], s.constant(2),
           "onehot_values: must be [off, on]");
  Dim depth = isa_and_present<IntegerType>(s.elementType(op.getDepth()))
                  ? s.value(op.getDepth(), 0)
                  : s.unknown();
  output.insert(output.begin() + axis, depth);
  return s.result(0, elementType, output);
}

LogicalResult TopKOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getX());
  Type indexType = IntegerType::get(s.getContext(), 64);
  if (!s.ranked(op.getX())) {
    if (failed(s.unranked(1, indexType)))
      return failure();
    return s.unranked(0, elementType);
  }
  int64_t axis = s.axis(op.getAxis(), s.rank(op.getX()), "topk_axis");
  if (s.hasFailed())
    return failure();
  Dims output = s.dims(op.getX());
  if (!requireScalar(s, op.getK(), "topk_k: must be one number"))
    return failure();
  Dim k = s.value(op.getK(), 0);
  s.requireLessEqual(s.constant(0), k, "topk_k: must not be negative");
  s.requireLessEqual(k, output[axis],
                     "topk_k: must not be more than there are elements");
  output[axis] = k;
  if (failed(s.result(1, indexType, output)))
    return failure();
  return s.result(0, elementType, output);
}

LogicalResult UniqueOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getX());
  Type indexType = IntegerType::get(s.getContext(), 64);
  for (unsigned i : {1u, 2u, 3u})
    if (failed(s.result(i, indexType, s.unknown())))
      return failure();
  if (!op.getAxis())
    return s.result(0, elementType, s.unknown());
  if (!s.ranked(op.getX()))
    return s.unranked(0, elementType);
  int64_t axis = s.axis(*op.getAxis(), s.rank(op.getX()), "unique_axis");
  if (s.hasFailed())
    return failure();
  Dims output = s.dims(op.getX());
  if (failed(s.result(2, indexType, output[axis])))
    return failure();
  output[axis] = s.unknown();
  return s.result(0, elementType, output);
}

LogicalResult NonMaxSuppressionOp::shape(ShapeBuilder &s, Adaptor op) {
  for (Value operand : {op.getBoxes(), op.getScores()})
    if (s.ranked(operand))
      s.require(s.rank(operand) == 3,
                "nonmaxsuppression_c1: boxes and scores must have rank 3");
  if (s.hasFailed())
    return failure();
  Dims boxes = dimsOfRank(s, op.getBoxes(), 3, "nonmaxsuppression_boxes");
  Dims scores = dimsOfRank(s, op.getScores(), 3, "nonmaxsuppression_c1");
  s.same(boxes[2], s.constant(4), "nonmaxsuppression_boxes: numbers of a box");
  s.same(boxes[0], scores[0], "nonmaxsuppression_c2: batches");
  s.same(boxes[1], scores[2], "nonmaxsuppression_c2: boxes and their scores");
  return s.result(0, IntegerType::get(s.getContext(), 64),
                  {s.unknown(), s.constant(3)});
}

//===----------------------------------------------------------------------===//
// Elements of shapes
//===----------------------------------------------------------------------===//

std::optional<Dim> GatherOp::followElement(ShapeElements &elements,
                                           int64_t index) {
  std::optional<int64_t> length = elements.getBuilder().length(getData());
  std::optional<int64_t> which = getConstantInteger(getIndices(), index);
  if (!length || !which)
    return std::nullopt;
  int64_t at = *which < 0 ? *which + *length : *which;
  if (at < 0 || at >= *length)
    return std::nullopt;
  return elements.follow(getData(), at);
}
