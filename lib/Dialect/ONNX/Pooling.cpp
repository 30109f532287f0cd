//===- Pooling.cpp - The ops of Pooling.td --------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Pooling.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Pooling.cpp.inc"

void ONNXDialect::registerPoolingOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Pooling.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

/// MaxPool, AveragePool, LpPool: the dims of the output.
static FailureOr<Dims> pool(ShapeBuilder &s, Value x, const WindowAttrs &attrs,
                            llvm::StringRef op) {
  // kernel_shape tells the rank where the input does not.
  int64_t n = attrs.kernelShape->size();
  Dims input(n + 2, s.unknown());
  if (s.ranked(x)) {
    if (!s.require(s.rank(x) == n + 2 && n >= 1,
                   op +
                       "_kernel_shape: must have one element per spatial "
                       "dimension of the input, whose rank is " +
                       llvm::Twine(s.rank(x)) + "; has " + llvm::Twine(n)))
      return failure();
    input = s.dims(x);
  }
  Window window(s, attrs, n, {}, op);
  // A window in padding alone would pool nothing.
  for (auto [i, amount] : llvm::enumerate(window.pads))
    s.requireLess(s.constant(amount), window.extent(i % n),
                  op +
                      "_pads: must be smaller than the kernel (spatial "
                      "dimension " +
                      llvm::Twine(i % n) + ")");
  Dims output = {input[0], input[1]};
  for (int64_t i = 0; i < n; ++i)
    output.push_back(window.output(i, input[i + 2]));
  return output;
}

LogicalResult MaxPoolOp::shape(ShapeBuilder &s, Adaptor op) {
  FailureOr<Dims> output =
      pool(s, op.getX(),
           {op.getKernelShape(), op.getStrides(), op.getDilations(),
            op.getPads(), op.getAutoPad(), op.getCeilMode() != 0},
           "maxpool");
  if (failed(output) ||
      failed(s.result(1, IntegerType::get(s.getContext(), 64), *output)))
    return failure();
  return s.result(0, s.elementType(op.getX()), *output);
}

LogicalResult AveragePoolOp::shape(ShapeBuilder &s, Adaptor op) {
  FailureOr<Dims> output =
      pool(s, op.getX(),
           {op.getKernelShape(), op.getStrides(), op.getDilations(),
            op.getPads(), op.getAutoPad(), op.getCeilMode() != 0},
           "averagepool");
  if (failed(output))
    return failure();
  return s.result(0, s.elementType(op.getX()), *output);
}

LogicalResult LpPoolOp::shape(ShapeBuilder &s, Adaptor op) {
  FailureOr<Dims> output =
      pool(s, op.getX(),
           {op.getKernelShape(), op.getStrides(), op.getDilations(),
            op.getPads(), op.getAutoPad(), op.getCeilMode() != 0},
           "lppool");
  if (failed(output))
    return failure();
  return s.result(0, s.elementType(op.getX()), *output);
}

static LogicalResult globalPool(ShapeBuilder &s, Value x, llvm::StringRef op) {
  Type elementType = s.elementType(x);
  if (!s.ranked(x))
    return s.unranked(0, elementType);
  if (!s.require(s.rank(x) >= 2, op +
                                     "_x: must have a batch and a channel "
                                     "dimension, has rank " +
                                     llvm::Twine(s.rank(x))))
    return failure();
  Dims output(s.rank(x), s.constant(1));
  output[0] = s.dim(x, 0);
  output[1] = s.dim(x, 1);
  return s.result(0, elementType, output);
}

LogicalResult GlobalAveragePoolOp::shape(ShapeBuilder &s, Adaptor op) {
  return globalPool(s, op.getX(), "globalaveragepool");
}
LogicalResult GlobalMaxPoolOp::shape(ShapeBuilder &s, Adaptor op) {
  return globalPool(s, op.getX(), "globalmaxpool");
}
LogicalResult GlobalLpPoolOp::shape(ShapeBuilder &s, Adaptor op) {
  return globalPool(s, op.getX(), "globallppool");
}

LogicalResult MaxUnpoolOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getX());
  int64_t n = op.getKernelShape().size();
  if (s.ranked(op.getX()) && s.ranked(op.getI())) {
    Dims indices = dimsOfRank(s, op.getI(), s.rank(op.getX()), "maxunpool_i");
    for (auto [a, b] : llvm::zip_equal(s.dims(op.getX()), indices))
      s.same(a, b, "maxunpool_i: indices and values");
    if (s.hasFailed())
      return failure();
  }
  if (op.getOutputShape()) {
    // The whole shape, batch and channels included.
    std::optional<Dims> given = s.values(op.getOutputShape());
    s.require(!given || static_cast<int64_t>(given->size()) == n + 2,
              "maxunpool_output_shape: must have as many elements as the input "
              "has dimensions");
    return s.result(0, elementType, given ? *given : Dims(n + 2, s.unknown()));
  }
  Dims input(n + 2, s.unknown());
  if (s.ranked(op.getX())) {
    if (!s.require(s.rank(op.getX()) == n + 2,
                   "maxunpool_kernel_shape: must have one element per spatial "
                   "dimension of the input"))
      return failure();
    input = s.dims(op.getX());
  }
  Window window(
      s, {op.getKernelShape(), op.getStrides(), std::nullopt, op.getPads()}, n,
      {}, "maxunpool");
  Dims output = {input[0], input[1]};
  for (int64_t i = 0; i < n; ++i)
    output.push_back((input[i + 2] - 1) * window.strides[i] + window.kernel[i] -
                     s.constant(window.pads[i]) -
                     s.constant(window.pads[n + i]));
  return s.result(0, elementType, output);
}

LogicalResult MaxRoiPoolOp::shape(ShapeBuilder &s, Adaptor op) {
  llvm::ArrayRef<int64_t> pooled = op.getPooledShape();
  s.require(pooled.size() == 2, "maxroipool_pooled_shape: must be [height, "
                                "width]");
  if (s.hasFailed())
    return failure();
  Dims output = {s.unknown(), s.unknown(), s.constant(pooled[0]),
                 s.constant(pooled[1])};
  if (s.ranked(op.getRois())) {
    if (!s.require(s.rank(op.getRois()) == 2,
                   "maxroipool_rois: must have rank 2"))
      return failure();
    s.same(s.dim(op.getRois(), 1), s.constant(5),
           "maxroipool_rois: numbers of a region (batch, x1, y1, x2, y2)");
    output[0] = s.dim(op.getRois(), 0);
  }
  if (s.ranked(op.getX())) {
    if (!s.require(s.rank(op.getX()) == 4, "maxroipool_x: must have rank 4"))
      return failure();
    output[1] = s.dim(op.getX(), 1);
  }
  return s.result(0, s.elementType(op.getX()), output);
}

LogicalResult RoiAlignOp::shape(ShapeBuilder &s, Adaptor op) {
  Dims x = dimsOfRank(s, op.getX(), 4, "roialign_x");
  Dims rois = dimsOfRank(s, op.getRois(), 2, "roialign_rois");
  Dims batches =
      dimsOfRank(s, op.getBatchIndices(), 1, "roialign_batch_indices");
  s.same(rois[1], s.constant(4),
         "roialign_rois: numbers of a region (x1, y1, x2, y2)");
  s.same(rois[0], batches[0], "roialign_batch_indices: one for each region");
  return s.result(0, s.elementType(op.getX()),
                  {rois[0], x[1], s.constant(op.getOutputHeight()),
                   s.constant(op.getOutputWidth())});
}
