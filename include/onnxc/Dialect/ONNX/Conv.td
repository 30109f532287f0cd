//===- Conv.td - Convolutions ---------------------------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_CONV
#define ONNXC_DIALECT_ONNX_CONV

include "onnxc/Dialect/ONNX/ONNXBase.td"

def ONNX_ConvOp : ONNX_Op<"Conv", [1, 11, 22],
    (ins ONNX_T<Floats>:$X, ONNX_T<Floats>:$W, ONNX_Opt<ONNX_T<Floats>>:$B, OptInts:$kernel_shape,
         EachOr<1>:$strides, EachOr<0>:$pads, StrOr<"NOTSET">:$auto_pad, EachOr<1>:$dilations,
         IntOr<1>:$group),
    (outs ONNX_T<Floats>:$Y), [Pure, ONNX_SlidesWindow]> {
  let summary = "Convolution (cross-correlation) over N spatial dimensions, in groups";
  let cost = "Conv";
}

def ONNX_ConvTransposeOp : ONNX_Op<"ConvTranspose", [11, 22],
    (ins ONNX_T<Floats>:$X, ONNX_T<Floats>:$W, ONNX_Opt<ONNX_T<Floats>>:$B, OptInts:$kernel_shape,
         EachOr<1>:$strides, EachOr<0>:$pads, StrOr<"NOTSET">:$auto_pad, EachOr<1>:$dilations,
         IntOr<1>:$group, OptIntsFrom<0>:$output_padding, OptInts:$output_shape),
    (outs ONNX_T<Floats>:$Y), [Pure, ONNX_SlidesWindow]> {
  let summary = "Transposed convolution: the gradient of Conv by its input";
  let cost = "ConvTranspose";
  let upgrades = [[{ {"ConvTranspose", 1, {custom("convTransposeOutputShape")}} }]];
}

def ONNX_DeformConvOp : ONNX_Op<"DeformConv", [19, 22],
    (ins ONNX_T<Floats>:$X, ONNX_T<Floats>:$W, ONNX_T<Floats>:$offset, ONNX_Opt<ONNX_T<Floats>>:$B,
         ONNX_Opt<ONNX_T<Floats>>:$mask, OptInts:$kernel_shape, EachOr<1>:$strides, EachOr<0>:$pads,
         EachOr<1>:$dilations, IntOr<1>:$group, IntOr<1>:$offset_group),
    (outs ONNX_T<Floats>:$Y), [Pure, ONNX_SlidesWindow]> {
  let summary = "Convolution whose taps are displaced by learned offsets";
  let cost = "Conv";
}

def ONNX_CausalConvWithStateOp : ONNX_Op<"CausalConvWithState", [27],
    (ins ONNX_T<FloatsTo32>:$input, ONNX_T<FloatsTo32>:$weight, ONNX_Opt<ONNX_T<FloatsTo32>>:$bias,
         ONNX_Opt<ONNX_T<FloatsTo32>>:$past_state, StrOr<"none">:$activation),
    (outs ONNX_T<FloatsTo32>:$output, ONNX_T<FloatsTo32>:$present_state), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "Depthwise convolution over the past, with a carried state";
  let cost = "Conv";
}

def ONNX_Col2ImOp : ONNX_Op<"Col2Im", [18],
    (ins ONNX_T<AllIR4>:$input, ONNX_T<OnlyInt64, "">:$image_shape,
         ONNX_T<OnlyInt64, "">:$block_shape, EachOr<1>:$dilations, EachOr<0>:$pads, EachOr<1>:$strides),
    (outs ONNX_T<AllIR4>:$output), [Pure]> {
  let summary = "Adds columns of patches up to an image: the reverse of im2col";
}

#endif // ONNXC_DIALECT_ONNX_CONV
