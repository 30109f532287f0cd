//===- Shape.td - Shapes read, changed and made ---------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_SHAPE
#define ONNXC_DIALECT_ONNX_SHAPE

include "onnxc/Dialect/ONNX/ONNXBase.td"

def ONNX_ShapeOp : ONNX_Op<"Shape", [1, 13, 15, 19, 21, 23, 24, 25],
    (ins ONNX_T<AllIR13>:$data, OptInt:$end, IntOr<0>:$start),
    (outs ONNX_T<OnlyInt64, "T1">:$shape),
    [Pure, ONNX_Linear, ONNX_Total, ONNX_TotalOfAnySize, ONNX_TakesHandles, ONNX_FollowsElements]> {
  let summary = "Dimensions start to end of the shape, as a tensor";
  let cost = "None";
}

def ONNX_SizeOp : ONNX_Op<"Size", [1, 13, 19, 21, 23, 24, 25],
    (ins ONNX_T<AllIR13>:$data),
    (outs ONNX_T<OnlyInt64, "T1">:$size),
    [Pure, ONNX_Linear, ONNX_Total, ONNX_TotalOfAnySize, ONNX_TakesHandles, ONNX_FollowsElements]> {
  let summary = "Number of elements";
  let cost = "None";
}

def ONNX_ReshapeOp : ONNX_Op<"Reshape", [5, 13, 14, 19, 21, 23, 24, 25],
    (ins ONNX_T<AllIR13>:$data, ONNX_T<OnlyInt64, "">:$shape, Flag<0>:$allowzero),
    (outs ONNX_T<AllIR13>:$reshaped), [Pure, ONNX_MovesElements, ONNX_Reshapes, ONNX_Linear, ONNX_Total]> {
  let summary = "The elements in another shape; 0 copies a dimension, -1 is computed";
  let cost = "None";
  let hasFolder = 1;
  let upgrades = [[{ {"Reshape", 1, {dropAttr("consumed_inputs"), attrToInput("shape")}} }]];
}

def ONNX_FlattenOp : ONNX_Op<"Flatten", [1, 9, 11, 13, 21, 23, 24, 25],
    (ins ONNX_T<AllIR13>:$input, Axis<"input", 1>:$axis),
    (outs ONNX_T<AllIR13>:$output), [Pure, ONNX_MovesElements, ONNX_Reshapes, ONNX_Linear]> {
  let summary = "Reshapes to a matrix, cut before `axis`";
  let cost = "None";
  let hasFolder = 1;
}

def ONNX_SqueezeOp : ONNX_Op<"Squeeze", [13, 21, 23, 24, 25],
    (ins ONNX_T<AllIR13>:$data, ONNX_Opt<ONNX_T<OnlyInt64, "">>:$axes),
    (outs ONNX_T<AllIR13>:$squeezed), [Pure, ONNX_MovesElements, ONNX_Reshapes, ONNX_Linear, ONNX_Total]> {
  let summary = "Removes dimensions of size 1";
  let cost = "None";
  let hasFolder = 1;
  let upgrades = [
    [{ {"Squeeze", 11, {attrToInput("axes")}} }],
    [{ {"Squeeze", 1, {attrToInput("axes")}} }]
  ];
}

def ONNX_UnsqueezeOp : ONNX_Op<"Unsqueeze", [13, 21, 23, 24, 25],
    (ins ONNX_T<AllIR13>:$data, ONNX_T<OnlyInt64, "">:$axes),
    (outs ONNX_T<AllIR13>:$expanded), [Pure, ONNX_MovesElements, ONNX_Reshapes, ONNX_Linear, ONNX_Total]> {
  let summary = "Inserts dimensions of size 1";
  let cost = "None";
  let hasFolder = 1;
  let upgrades = [
    [{ {"Unsqueeze", 11, {attrToInput("axes")}} }],
    [{ {"Unsqueeze", 1, {attrToInput("axes")}} }]
  ];
}

def ONNX_ConstantOfShapeOp : ONNX_Op<"ConstantOfShape", [9, 20, 21, 23, 24, 25],
    (ins ONNX_T<OnlyInt64, "T1">:$input, OptTensor:$value),
    (outs ONNX_T<ONNX_ElemSet<[NumbersAndBool, Float8s, Int2s, Int4s], [ONNX_Float4E2M1, ONNX_Float8E8M0]>, "T2">:$output),
    [Pure, ONNX_Linear, ONNX_FollowsElements]> {
  let summary = "A tensor of a shape, filled with one value";
  let cost = "None";
}

def ONNX_RangeOp : ONNX_Op<"Range", [11, 27],
    (ins ONNX_T<ONNX_ElemSet<[Floats, Int32s64s], [ONNX_Int16]>>:$start,
         ONNX_T<ONNX_ElemSet<[Floats, Int32s64s], [ONNX_Int16]>>:$limit,
         ONNX_T<ONNX_ElemSet<[Floats, Int32s64s], [ONNX_Int16]>>:$delta, IntOr<1>:$stash_type),
    (outs ONNX_T<ONNX_ElemSet<[Floats, Int32s64s], [ONNX_Int16]>>:$output), [Pure, ONNX_Linear, ONNX_FollowsElements]> {
  let summary = "start, start + delta, … below limit";
  let cost = "None";
}

def ONNX_EyeLikeOp : ONNX_Op<"EyeLike", [9, 22],
    (ins ONNX_T<NumbersAndBool, "T1">:$input, OptInt:$dtype, IntOr<0>:$k),
    (outs ONNX_T<NumbersAndBool, "T2">:$output), [Pure, ONNX_KeepsShape<0>, ONNX_NeverNegative, ONNX_Linear]> {
  let summary = "Ones on a diagonal, of the shape of a matrix";
  let cost = "None";
}

#endif // ONNXC_DIALECT_ONNX_SHAPE
