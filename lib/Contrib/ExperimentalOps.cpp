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

/// x op value, with a number of the type of x; null passes through.
template <typename Op>
Value withNumber(NodeUpgrade &node, Value x, float value) {
  return x ? node.create<Op>({x, node.createScalarLike(x, value)}) : Value();
}

/// alpha * x + beta
LogicalResult affine(NodeUpgrade &node, Results &results) {
  FailureOr<Value> x = require(node, 0);
  if (failed(x))
    return failure();
  Value scaled = withNumber<MulOp>(node, *x, node.getFloat("alpha", 1));
  return finish(withNumber<AddOp>(node, scaled, node.getFloat("beta", 0)),
                results);
}

LogicalResult scale(NodeUpgrade &node, Results &results) {
  FailureOr<Value> x = require(node, 0);
  if (failed(x))
    return failure();
  return finish(withNumber<MulOp>(node, *x, node.getFloat("scale", 1)),
                results);
}

/// alpha * function(beta * x)
template <typename Op>
LogicalResult scaledFunction(NodeUpgrade &node, Results &results) {
  FailureOr<Value> x = require(node, 0);
  if (failed(x))
    return failure();
  Value inner = withNumber<MulOp>(node, *x, node.getFloat("beta", 1));
  return finish(withNumber<MulOp>(node, create<Op>(node, inner),
                                  node.getFloat("alpha", 1)),
                results);
}

LogicalResult scaledTanh(NodeUpgrade &node, Results &results) {
  return scaledFunction<TanhOp>(node, results);
}

LogicalResult parametricSoftplus(NodeUpgrade &node, Results &results) {
  return scaledFunction<SoftplusOp>(node, results);
}

/// The same as the operator that opset 10 has.
LogicalResult thresholdedRelu(NodeUpgrade &node, Results &results) {
  return finish(
      node.create<ThresholdedReluOp>(node.getInput(0), pick(node, {"alpha"})),
      results);
}

/// scale * x, plus a bias for each channel.
LogicalResult imageScaler(NodeUpgrade &node, Results &results) {
  FailureOr<Value> x = require(node, 0);
  if (failed(x))
    return failure();
  Value y = withNumber<MulOp>(node, *x, node.getFloat("scale", 1));
  auto bias = dyn_cast_or_null<DenseF32ArrayAttr>(node.attributes.get("bias"));
  if (!bias || !y)
    return finish(y, results);
  Value perChannel = node.createConstant(DenseElementsAttr::get(
      RankedTensorType::get({bias.size(), 1, 1}, node.builder.getF32Type()),
      bias.asArrayRef()));
  return finish(
      node.create<AddOp>({y, node.create<CastLikeOp>({perChannel, y})}),
      results);
}

/// Cuts height and width: to a size given, or by a border on each side.
LogicalResult crop(NodeUpgrade &node, Results &results) {
  std::optional<ArrayRef<int64_t>> border = node.getInts("border");
  std::optional<ArrayRef<int64_t>> size = node.getInts("scale");
  if (!border || border->size() != 4)
    return node.emitError()
           << "attribute 'border' must have the elements left, top, right, "
              "bottom";
  if (size && size->size() != 2)
    return node.emitError()
           << "attribute 'scale' must have the elements height, width";
  int64_t left = (*border)[0], top = (*border)[1], right = (*border)[2],
          bottom = (*border)[3];
  // An end of 0 from the back is not an end.
  auto fromBack = [](int64_t count) {
    return count == 0 ? std::numeric_limits<int64_t>::max() : -count;
  };
  SmallVector<int64_t> ends{fromBack(bottom), fromBack(right)};
  if (size)
    ends = {top + (*size)[0], left + (*size)[1]};
  return finish(
      node.create<SliceOp>({node.getInput(0), node.createInts({top, left}),
                            node.createInts(ends), node.createInts({2, 3})}),
      results);
}

LogicalResult dynamicSlice(NodeUpgrade &node, Results &results) {
  return finish(node.create<SliceOp>(node.inputs), results);
}

