//===- Conv.cpp - The ops of Conv.td --------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Conv.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Conv.cpp.inc"

void ONNXDialect::registerConvOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Conv.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

LogicalResult ConvOp::shape(ShapeBuilder &s, Adaptor op) {
  return convolutionShape(s, op.getX(), op.getW(), op.getB(),
                          {op.getKernelShape(), op.getStrides(),
                           op.getDilations(), op.getPads(), op.getAutoPad()},
                          op.getGroup(), s.elementType(op.getX()), "conv");
}

LogicalResult DeformConvOp::shape(ShapeBuilder &s, Adaptor op) {
  // An offset in each direction for each element of the kernel.
  int64_t groups = op.getOffsetGroup();
  if (s.ranked(op.getW()) && s.ranked(op.getOffset()) &&
      s.rank(op.getW()) > 2 && s.rank(op.getOffset()) > 2) {
    Dims kernel = s.dims(op.getW());
    Dim taps = s.product(llvm::ArrayRef(kernel).drop_front(2));
    int64_t spatial = static_cast<int64_t>(kernel.size()) - 2;
    s.same(s.dim(op.getOffset(), 1), taps * (groups * spatial),
           "deformconv_offset: channels");
    if (op.getMask() && s.ranked(op.getMask()) && s.rank(op.getMask()) > 2)
      s.same(s.dim(op.getMask(), 1), taps * groups,
             "deformconv_mask: channels");
  }
  return convolutionShape(
      s, op.getX(), op.getW(), op.getB(),
      {op.getKernelShape(), op.getStrides(), op.getDilations(), op.getPads()},
      op.getGroup(), s.elementType(op.getX()), "deformconv");
}

LogicalResult ConvTransposeOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getX());
  Value x = op.getX(), w = op.getW();
  if (!s.ranked(x) && !s.ranked(w))
    return s.unranked(0, elementType);
  int64_t rank = s.rank(s.ranked(x) ? x : w);
  if (!s.require(rank >= 3, "convtranspose_x: must have a batch, a channel and "
                            "at least one spatial dimension, has rank " +
                                llvm::Twine(rank)))
    return failure();
  Dims input = dimsOfRank(s, x, rank, "convtranspose_x");
  Dims weights = dimsOfRank(s, w, rank, "convtranspose_w");
  int64_t group = op.getGroup(), n = rank - 2;
  s.require(group >= 1, "convtranspose_group: must be positive");
  Dim from = s.same(
      input[1], weights[0],
      "convtranspose_channels: channels of the input and of the weights");
  if (group >= 1)
    requireMultiple(s, from, group,
                    "convtranspose_group: the number of channels must be a "
                    "multiple of group");
  Dim channels = weights[1] * group;
  if (op.getB() && s.ranked(op.getB()))
    s.same(dimsOfRank(s, op.getB(), 1, "convtranspose_b")[0], channels,
           "convtranspose_b: bias and feature maps");

  Window window(s,
                {op.getKernelShape(), op.getStrides(), op.getDilations(),
                 op.getPads(), op.getAutoPad()},
                n, llvm::ArrayRef(weights).drop_front(2), "convtranspose");
  auto padding = op.getOutputPadding();
  auto given = op.getOutputShape();
  s.require(!padding || static_cast<int64_t>(padding->size()) == n,
            "convtranspose_output_padding: must have one element per spatial "
            "dimension");
  s.require(!given || static_cast<int64_t>(given->size()) == n,
            "convtranspose_output_shape: must have one element per spatial "
            "dimension");
  if (s.hasFailed())
    return failure();

  Dims output = {input[0], channels};
  for (int64_t i = 0; i < n; ++i) {
    Dim stride = s.constant(window.strides[i]);
    if (given)
      output.push_back(s.constant((*given)[i]));
    else if (window.autoPad == AutoPad::SameUpper ||
             window.autoPad == AutoPad::SameLower)
      // Nothing is added to what is too short.
      output.push_back(
          input[i + 2] * stride +
          s.min(window.extent(i) + (padding ? (*padding)[i] : 0) - stride,
                s.constant(0)));
    else
      output.push_back((input[i + 2] - 1) * stride + window.extent(i) +
                       (padding ? (*padding)[i] : 0) -
                       s.constant(window.pads[i]) -
                       s.constant(window.pads[n + i]));
  }
  return s.result(0, elementType, output);
}

LogicalResult Col2ImOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getInput());
  std::optional<Dims> image = s.values(op.getImageShape());
  if (!image)
    return s.unranked(0, elementType);
  if (!s.require(!image->empty(),
                 "col2im_image_shape: must have at least one element"))
    return failure();
  std::optional<Dims> block = s.values(op.getBlockShape());
  Dim batch = s.unknown(), channels = s.unknown();
  if (s.ranked(op.getInput())) {
    Dims input = dimsOfRank(s, op.getInput(), 3, "col2im_input");
    batch = input[0];
    if (block) {
      s.require(block->size() == image->size(),
                "col2im_block_shape: must be as long as image_shape");
      Dim taps = s.product(*block);
      if (!s.requireLess(s.constant(0), taps,
                         "col2im_block_shape: must be positive"))
        return failure();
      channels = s.floordiv(input[1], taps);
      s.same(channels * taps, input[1],
             "col2im_block_shape: elements of the blocks and dimension 1 of "
             "the input");
      // As many columns as there are places for a block.
      auto at = [](std::optional<llvm::ArrayRef<int64_t>> list, size_t i,
                   int64_t byDefault) {
        return list && i < list->size() ? (*list)[i] : byDefault;
      };
      Dim places = s.constant(1);
      for (size_t i = 0, n = block->size(); i < n && !s.hasFailed(); ++i) {
        Dim extent = ((*block)[i] - 1) * at(op.getDilations(), i, 1) + 1;
        Dim room = (*image)[i] + at(op.getPads(), i, 0) +
                   at(op.getPads(), i + n, 0) - extent;
        int64_t stride = at(op.getStrides(), i, 1);
        if (!s.require(stride >= 1, "col2im_strides: must be positive"))
          break;
        places = places * (s.floordiv(room, s.constant(stride)) + 1);
      }
      s.same(input[2], places,
             "col2im_image_shape: places of a block and "
             "dimension 2 of the input");
    }
  }
  Dims output = {batch, channels};
  output.append(*image);
  return s.result(0, elementType, output);
}

LogicalResult CausalConvWithStateOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getInput());
  Dims input = dimsOfRank(s, op.getInput(), 3, "causalconvwithstate_input");
  Dims weight = dimsOfRank(s, op.getWeight(), 3, "causalconvwithstate_weight");
  Dim channels = s.same(input[1], weight[0], "causalconvwithstate_channels");
  if (failed(s.result(1, elementType, {input[0], channels, weight[2] - 1})))
    return failure();
  return s.result(0, elementType, {input[0], channels, input[2]});
}
