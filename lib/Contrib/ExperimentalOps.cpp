//===- ExperimentalOps.cpp - Operators that left ONNX ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX before 1.5 had operators in the default domain that were experimental:
// exporters wrote them under any opset. What they mean is in its documents of
// that time and in the tests that came with it.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "onnxc/Contrib/Expansion.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace onnxc;

namespace {

using Results = SmallVectorImpl<Value>;

/// The input; without it the node is wrong.
Value require(Composer &c, unsigned index) {
  if (!c.input(index))
    c.failInput(index, "is missing");
  return c.input(index);
}

/// alpha * x + beta
void scaleAndShift(Composer &c, Results &results) {
  Value scaled = c.mul(require(c, 0), c.getFloat("alpha", 1));
  results.push_back(c.add(scaled, c.getFloat("beta", 0)));
}

void scale(Composer &c, Results &results) {
  results.push_back(c.mul(require(c, 0), c.getFloat("scale", 1)));
}

/// alpha * function(beta * x)
template <typename Op> void scaledFunction(Composer &c, Results &results) {
  Value inner = c.mul(require(c, 0), c.getFloat("beta", 1));
  results.push_back(c.mul(c.make<Op>(inner), c.getFloat("alpha", 1)));
}

/// The same as the operator that opset 10 has.
void thresholdedRelu(Composer &c, Results &results) {
  results.push_back(c.make<ThresholdedReluOp>(c.input(0), c.pick({"alpha"})));
}

/// scale * x, plus a bias for each channel.
void imageScaler(Composer &c, Results &results) {
  Value y = c.mul(require(c, 0), c.getFloat("scale", 1));
  std::optional<ArrayRef<float>> bias = c.getFloats("bias");
  if (bias) {
    int64_t channels = bias->size();
    Value perChannel = c.constant(DenseElementsAttr::get(
        RankedTensorType::get({channels, 1, 1}, c.builder.getF32Type()),
        *bias));
    y = c.add(y, c.make<CastLikeOp>({perChannel, y}));
  }
  results.push_back(y);
}

/// Cuts height and width: to a size given, or by a border on each side.
void crop(Composer &c, Results &results) {
  std::optional<ArrayRef<int64_t>> border = c.getInts("border");
  std::optional<ArrayRef<int64_t>> size = c.getInts("scale");
  if (!border || border->size() != 4)
    return c.failAttribute("border",
                           "must have the elements left, top, right, bottom");
  if (size && size->size() != 2)
    return c.failAttribute("scale", "must have the elements height, width");
  int64_t left = (*border)[0], top = (*border)[1], right = (*border)[2],
          bottom = (*border)[3];
  // An end of 0 from the back is not an end.
  auto fromBack = [](int64_t count) {
    return count == 0 ? std::numeric_limits<int64_t>::max() : -count;
  };
  SmallVector<int64_t> ends{fromBack(bottom), fromBack(right)};
  if (size)
    ends = {top + (*size)[0], left + (*size)[1]};
  results.push_back(c.make<SliceOp>(
      {c.input(0), c.ints({top, left}), c.ints(ends), c.ints({2, 3})}));
}

void dynamicSlice(Composer &c, Results &results) {
  results.push_back(c.make<SliceOp>(c.getNode().inputs));
}

/// The shape that a Fill operator gives its result: an attribute, the value of
/// its input, or the shape of its input, the latter two with more behind.
Value filledShape(Composer &c) {
  if (std::optional<ArrayRef<int64_t>> shape = c.getInts("shape"))
    return c.ints(*shape);
  Value input = require(c, 0);
  Value shape =
      c.getInt("input_as_shape", 0) ? c.castToInt64(input) : c.shapeOf(input);
  std::optional<ArrayRef<int64_t>> extra = c.getInts("extra_shape");
  if (!extra || extra->empty())
    return shape;
  return c.concat({shape, c.ints(*extra)}, 0);
}

void constantFill(Composer &c, Results &results) {
  Value number = c.number(c.getFloat("value", 0), c.builder.getF32Type());
  // 1 is float.
  Value typed = c.make<CastOp>(number, c.attribute("to", c.getInt("dtype", 1)));
  results.push_back(c.make<ExpandOp>({typed, filledShape(c)}));
}

void givenTensorFill(Composer &c, Results &results) {
  Value numbers = c.floats(c.getFloats("values").value_or(ArrayRef<float>()));
  results.push_back(c.make<ReshapeOp>({numbers, filledShape(c)}));
}

/// Statistics of each channel, or of all of them, over the batch too.
void meanVarianceNormalization(Composer &c, Results &results) {
  Value x = require(c, 0);
  SmallVector<int64_t> axes;
  for (int64_t axis = 0, rank = getRank(x).value_or(4); axis < rank; ++axis)
    if (axis != 1 || c.getInt("across_channels", 0))
      axes.push_back(axis);
  if (c.getInt("normalize_variance", 1)) {
    results.push_back(
        c.make<MeanVarianceNormalizationOp>(x, c.attribute("axes", axes)));
    return;
  }
  results.push_back(c.sub(x, c.make<ReduceMeanOp>({x, c.ints(axes)})));
}

/// x W^T + b, of matrices that the axes make.
void fullyConnected(Composer &c, Results &results) {
  Value x = require(c, 0), w = require(c, 1);
  results.push_back(
      c.make<GemmOp>({c.flatten(x, c.getInt("axis", 1)),
                      c.flatten(w, c.getInt("axis_w", 1)), c.input(2)},
                     c.attribute("transB", 1)));
}

void loopIndexTensor(Composer &c, Results &results) {
  results.push_back(
      c.make<GatherOp>({c.input(0), c.input(1)}, c.pick({"axis"})));
}

} // namespace

Expansion onnxc::lookupExperimentalOp(StringRef domain, StringRef name) {
  using Compute = void (*)(Composer &, Results &);
  if (!domain.empty())
    return nullptr;
  auto compute = llvm::StringSwitch<Compute>(name)
#define ONNXC_EXPERIMENTAL(name, function) .Case(name, function)
#include "ExperimentalOps.def"
                     .Default(nullptr);
  if (!compute)
    return nullptr;
  return [compute](NodeUpgrade &node, Results &results) {
    Composer c(node);
    compute(c, results);
    return success(!c.hasFailed());
  };
}
