//===- Conversion.td - Changes of the element type ------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_CONVERSION
#define ONNXC_DIALECT_ONNX_CONVERSION

include "onnxc/Dialect/ONNX/ONNXBase.td"

def CastLikeTypes : ONNX_ElemSet<[NumbersAndBool, Float8s, Int4s, Int2s],
                                [ONNX_Float4E2M1, ONNX_Float8E8M0, ONNX_String]>;
def CastTypes : ONNX_ElemSet<[CastLikeTypes, Float6s]>;
def BitCastTypes : ONNX_ElemSet<[NumbersAndBool, Complexes, Float8s, Int4s, Int2s],
                                [ONNX_Float4E2M1, ONNX_Float8E8M0]>;

def ONNX_CastOp : ONNX_Elementwise<"Cast", [6, 9, 13, 19, 21, 23, 24, 25, 28],
    (ins ONNX_T<CastTypes, "T1">:$input, I64Attr:$to, StrOr<"up">:$round_mode, IntOr<1>:$saturate),
    (outs ONNX_T<CastTypes, "T2">:$output), "", [ONNX_FollowsElements]> {
  let summary = "Converts every element to another type";
  let cost = "None";
  let hasFolder = 1;
  let shapeRule = "";
  let upgrades = [[{ {"Cast", 1, {custom("castTypeByName")}} }]];
}

def ONNX_CastLikeOp : ONNX_Op<"CastLike", [15, 19, 21, 23, 24, 25],
    (ins ONNX_T<CastLikeTypes, "T1">:$input, ONNX_T<CastLikeTypes, "T2">:$target_type,
         StrOr<"up">:$round_mode, IntOr<1>:$saturate),
    (outs ONNX_T<CastLikeTypes, "T2">:$output), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "Converts every element to the type of another tensor";
  let cost = "None";
  let hasCanonicalizeMethod = 1; // to Cast
  let hasFolder = 1;
}

def ONNX_BitCastOp : ONNX_Op<"BitCast", [26],
    (ins ONNX_T<BitCastTypes, "T1">:$input, I64Attr:$to),
    (outs ONNX_T<BitCastTypes, "T2">:$output), [Pure, ONNX_KeepsShape<0>, ONNX_Linear]> {
  let summary = "Reads the same bits as another type of the same width";
  let cost = "None";
}

#endif // ONNXC_DIALECT_ONNX_CONVERSION
