//===- Image.cpp - The ops of Image.td ------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Image.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Image.cpp.inc"

void ONNXDialect::registerImageOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Image.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

/// The elements of a small constant of floats; nullopt if it is not one.
static std::optional<llvm::SmallVector<double>> getFloats(Value value) {
  DenseFPElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() > 1024)
    return std::nullopt;
  llvm::SmallVector<double> floats;
  for (const llvm::APFloat &element : elements.getValues<llvm::APFloat>()) {
    bool losesInfo;
    llvm::APFloat wide = element;
    wide.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    floats.push_back(wide.convertToDouble());
  }
  return floats;
}

/// floor(dim * scale), in single precision as ONNX has it.
static Dim scaled(ShapeBuilder &s, Dim dim, double scale) {
  if (!s.require(scale > 0 && scale < 0x1p31,
                 "resize_scales: must be positive and not huge"))
    return s.unknown();
  if (scale == std::floor(scale))
    return dim * static_cast<int64_t>(scale);
  if (!dim.isKnown())
    return s.unknown();
  return s.constant(static_cast<int64_t>(std::floor(
      static_cast<float>(*dim.getKnown()) * static_cast<float>(scale))));
}

LogicalResult ResizeOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getX());
  if (!s.ranked(op.getX()))
    return s.unranked(0, elementType);
  int64_t rank = s.rank(op.getX());
  llvm::StringRef policy = op.getKeepAspectRatioPolicy();
  s.require(policy == "stretch" || policy == "not_larger" ||
                policy == "not_smaller",
            "resize_keep_aspect_ratio_policy: must be stretch, not_larger or "
            "not_smaller, is '" +
                policy + "'");
  llvm::SmallVector<int64_t> axes;
  if (op.getAxes())
    axes = s.axes(*op.getAxes(), rank, "resize_axes");
  else
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (s.hasFailed())
    return failure();
  // Exporters of old opsets leave an empty `scales` beside `sizes`.
  bool hasScales = op.getScales() && s.length(op.getScales()) != 0;
  bool hasSizes = op.getSizes() && s.length(op.getSizes()) != 0;
  if (!s.require(hasScales != hasSizes,
                 "resize_c1: needs either scales or sizes"))
    return failure();
  Dims output = s.dims(op.getX());
  if (hasScales) {
    auto scales = getFloats(op.getScales());
    if (!scales) {
      for (int64_t axis : axes)
        output[axis] = s.unknown();
      return s.result(0, elementType, output);
    }
    if (!s.require(scales->size() == axes.size(),
                   "resize_scales: must have one element per axis"))
      return failure();
    // ONNX's text would shrink that by the region of tf_crop_and_resize; its
    // inference, its reference and ONNX Runtime do not.
    for (auto [i, axis] : llvm::enumerate(axes))
      output[axis] = scaled(s, output[axis], (*scales)[i]);
    return s.result(0, elementType, output);
  }

  std::optional<Dims> sizes = s.values(op.getSizes());
  if (!sizes) {
    for (int64_t axis : axes)
      output[axis] = s.unknown();
    return s.result(0, elementType, output);
  }
  if (!s.require(sizes->size() == axes.size(),
                 "resize_sizes: must have one element per axis, has " +
                     llvm::Twine(sizes->size())))
    return failure();
  if (policy == "stretch") {
    for (auto [i, axis] : llvm::enumerate(axes))
      output[axis] = (*sizes)[i];
    return s.result(0, elementType, output);
  }
  // One scale for all axes: the least or greatest that any size asks for.
  std::optional<double> common;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (!output[axis].isKnown() || !(*sizes)[i].isKnown() ||
        output[axis].is(0)) {
      common = std::nullopt;
      break;
    }
    double scale = static_cast<double>(*(*sizes)[i].getKnown()) /
                   static_cast<double>(*output[axis].getKnown());
    common = !common                  ? scale
             : policy == "not_larger" ? std::min(*common, scale)
                                      : std::max(*common, scale);
  }
  for (int64_t axis : axes)
    output[axis] = common && *common < 0x1p31
                       ? s.constant(static_cast<int64_t>(std::floor(
                             *common * *output[axis].getKnown() + 0.5)))
                       : s.unknown();
  return s.result(0, elementType, output);
}

LogicalResult UpsampleOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getX());
  if (!s.ranked(op.getX()))
    return s.unranked(0, elementType);
  Dims output = s.dims(op.getX());
  auto scales = getFloats(op.getScales());
  s.require(!scales || scales->size() == output.size(),
            "upsample_scales: must have one element per dimension");
  if (s.hasFailed())
    return failure();
  if (scales)
    for (double scale : *scales)
      s.require(scale >= 1, "upsample_scales: must be at least 1");
  for (auto [i, dim] : llvm::enumerate(output))
    dim = scales ? scaled(s, dim, (*scales)[i]) : s.unknown();
  return s.result(0, elementType, output);
}

LogicalResult GridSampleOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getX());
  Value ranked = s.ranked(op.getX()) ? op.getX() : op.getGrid();
  if (!s.ranked(ranked))
    return s.unranked(0, elementType);
  int64_t rank = s.rank(ranked);
  if (!s.require(rank >= 3, "gridsample_x: must have at least rank 3"))
    return failure();
  Dims x = dimsOfRank(s, op.getX(), rank, "gridsample_x");
  Dims grid = dimsOfRank(s, op.getGrid(), rank, "gridsample_grid");
  s.same(grid.back(), s.constant(rank - 2),
         "gridsample_grid: coordinates and spatial dimensions");
  Dims output = {s.same(x[0], grid[0], "gridsample_batch"), x[1]};
  output.append(grid.begin() + 1, grid.end() - 1);
  return s.result(0, elementType, output);
}

LogicalResult AffineGridOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getTheta());
  std::optional<Dims> size = s.values(op.getSize());
  if (!size)
    return s.unranked(0, elementType);
  if (!s.require(size->size() == 4 || size->size() == 5,
                 "affinegrid_size: must be (N, C, H, W) or (N, C, D, H, W)"))
    return failure();
  int64_t spatial = static_cast<int64_t>(size->size()) - 2;
  Dims theta = dimsOfRank(s, op.getTheta(), 3, "affinegrid_theta");
  s.same(theta[0], (*size)[0], "affinegrid_theta: batch");
  s.same(theta[1], s.constant(spatial), "affinegrid_theta: rows");
  s.same(theta[2], s.constant(spatial + 1), "affinegrid_theta: columns");
  Dims output = *size;
  output.erase(output.begin() + 1);
  output.push_back(s.constant(size->size() - 2));
  return s.result(0, elementType, output);
}

LogicalResult ImageDecoderOp::shape(ShapeBuilder &s, Adaptor op) {
  llvm::StringRef format = op.getPixelFormat();
  s.require(format == "RGB" || format == "BGR" || format == "Grayscale",
            "imagedecoder_pixel_format: must be RGB, BGR or Grayscale, is '" +
                format + "'");
  if (s.ranked(op.getEncodedStream()) &&
      !s.require(s.rank(op.getEncodedStream()) == 1,
                 "imagedecoder_encoded_stream: must have rank 1, has rank " +
                     llvm::Twine(s.rank(op.getEncodedStream()))))
    return failure();
  return s.result(
      0, IntegerType::get(s.getContext(), 8, IntegerType::Unsigned),
      {s.unknown(), s.unknown(), s.constant(format == "Grayscale" ? 1 : 3)});
}
