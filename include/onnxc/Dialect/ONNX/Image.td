//===- Image.td - Images: resampling and decoding -------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_IMAGE
#define ONNXC_DIALECT_ONNX_IMAGE

include "onnxc/Dialect/ONNX/ONNXBase.td"

defvar ResizeCoordinates = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                            "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn"];

def ONNX_ResizeOp : ONNX_Op<"Resize", [13, 18, 19],
    (ins ONNX_T<AllIR4, "T1">:$X, ONNX_Opt<ONNX_T<IEEEFloats, "T2">>:$roi,
         ONNX_Opt<ONNX_T<OnlyFloat, "">>:$scales, ONNX_Opt<ONNX_T<OnlyInt64, "">>:$sizes,
         Flag<0>:$antialias, OptInts:$axes, OneOf<"half_pixel", ResizeCoordinates>:$coordinate_transformation_mode,
         FloatOr<"-0.75">:$cubic_coeff_a, Flag<0>:$exclude_outside,
         FloatOr<"0.0">:$extrapolation_value, StrOr<"stretch">:$keep_aspect_ratio_policy,
         OneOf<"nearest", ["nearest", "linear", "cubic"]>:$mode, OneOf<"round_prefer_floor", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]>:$nearest_mode),
    (outs ONNX_T<AllIR4, "T1">:$Y), [Pure]> {
  let summary = "Resamples to other sizes, nearest, linear or cubic";
  let upgrades = [
    [{ {"Upsample", 10, {custom("upsampleToResize")}} }],
    [{ {"Upsample", 9, {custom("upsampleToResize")}} }],
    [{ {"Upsample", 7, {custom("upsampleToResize")}} }],
    [{ {"Upsample", 1, {custom("upsampleToResize")}} }],
    [{ {"Resize", 11, {custom("resizeEmptyInputs")}} }],
    [{ {"Resize", 10, {custom("resizeAsymmetric"), custom("resizeEmptyInputs")}} }]
  ];
}

def ONNX_UpsampleOp : ONNX_Op<"Upsample", [9, 10],
    (ins ONNX_T<AllIR3>:$X, ONNX_T<OnlyFloat, "">:$scales, StrOr<"nearest">:$mode),
    (outs ONNX_T<AllIR3>:$Y), [Pure]> {
  let summary = "What Resize was before it had modes for coordinates";
  let deprecated = 1;
}

def ONNX_GridSampleOp : ONNX_Op<"GridSample", [20, 22],
    (ins ONNX_T<AllIR4, "T1">:$X, ONNX_T<Floats, "T2">:$grid, Flag<0>:$align_corners,
         OneOf<"linear", ["nearest", "linear", "cubic"]>:$mode, OneOf<"zeros", ["zeros", "border", "reflection"]>:$padding_mode),
    (outs ONNX_T<AllIR4, "T1">:$Y), [Pure]> {
  let summary = "Samples at the points of a grid";
  let upgrades = [[{ {"GridSample", 16, {custom("gridSampleMode")}} }]];
}

def ONNX_AffineGridOp : ONNX_Op<"AffineGrid", [20],
    (ins ONNX_T<Floats, "T1">:$theta, ONNX_T<OnlyInt64, "T2">:$size, Flag<0>:$align_corners),
    (outs ONNX_T<Floats, "T1">:$grid), [Pure]> {
  let summary = "The grid for GridSample that affine matrices describe";
}

def ONNX_ImageDecoderOp : ONNX_Op<"ImageDecoder", [20],
    (ins ONNX_T<OnlyUInt8, "T1">:$encoded_stream, StrOr<"RGB">:$pixel_format),
    (outs ONNX_T<OnlyUInt8, "T2">:$image), [Pure]> {
  let summary = "Decodes an image file (JPEG, PNG, …)";
}

#endif // ONNXC_DIALECT_ONNX_IMAGE
