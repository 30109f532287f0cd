//===- Pooling.td - Pooling over windows and regions ----- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_POOLING
#define ONNXC_DIALECT_ONNX_POOLING

include "onnxc/Dialect/ONNX/ONNXBase.td"

// Along each side of what one element is made of: their square can be computed
// in seconds. Samples cost no data, so that nothing else bounds them.
defvar ONNX_MostSamples = 32768;

def ONNX_MaxPoolOp : ONNX_Op<"MaxPool", [1, 8, 10, 11, 12, 22],
    (ins ONNX_T<ONNX_ElemSet<[Floats, Int8s]>>:$X, DenseI64ArrayAttr:$kernel_shape,
         EachOr<1>:$strides, EachOr<0>:$pads, StrOr<"NOTSET">:$auto_pad, EachOr<1>:$dilations,
         Flag<0>:$ceil_mode, Flag<0>:$storage_order),
    (outs ONNX_T<ONNX_ElemSet<[Floats, Int8s]>>:$Y,
          ONNX_Opt<ONNX_T<OnlyInt64, "I">>:$Indices), [Pure, ONNX_SlidesWindow]> {
  let summary = "Greatest element of each window, and where it was";
  let cost = "Window";
}

def ONNX_AveragePoolOp : ONNX_Op<"AveragePool", [1, 7, 10, 11, 19, 22],
    (ins ONNX_T<Floats>:$X, DenseI64ArrayAttr:$kernel_shape, EachOr<1>:$strides, EachOr<0>:$pads,
         StrOr<"NOTSET">:$auto_pad, EachOr<1>:$dilations, Flag<0>:$ceil_mode,
         Flag<0>:$count_include_pad),
    (outs ONNX_T<Floats>:$Y), [Pure, ONNX_SlidesWindow, ONNX_KeepsNonNegative]> {
  let summary = "Mean of each window";
  let cost = "Window";
}

def ONNX_LpPoolOp : ONNX_Op<"LpPool", [2, 11, 18, 22],
    (ins ONNX_T<Floats>:$X, DenseI64ArrayAttr:$kernel_shape, EachOr<1>:$strides, EachOr<0>:$pads,
         StrOr<"NOTSET">:$auto_pad, EachOr<1>:$dilations, Flag<0>:$ceil_mode, IntFrom<1, 2>:$p),
    (outs ONNX_T<Floats>:$Y), [Pure, ONNX_SlidesWindow, ONNX_NeverNegative]> {
  let summary = "p-norm of each window";
  let cost = "Window";
  let upgrades = [[{ {"LpPool", 1, {custom("lpPoolExponent")}} }]];
}

def ONNX_GlobalMaxPoolOp : ONNX_Op<"GlobalMaxPool", [1, 22],
    (ins ONNX_T<Floats>:$X),
    (outs ONNX_T<Floats>:$Y), [Pure, ONNX_KeepsNonNegative, ONNX_Linear]> {
  let summary = "Greatest element of each channel";
  let cost = "Input";
}

def ONNX_GlobalAveragePoolOp : ONNX_Op<"GlobalAveragePool", [1, 22],
    (ins ONNX_T<Floats>:$X),
    (outs ONNX_T<Floats>:$Y), [Pure, ONNX_KeepsNonNegative, ONNX_Linear]> {
  let summary = "Mean of each channel";
  let cost = "Input";
}

def ONNX_GlobalLpPoolOp : ONNX_Op<"GlobalLpPool", [2, 22],
    (ins ONNX_T<Floats>:$X, IntFrom<1, 2>:$p),
    (outs ONNX_T<Floats>:$Y), [Pure, ONNX_NeverNegative, ONNX_Linear]> {
  let summary = "p-norm of each channel";
  let cost = "Input";
  let upgrades = [[{ {"GlobalLpPool", 1, {custom("lpPoolExponent")}} }]];
}

def ONNX_MaxUnpoolOp : ONNX_Op<"MaxUnpool", [9, 11, 22],
    (ins ONNX_T<Floats, "T1">:$X, ONNX_T<OnlyInt64, "T2">:$I,
         ONNX_Opt<ONNX_T<OnlyInt64, "T2">>:$output_shape, DenseI64ArrayAttr:$kernel_shape,
         EachOr<1>:$strides, EachOr<0>:$pads),
    (outs ONNX_T<Floats, "T1">:$output), [Pure]> {
  let summary = "Puts the results of MaxPool back where they came from";
}

def ONNX_MaxRoiPoolOp : ONNX_Op<"MaxRoiPool", [1, 22],
    (ins ONNX_T<Floats>:$X, ONNX_T<Floats>:$rois, RequiredIntsFrom<1>:$pooled_shape,
         FloatOr<"1.0">:$spatial_scale),
    (outs ONNX_T<Floats>:$Y), [Pure]> {
  let summary = "Greatest element of each cell of a grid on regions of interest";
}

def ONNX_RoiAlignOp : ONNX_Op<"RoiAlign", [16, 22],
    (ins ONNX_T<Floats, "T1">:$X, ONNX_T<Floats, "T1">:$rois,
         ONNX_T<OnlyInt64, "T2">:$batch_indices,
         OneOf<"half_pixel", ["half_pixel", "output_half_pixel"]>:$coordinate_transformation_mode, OneOf<"avg", ["avg", "max"]>:$mode,
         IntFrom<0, 1>:$output_height, IntFrom<0, 1>:$output_width, IntWithin<0, ONNX_MostSamples, 0>:$sampling_ratio,
         FloatOr<"1.0">:$spatial_scale),
    (outs ONNX_T<Floats, "T1">:$Y), [Pure]> {
  let summary = "Samples regions of interest bilinearly on a grid, and pools the samples";
  let upgrades = [
    [{ {"RoiAlign", 10, {setDefault("coordinate_transformation_mode", "output_half_pixel")}} }]
  ];
}

#endif // ONNXC_DIALECT_ONNX_POOLING
