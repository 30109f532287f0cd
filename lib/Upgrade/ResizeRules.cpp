//===- ResizeRules.cpp - Upsample, Resize, GridSample ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomRules.h"

#include "onnxc/Dialect/ONNX/Image.h"
#include "onnxc/Dialect/ONNX/Math.h"

using namespace mlir;
using namespace onnxc;

/// What Upsample and Resize-10 know. Scales that are not constants are tested
/// when the model runs.
static LogicalResult checkSampling(NodeUpgrade &node, Value scales) {
  StringRef mode = node.getString("mode", "nearest");
  if (mode != "nearest" && mode != "linear")
    return node.emitError() << "attribute 'mode' is '" << mode
                            << "', expected 'nearest' or 'linear'";
  std::optional<SmallVector<double>> values = getNumbers(scales);
  if (!values)
    return success();
  const bool isUpsample = node.op.getOpType() == UpsampleOp::getOnnxName();
  for (double scale : *values)
    if (!std::isfinite(scale) || (isUpsample ? scale < 1 : scale <= 0))
      return node.emitError()
             << "one of its scales is " << scale << ", expected "
             << (isUpsample ? "1 or more" : "a positive number");
  std::optional<int64_t> rank = getRank(node.getInput(0));
  if (rank && *rank != static_cast<int64_t>(values->size()))
    return node.emitError() << "it has " << values->size()
                            << " scales, but the input has rank " << *rank;
  return success();
}

/// Version 10 did not say where samples lie; what its test data and runtimes do
/// is x / scale, and for nearest the pixel below when growing and above when
/// shrinking. Where both occur, or may, one Resize shrinks and another grows: a
/// scale of 1 does nothing.
LogicalResult rules::resizeAsymmetric(NodeUpgrade &node) {
  Value x = node.getInput(0), scales = node.getInput(1);
  if (!x || !scales)
    return node.emitError() << "the input or its scales are missing";
  if (failed(checkSampling(node, scales)))
    return failure();
  node.setString("coordinate_transformation_mode", "asymmetric");
  if (node.getString("mode", "nearest") == "nearest") {
    std::optional<SmallVector<double>> values = getNumbers(scales);
    bool mayGrow = !values, mayShrink = !values;
    for (double scale : values.value_or(SmallVector<double>())) {
      mayGrow |= scale > 1;
      mayShrink |= scale < 1;
    }
    if (mayGrow && mayShrink) {
      Value one = node.floats(1.0f);
      x = node.make<ResizeOp>(
          {x, {}, node.min(scales, one)},
          {node.attribute("coordinate_transformation_mode", "asymmetric"),
           node.attribute("mode", "nearest"),
           node.attribute("nearest_mode", "ceil")});
      scales = node.max(scales, one);
    }
    node.setString("nearest_mode", mayShrink && !mayGrow ? "ceil" : "floor");
  }
  node.inputs = {x, Value(), scales};
  return success();
}

LogicalResult inverses::resizeAsymmetric(NodeDowngrade &node) {
  if (node.getInput(1) || node.getInput(3))
    return node.fail("it takes nothing but scales there");
  if (node.getString("coordinate_transformation_mode", "half_pixel") !=
      "asymmetric")
    return node.fail("coordinates are asymmetric there");
  if (node.getString("mode", "nearest") == "nearest") {
    std::optional<SmallVector<double>> scales = getNumbers(node.getInput(2));
    if (!scales)
      return node.fail(
          "the nearest pixel depends on the scales at the target opset, "
          "and these are not constant");
    bool grows = llvm::any_of(*scales, [](double scale) { return scale > 1; });
    bool shrinks =
        llvm::any_of(*scales, [](double scale) { return scale < 1; });
    if ((grows && shrinks) ||
        node.getString("nearest_mode", "round_prefer_floor") !=
            (shrinks ? "ceil" : "floor"))
      return node.fail("another pixel is near there");
    node.attributes.erase("nearest_mode");
  }
  node.attributes.erase("coordinate_transformation_mode");
  for (StringRef name :
       {"antialias", "axes", "cubic_coeff_a", "exclude_outside",
        "extrapolation_value", "keep_aspect_ratio_policy", "nearest_mode"})
    if (failed(node.refuse(name)))
      return failure();
  node.inputs = {node.getInput(0), node.getInput(2)};
  return success();
}

