//===- Movement.td - Elements moved, repeated or left out, none computed --===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_MOVEMENT
#define ONNXC_DIALECT_ONNX_MOVEMENT

include "onnxc/Dialect/ONNX/ONNXBase.td"

def ONNX_IdentityOp : ONNX_SameType<"Identity", [1, 13, 14, 16, 19, 21, 23, 24, 25],
    (ins ONNX_Value<"V", AllIR13, AllIR3, AllIR3, AllIR3, []>:$input),
    (outs ONNX_Value<"V", AllIR13, AllIR3, AllIR3, AllIR3, []>:$output), [ONNX_MovesElements, ONNX_Linear, ONNX_Total, ONNX_TotalOfAnySize, ONNX_TakesHandles]> {
  let summary = "The value itself";
  let cost = "None";
  let hasFolder = 1;
}

def ONNX_TransposeOp : ONNX_Op<"Transpose", [1, 13, 21, 23, 24, 25],
    (ins ONNX_T<AllIR13>:$data, PermutationOf<"data">:$perm),
    (outs ONNX_T<AllIR13>:$transposed), [Pure, ONNX_MovesElements, ONNX_Linear, ONNX_Total]> {
  let summary = "Permutes the dimensions; reverses them by default";
  let cost = "None";
  let hasFolder = 1;
}

def ONNX_ConcatOp : ONNX_Op<"Concat", [4, 11, 13],
    (ins ONNX_Many<ONNX_T<AllIR4>>:$inputs, RequiredAxis<"concat_result">:$axis),
    (outs ONNX_T<AllIR4>:$concat_result),
    [Pure, ONNX_SelfOfOne, ONNX_KeepsNonNegative, ONNX_Linear, ONNX_Total, ONNX_FollowsElements]> {
  let summary = "Joins tensors along an axis";
  let cost = "None";
  let hasFolder = 1;
  let upgrades = [[{ {"Concat", 1, {setDefault("axis", 1)}} }]];
}

def ONNX_SplitOp : ONNX_Op<"Split", [18],
    (ins ONNX_T<AllIR4>:$input, ONNX_Opt<ONNX_T<OnlyInt64, "">>:$split, Axis<"input", 0>:$axis,
         OptInt:$num_outputs),
    (outs ONNX_Many<ONNX_T<AllIR4>>:$outputs), [Pure, ONNX_MovesElements, ONNX_Linear]> {
  let summary = "Cuts a tensor along an axis";
  let cost = "None";
  let upgrades = [
    [{ {"Split", 13, {custom("splitEqually")}} }],
    [{ {"Split", 11, {attrToInput("split"), custom("splitEqually")}} }],
    [{ {"Split", 2, {attrToInput("split"), custom("splitEqually")}} }],
    [{ {"Split", 1, {custom("splitLengths"), attrToInput("split"), custom("splitEqually")}} }]
  ];
}

def ONNX_SliceOp : ONNX_Op<"Slice", [10, 11, 13],
    (ins ONNX_T<AllIR4>:$data, ONNX_T<Int32s64s, "Tind">:$starts, ONNX_T<Int32s64s, "Tind">:$ends,
         ONNX_Opt<ONNX_T<Int32s64s, "Tind">>:$axes, ONNX_Opt<ONNX_T<Int32s64s, "Tind">>:$steps),
    (outs ONNX_T<AllIR4>:$output), [Pure, ONNX_MovesElements, ONNX_Linear, ONNX_FollowsElements]> {
  let summary = "Ranges with steps along axes, as in numpy";
  let cost = "None";
  let upgrades = [
    [{ {"Slice", 1, {attrToInput("starts"), attrToInput("ends"), attrToInput("axes")}} }]
  ];
}