/// The shape that a Fill operator gives its result: an attribute, the value of
/// its input, or the shape of its input, the latter two with more behind.
Value filledShape(NodeUpgrade &node) {
  if (std::optional<ArrayRef<int64_t>> shape = node.getInts("shape"))
    return node.createInts(*shape);
  FailureOr<Value> input = require(node, 0);
  if (failed(input))
    return {};
  Value shape = node.getInt("input_as_shape", 0)
                    ? node.createCast(*input, node.builder.getI64Type())
                    : node.createShape(*input);
  std::optional<ArrayRef<int64_t>> extra = node.getInts("extra_shape");
  if (!extra || extra->empty())
    return shape;
  return create<ConcatOp>(node, {shape, node.createInts(*extra)},
                          node.attribute("axis", int64_t(0)));
}

LogicalResult constantFill(NodeUpgrade &node, Results &results) {
  Value number = node.createConstant(DenseElementsAttr::get(
      RankedTensorType::get({}, node.builder.getF32Type()),
      node.getFloat("value", 0)));
  // 1 is float.
  Value typed = node.create<CastOp>(
      number, node.attribute("to", node.getInt("dtype", 1)));
  Value shape = filledShape(node);
  return finish(shape ? create<ExpandOp>(node, {typed, shape}) : Value(),
                results);
}

LogicalResult givenTensorFill(NodeUpgrade &node, Results &results) {
  auto values =
      dyn_cast_or_null<DenseF32ArrayAttr>(node.attributes.get("values"));
  Value numbers =
      node.createFloats(values ? values.asArrayRef() : ArrayRef<float>());
  Value shape = filledShape(node);
  return finish(shape ? create<ReshapeOp>(node, {numbers, shape}) : Value(),
                results);
}

/// Statistics of each channel, or of all of them, over the batch too.
LogicalResult meanVarianceNormalization(NodeUpgrade &node, Results &results) {
  FailureOr<Value> x = require(node, 0);
  if (failed(x))
    return failure();
  SmallVector<int64_t> axes;
  for (int64_t axis = 0, rank = getRank(*x).value_or(4); axis < rank; ++axis)
    if (axis != 1 || node.getInt("across_channels", 0))
      axes.push_back(axis);
  if (node.getInt("normalize_variance", 1))
    return finish(node.create<MeanVarianceNormalizationOp>(
                      *x, node.builder.getNamedAttr(
                              "axes", node.builder.getDenseI64ArrayAttr(axes))),
                  results);
  Value mean = node.create<ReduceMeanOp>({*x, node.createInts(axes)});
  return finish(mean ? node.create<SubOp>({*x, mean}) : Value(), results);
}

/// x W^T + b, of matrices that the axes make.
LogicalResult fullyConnected(NodeUpgrade &node, Results &results) {
  FailureOr<Value> x = require(node, 0), w = require(node, 1);
  if (failed(x) || failed(w))
    return failure();
  auto flatten = [&](Value value, StringRef axis) {
    return node.create<FlattenOp>(value,
                                  node.attribute("axis", node.getInt(axis, 1)));
  };
  return finish(create<GemmOp>(node,
                               {flatten(*x, "axis"), flatten(*w, "axis_w"),
                                node.getInput(2)},
                               node.attribute("transB", int64_t(1))),
                results);
}

LogicalResult loopIndexTensor(NodeUpgrade &node, Results &results) {
  return finish(node.create<GatherOp>({node.getInput(0), node.getInput(1)},
                                      pick(node, {"axis"})),
                results);
}

} // namespace

Expansion onnxc::lookupExperimentalOp(StringRef domain, StringRef name) {
  if (!domain.empty())
    return nullptr;
  return llvm::StringSwitch<Expansion>(name)
      .Case("Affine", affine)
      .Case("ConstantFill", constantFill)
      .Case("Crop", crop)
      .Case("DynamicSlice", dynamicSlice)
      .Case("FC", fullyConnected)
      .Case("GivenTensorFill", givenTensorFill)
      .Case("ImageScaler", imageScaler)
      .Case("LoopIndexTensor", loopIndexTensor)
      .Case("MeanVarianceNormalization", meanVarianceNormalization)
      .Case("ParametricSoftplus", parametricSoftplus)
      .Case("Scale", scale)
      .Case("ScaledTanh", scaledTanh)
      .Case("ThresholdedRelu", thresholdedRelu)
      .Default(nullptr);
}