/// Upsample is Resize-10 under another name; its scales were attributes first.
LogicalResult rules::upsampleToResize(NodeUpgrade &node) {
  StringRef mode = node.getString("mode", "nearest");
  if (mode == "bilinear" || mode == "trilinear")
    node.setString("mode", "linear");
  if (node.attributes.get("height_scale") ||
      node.attributes.get("width_scale")) {
    float scales[] = {1, 1, node.getFloat("height_scale", 1),
                      node.getFloat("width_scale", 1)};
    node.attributes.erase("height_scale");
    node.attributes.erase("width_scale");
    node.setInput(1, node.floats(scales));
  } else if (auto scales = dyn_cast_or_null<DenseF32ArrayAttr>(
                 node.attributes.get("scales"))) {
    node.attributes.erase("scales");
    node.setInput(1, node.floats(scales.asArrayRef()));
  }
  return resizeAsymmetric(node);
}

LogicalResult inverses::upsampleToResize(NodeDowngrade &node) {
  if (failed(inverses::resizeAsymmetric(node)))
    return failure();
  auto old = dyn_cast_or_null<StringAttr>(node.getOld("mode"));
  if (node.getString("mode", "") == "linear" && old &&
      (old == "bilinear" || old == "trilinear"))
    node.restore("mode");
  if (node.rule.version >= 9)
    return success();
  DenseElementsAttr scales = getConstant(node.getInput(1));
  if (!scales || !scales.getElementType().isF32())
    return node.fail("its scales are attributes there, but no constant");
  SmallVector<float> values(scales.getValues<float>());
  node.inputs.resize(1);
  if (node.rule.version >= 7) {
    node.attributes.set("scales", node.builder.getDenseF32ArrayAttr(values));
    return success();
  }
  if (values.size() != 4 || values[0] != 1 || values[1] != 1)
    return node.fail("only height and width are scaled there");
  node.attributes.set("height_scale", node.builder.getF32FloatAttr(values[2]));
  node.attributes.set("width_scale", node.builder.getF32FloatAttr(values[3]));
  return success();
}

/// Before 13, an input that is not meant was an empty tensor; now it is absent.
/// A coordinate mode went: z = (x + 0.5) / scale is the half-pixel coordinate
/// plus a half, so its floor is that coordinate rounded half up, and z rounded
/// half down is the coordinate's ceiling.
LogicalResult rules::resizeEmptyInputs(NodeUpgrade &node) {
  auto isEmpty = [](Value value) {
    std::optional<ArrayRef<int64_t>> shape = getShape(value);
    return !value || (shape && llvm::is_contained(*shape, 0));
  };
  node.inputs.resize(4);
  bool hasSizes = !isEmpty(node.inputs[3]);
  StringRef mode =
      node.getString("coordinate_transformation_mode", "half_pixel");
  if (mode != "tf_crop_and_resize")
    node.inputs[1] = {};
  node.inputs[hasSizes ? 2 : 3] = {};
  if (mode != "tf_half_pixel_for_nn")
    return success();
  StringRef rounding = node.getString("nearest_mode", "round_prefer_floor");
  StringRef newRounding = rounding == "floor" ? "round_prefer_ceil"
                          : rounding == "round_prefer_floor" ? "ceil"
                                                             : "";
  // Other modes and roundings keep the coordinate mode, which exporters write
  // in newer forms, too.
  if (node.getString("mode", "nearest") != "nearest" || newRounding.empty())
    return success();
  node.setString("coordinate_transformation_mode", "half_pixel");
  node.setString("nearest_mode", newRounding);
  return success();
}

LogicalResult inverses::resizeEmptyInputs(NodeDowngrade &node) {
  if (node.getInput(2) && node.getInput(3))
    return node.fail("it has scales and sizes");
  for (StringRef name : {"antialias", "axes", "keep_aspect_ratio_policy"})
    if (failed(node.refuse(name)))
      return failure();
  return success();
}

/// Modes were renamed in 20.
LogicalResult rules::gridSampleMode(NodeUpgrade &node) {
  StringRef mode = node.getString("mode", "bilinear");
  if (mode == "bilinear")
    node.setString("mode", "linear");
  else if (mode == "bicubic")
    node.setString("mode", "cubic");
  return success();
}

LogicalResult inverses::gridSampleMode(NodeDowngrade &node) {
  StringRef mode = node.getString("mode", "");
  if (mode == "linear")
    node.setString("mode", "bilinear");
  else if (mode == "cubic")
    node.setString("mode", "bicubic");
  return success();
}
