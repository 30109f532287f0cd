//===- Quantization.td - Quantization, and arithmetic on quantized tensors -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_QUANTIZATION
#define ONNXC_DIALECT_ONNX_QUANTIZATION

include "onnxc/Dialect/ONNX/ONNXBase.td"

def FloatAndInt8s : ONNX_ElemSet<[Float8s, Int8s]>;
def QuantizedTypes : ONNX_ElemSet<[FloatAndInt8s, Float6s, Int4s, Int2s],
                                  [ONNX_Int16, ONNX_UInt16, ONNX_Float4E2M1]>;
def DequantizeTypes : ONNX_ElemSet<[QuantizedTypes], [ONNX_Int32]>;
def QuantizeTypes : ONNX_ElemSet<[FloatsTo32], [ONNX_Int32]>;
def ScaleTypes : ONNX_ElemSet<[FloatsTo32], [ONNX_Float8E8M0]>;

def ONNX_QuantizeLinearOp : ONNX_Op<"QuantizeLinear", [10, 13, 19, 21, 23, 24, 25, 28],
    (ins ONNX_T<QuantizeTypes, "T1">:$x,
         ONNX_T<ONNX_ElemSet<[QuantizeTypes], [ONNX_Float8E8M0]>, "T2">:$y_scale,
         ONNX_Opt<ONNX_T<QuantizedTypes, "T3">>:$y_zero_point, IntOr<1>:$axis, IntFrom<0, 0>:$block_size,
         IntOr<0>:$output_dtype, IntOr<0>:$precision, IntOr<1>:$saturate),
    (outs ONNX_T<QuantizedTypes, "T3">:$y), [Pure, ONNX_KeepsShape<0>, ONNX_Linear]> {
  let summary = "Divides by a scale, rounds and saturates; per tensor, axis or block";
  let cost = "Result";
}

def ONNX_DequantizeLinearOp : ONNX_Op<"DequantizeLinear", [10, 13, 19, 21, 23, 24, 25, 28],
    (ins ONNX_T<DequantizeTypes, "T1">:$x, ONNX_T<ScaleTypes, "T2">:$x_scale,
         ONNX_Opt<ONNX_T<DequantizeTypes, "T1">>:$x_zero_point, IntOr<1>:$axis,
         IntFrom<0, 0>:$block_size, IntOr<0>:$output_dtype),
    (outs ONNX_T<FloatsTo32, "T3">:$y), [Pure, ONNX_KeepsShape<0>, ONNX_Linear]> {
  let summary = "(x - zero point) times scale; per tensor, axis or block";
  let cost = "Result";
}

def ONNX_DynamicQuantizeLinearOp : ONNX_Op<"DynamicQuantizeLinear", [11],
    (ins ONNX_T<OnlyFloat, "T1">:$x),
    (outs ONNX_T<OnlyUInt8, "T2">:$y, ONNX_T<OnlyFloat, "">:$y_scale,
          ONNX_T<OnlyUInt8, "T2">:$y_zero_point), [Pure, ONNX_KeepsShape<0>, ONNX_Linear]> {
  let summary = "Quantizes to uint8 by the range of the data, which it returns";
  let cost = "Result";
}

def ONNX_QLinearMatMulOp : ONNX_Op<"QLinearMatMul", [10, 21],
    (ins ONNX_T<FloatAndInt8s, "T1">:$a, ONNX_T<FloatsTo32, "TS">:$a_scale,
         ONNX_T<FloatAndInt8s, "T1">:$a_zero_point, ONNX_T<FloatAndInt8s, "T2">:$b,
         ONNX_T<FloatsTo32, "TS">:$b_scale, ONNX_T<FloatAndInt8s, "T2">:$b_zero_point,
         ONNX_T<FloatsTo32, "TS">:$y_scale, ONNX_T<FloatAndInt8s, "T3">:$y_zero_point),
    (outs ONNX_T<FloatAndInt8s, "T3">:$y), [Pure]> {
  let summary = "MatMul of quantized matrices to a quantized one";
  let cost = "MatMul";
}

def ONNX_QLinearConvOp : ONNX_Op<"QLinearConv", [10],
    (ins ONNX_T<Int8s, "T1">:$x, ONNX_T<OnlyFloat, "">:$x_scale, ONNX_T<Int8s, "T1">:$x_zero_point,
         ONNX_T<Int8s, "T2">:$w, ONNX_T<OnlyFloat, "">:$w_scale, ONNX_T<Int8s, "T2">:$w_zero_point,
         ONNX_T<OnlyFloat, "">:$y_scale, ONNX_T<Int8s, "T3">:$y_zero_point,
         ONNX_Opt<ONNX_T<OnlyInt32, "T4">>:$B, OptInts:$kernel_shape, EachOr<1>:$strides,
         EachOr<0>:$pads, StrOr<"NOTSET">:$auto_pad, EachOr<1>:$dilations, IntOr<1>:$group),
    (outs ONNX_T<Int8s, "T3">:$y), [Pure, ONNX_SlidesWindow]> {
  let summary = "Conv of a quantized tensor to a quantized one";
  let cost = "Conv";
}

def ONNX_MatMulIntegerOp : ONNX_Op<"MatMulInteger", [10],
    (ins ONNX_T<Int8s, "T1">:$A, ONNX_T<Int8s, "T2">:$B,
         ONNX_Opt<ONNX_T<Int8s, "T1">>:$a_zero_point, ONNX_Opt<ONNX_T<Int8s, "T2">>:$b_zero_point),
    (outs ONNX_T<OnlyInt32, "T3">:$Y), [Pure]> {
  let summary = "MatMul of 8-bit matrices to int32";
  let cost = "MatMul";
}

def ONNX_ConvIntegerOp : ONNX_Op<"ConvInteger", [10],
    (ins ONNX_T<Int8s, "T1">:$x, ONNX_T<Int8s, "T2">:$w,
         ONNX_Opt<ONNX_T<Int8s, "T1">>:$x_zero_point, ONNX_Opt<ONNX_T<Int8s, "T2">>:$w_zero_point,
         OptInts:$kernel_shape, EachOr<1>:$strides, EachOr<0>:$pads, StrOr<"NOTSET">:$auto_pad,
         EachOr<1>:$dilations, IntOr<1>:$group),
    (outs ONNX_T<OnlyInt32, "T3">:$y), [Pure, ONNX_SlidesWindow]> {
  let summary = "Conv of 8-bit tensors to int32";
  let cost = "Conv";
}

#endif // ONNXC_DIALECT_ONNX_QUANTIZATION