def ONNX_PadOp : ONNX_Op<"Pad", [11, 13, 18, 19, 21, 23, 24, 25],
    (ins ONNX_T<AllIR13>:$data, ONNX_T<OnlyInt64, "">:$pads,
         ONNX_Opt<ONNX_T<AllIR13>>:$constant_value, ONNX_Opt<ONNX_T<Int32s64s, "Tind">>:$axes,
         StrOr<"constant">:$mode),
    (outs ONNX_T<AllIR13>:$output), [Pure, ONNX_Linear]> {
  let summary = "Adds elements before and after along axes";
  let cost = "None";
  let upgrades = [
    [{ {"Pad", 2, {renameAttr("value", "constant_value"), attrToInput("pads"),
        attrToInput("constant_value")}} }],
    [{ {"Pad", 1, {renameAttr("paddings", "pads"), renameAttr("value", "constant_value"),
        attrToInput("pads"), attrToInput("constant_value")}} }]
  ];
}

def ONNX_TileOp : ONNX_Op<"Tile", [6, 13],
    (ins ONNX_T<AllIR4>:$input, ONNX_T<OnlyInt64, "T1">:$repeats),
    (outs ONNX_T<AllIR4>:$output), [Pure, ONNX_MovesElements, ONNX_Linear, ONNX_Total]> {
  let summary = "Repeats the tensor along each axis";
  let cost = "None";
  let hasFolder = 1;
  let upgrades = [[{ {"Tile", 1, {custom("tileAlongAxis")}} }]];
}

def ONNX_ExpandOp : ONNX_Op<"Expand", [8, 13],
    (ins ONNX_T<AllIR4>:$input, ONNX_T<OnlyInt64, "">:$shape),
    (outs ONNX_T<AllIR4>:$output), [Pure, ONNX_MovesElements, ONNX_Linear, ONNX_Total, ONNX_FollowsElements]> {
  let summary = "Broadcasts to a shape";
  let cost = "None";
  let hasFolder = 1;
}

def ONNX_DepthToSpaceOp : ONNX_Op<"DepthToSpace", [1, 11, 13, 28],
    (ins ONNX_T<AllIR4>:$input, I64Attr:$blocksize, StrOr<"DCR">:$mode),
    (outs ONNX_T<AllIR4>:$output), [Pure, ONNX_MovesElements, ONNX_Linear]> {
  let summary = "Moves blocks of channels to blocks of space";
  let cost = "None";
}

def ONNX_SpaceToDepthOp : ONNX_Op<"SpaceToDepth", [1, 13, 28],
    (ins ONNX_T<AllIR4>:$input, I64Attr:$blocksize, StrOr<"DCR">:$mode),
    (outs ONNX_T<AllIR4>:$output), [Pure, ONNX_MovesElements, ONNX_Linear]> {
  let summary = "Moves blocks of space to channels";
  let cost = "None";
}

def ONNX_CenterCropPadOp : ONNX_Op<"CenterCropPad", [18],
    (ins ONNX_T<AllIR4>:$input_data, ONNX_T<Int32s64s, "Tind">:$shape, OptInts:$axes),
    (outs ONNX_T<AllIR4>:$output_data), [Pure]> {
  let summary = "Crops or pads at both sides to a size";
  let cost = "None";
}

def ONNX_ReverseSequenceOp : ONNX_Op<"ReverseSequence", [10, 28],
    (ins ONNX_T<AllIR4>:$input, ONNX_T<OnlyInt64, "">:$sequence_lens, IntOr<1>:$batch_axis,
         IntOr<0>:$time_axis),
    (outs ONNX_T<AllIR4>:$Y), [Pure, ONNX_MovesElements, ONNX_KeepsShape<0>, ONNX_Linear]> {
  let summary = "Reverses the first part of each sequence of a batch";
  let cost = "None";
}

def ONNX_TriluOp : ONNX_Op<"Trilu", [14],
    (ins ONNX_T<AllIR4>:$input, ONNX_Opt<ONNX_T<OnlyInt64, "">>:$k, Flag<1>:$upper),
    (outs ONNX_T<AllIR4>:$output), [Pure, ONNX_KeepsShape<0>, ONNX_Linear, ONNX_Idempotent]> {
  let summary = "Upper or lower triangle of matrices, else 0";
  let cost = "None";
}

#endif // ONNXC_DIALECT_ONNX_MOVEMENT
