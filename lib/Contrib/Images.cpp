//===- Images.cpp - Operators on images, of ONNX Runtime ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContribOps.h"

#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Image.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Pooling.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Value contrib::channelsToFront(Composer &c, Value x) {
  int64_t rank = c.getRank(x, "to move its channels");
  if (rank < 3)
    return x;
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
  return c.transpose(x, perm);
}

Value contrib::channelsToBack(Composer &c, Value x) {
  int64_t rank = c.getRank(x, "to move its channels");
  if (rank < 3)
    return x;
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::rotate(perm.begin() + 1, perm.begin() + 2, perm.end());
  return c.transpose(x, perm);
}

Value contrib::withChannelsFirst(Composer &c, Value x, bool channelsLast,
                                 function_ref<Value(Value)> compute) {
  if (!channelsLast)
    return compute(x);
  return channelsToBack(c, compute(channelsToFront(c, x)));
}

//===----------------------------------------------------------------------===//
// Convolutions and pools
//===----------------------------------------------------------------------===//

/// Conv, plus Z, and an activation.
static void convolve(Composer &c, contrib::Results &results, bool channelsLast,
                     bool weightsLast = false) {
  results.push_back(
      contrib::withChannelsFirst(c, c.input(0), channelsLast, [&](Value x) {
        Value w = c.input(1);
        if (weightsLast)
          w = contrib::channelsToFront(c, w);
        Value y = c.make<ConvOp>({x, w, c.input(2)},
                                 c.pick({"auto_pad", "dilations", "group",
                                         "kernel_shape", "pads", "strides"}));
        if (Value z = c.input(3))
          y = c.add(y, channelsLast ? contrib::channelsToFront(c, z) : z);
        return contrib::activate(
            c, y, c.getString("activation", ""),
            c.getFloats("activation_params").value_or(ArrayRef<float>()));
      }));
}

void contrib::fusedConv(Composer &c, Results &results) {
  convolve(c, results, /*channelsLast=*/false);
}

/// Of M x kH x kW x C, as fusion_nhwc_conv.py writes the weights and ONNX
/// Runtime's kernels read them; its documentation has another order.
void contrib::convChannelsLast(Composer &c, Results &results) {
  convolve(c, results, /*channelsLast=*/true, /*weightsLast=*/true);
}

/// Its weights are those of Conv: ONNX Runtime's NhwcTransformer moves the
/// channels of X, Y and Z alone.
void contrib::fusedConvChannelsLast(Composer &c, Results &results) {
  convolve(c, results, /*channelsLast=*/true);
}

void contrib::maxPoolChannelsLast(Composer &c, Results &results) {
  results.push_back(
      withChannelsFirst(c, c.input(0), /*channelsLast=*/true, [&](Value x) {
        return c.make<MaxPoolOp>(x,
                                 c.pick({"auto_pad", "ceil_mode", "dilations",
                                         "kernel_shape", "pads", "strides"}));
      }));
}

/// The pads are an input, which must be known.
void contrib::convTransposeWithDynamicPads(Composer &c, Results &results) {
  SmallVector<NamedAttribute> attributes =
      c.pick({"auto_pad", "dilations", "group", "kernel_shape",
              "output_padding", "strides"});
  if (Value pads = c.input(2)) {
    std::optional<SmallVector<int64_t>> known = getIntegers(pads);
    if (!known)
      return c.failInput(2, "must be a constant");
    attributes.push_back(c.attribute("pads", ArrayRef<int64_t>(*known)));
  }
  results.push_back(c.make<ConvTransposeOp>(
      {c.input(0), c.input(1), c.input(3)}, attributes));
}

//===----------------------------------------------------------------------===//
// Sampling
//===----------------------------------------------------------------------===//

void contrib::gridSample(Composer &c, Results &results) {
  StringRef mode = c.getString("mode", "bilinear");
  mode.consume_front("bi");
  SmallVector<NamedAttribute> attributes =
      c.pick({"align_corners", "padding_mode"});
  attributes.push_back(c.attribute("mode", mode));
  results.push_back(c.make<GridSampleOp>({c.input(0), c.input(1)}, attributes));
}

/// `count` points in even steps from `start` to `end`, both [rois, 1], or the
/// middle if it is one point; in units of the image's size: [rois, count].
static Value placePoints(Composer &c, Value start, Value end, Value count) {
  Value steps = c.castLike(c.range(count), start);
  Value last = c.castLike(c.sub(count, 1.0), start);
  Value isOne = c.make<EqualOp>({last, c.number(0, last)});
  Value part = c.make<WhereOp>(
      {isOne, c.number(0.5, last),
       c.make<DivOp>({steps, c.make<MaxOp>({last, c.number(1, last)})})});
  return c.add(start, c.mul(c.sub(end, start), part));
}

/// Each region [y1, x1, y2, x2] of the image that `batch_indices` says, in a
/// unit square, sampled at `crop_size` points.
void contrib::cropAndResize(Composer &c, Results &results) {
  StringRef mode = c.getString("mode", "bilinear");
  if (mode != "bilinear" && mode != "nearest")
    c.failAttribute("mode",
                    "is '" + mode + "'; expected 'bilinear' or 'nearest'");
  Value rois = c.input(1), sizes = c.castToInt64(c.input(3));
  auto points = [&](int64_t axis) {
    Value start = c.slice(rois, 1, axis, axis + 1);
    Value end = c.slice(rois, 1, axis + 2, axis + 3);
    return placePoints(c, start, end, c.take(sizes, 0, axis));
  };
  Value ys = c.unsqueeze(points(0), {2, 3}),
        xs = c.unsqueeze(points(1), {1, 3});
  Value zero = c.number(0, rois), one = c.number(1, rois);
  // Both coordinates at each point: [rois, height, width, 1].
  Value nothing = c.mul(c.add(ys, xs), 0.0);
  Value y = c.add(ys, nothing), x = c.add(xs, nothing);
  Value images = c.gather(c.input(0), c.input(2), 0);
  auto toGrid = [&](Value at, int64_t axis) {
    if (mode == "nearest") {
      // Halves are rounded up, which sampling would not do.
      Value last = c.castLike(c.sub(c.sizeOf(images, axis), 1.0), at);
      Value pixel = c.make<FloorOp>(c.add(c.mul(at, last), 0.5));
      at = c.make<DivOp>({pixel, c.make<MaxOp>({last, c.number(1, last)})});
    }
    return c.sub(c.mul(at, 2.0), 1.0);
  };
  Value sampled = c.make<GridSampleOp>(
      {images, c.concat({toGrid(x, 3), toGrid(y, 2)}, 3)},
      {c.attribute("align_corners", 1),
       c.attribute("mode", mode == "bilinear" ? "linear" : "nearest"),
       c.attribute("padding_mode", "border")});
  auto isInside = [&](Value at) {
    return c.make<AndOp>({c.make<GreaterOrEqualOp>({at, zero}),
                          c.make<LessOrEqualOp>({at, one})});
  };
  Value inside =
      c.transpose(c.make<AndOp>({isInside(y), isInside(x)}), {0, 3, 1, 2});
  results.push_back(c.make<WhereOp>(
      {inside, sampled,
       c.number(c.getFloat("extrapolation_value", 0), images)}));
}
