//===- Indexing.td - Elements picked, put and found by indices and values -===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_INDEXING
#define ONNXC_DIALECT_ONNX_INDEXING

include "onnxc/Dialect/ONNX/ONNXBase.td"

defvar ScatterReductions = ["none", "add", "mul", "min", "max"];

def ONNX_GatherOp : ONNX_Op<"Gather", [1, 11, 13],
    (ins ONNX_T<AllIR4>:$data, ONNX_T<Int32s64s, "Tind">:$indices, Axis<"data", 0>:$axis),
    (outs ONNX_T<AllIR4>:$output), [Pure, ONNX_MovesElements, ONNX_Linear, ONNX_FollowsElements]> {
  let summary = "Picks slices along an axis";
  let cost = "None";
}

def ONNX_GatherElementsOp : ONNX_Op<"GatherElements", [11, 13],
    (ins ONNX_T<AllIR4>:$data, ONNX_T<Int32s64s, "Tind">:$indices, Axis<"data", 0>:$axis),
    (outs ONNX_T<AllIR4>:$output), [Pure, ONNX_MovesElements, ONNX_KeepsShape<1>, ONNX_Linear]> {
  let summary = "Picks single elements along an axis";
  let cost = "None";
}

def ONNX_GatherNDOp : ONNX_Op<"GatherND", [11, 12, 13],
    (ins ONNX_T<AllIR4>:$data, ONNX_T<OnlyInt64, "">:$indices, IntOr<0>:$batch_dims),
    (outs ONNX_T<AllIR4>:$output), [Pure, ONNX_MovesElements, ONNX_Linear]> {
  let summary = "Picks slices by index tuples";
  let cost = "None";
}

def ONNX_ScatterElementsOp : ONNX_Op<"ScatterElements", [11, 13, 16, 18],
    (ins ONNX_T<AllIR4>:$data, ONNX_T<Int32s64s, "Tind">:$indices, ONNX_T<AllIR4>:$updates,
         Axis<"data", 0>:$axis, OneOf<"none", ScatterReductions>:$reduction),
    (outs ONNX_T<AllIR4>:$output), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "Puts single elements along an axis";
  let cost = "None";
  let upgrades = [
    [{ {"Scatter", 11, {}} }],
    [{ {"Scatter", 9, {}} }]
  ];
}

def ONNX_ScatterNDOp : ONNX_Op<"ScatterND", [11, 13, 16, 18],
    (ins ONNX_T<AllIR4>:$data, ONNX_T<OnlyInt64, "">:$indices, ONNX_T<AllIR4>:$updates,
         OneOf<"none", ScatterReductions>:$reduction),
    (outs ONNX_T<AllIR4>:$output), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "Puts slices by index tuples";
  let cost = "None";
}

def ONNX_ScatterOp : ONNX_Op<"Scatter", [9, 11],
    (ins ONNX_T<AllIR3>:$data, ONNX_T<Int32s64s, "Tind">:$indices, ONNX_T<AllIR3>:$updates,
         Axis<"data", 0>:$axis),
    (outs ONNX_T<AllIR3>:$output), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "The former name of ScatterElements";
  let deprecated = 1;
}

def ONNX_TensorScatterOp : ONNX_SameType<"TensorScatter", [24],
    (ins ONNX_T<AllIR12>:$past_cache, ONNX_T<AllIR12>:$update,
         ONNX_Opt<ONNX_T<OnlyInt64, "">>:$write_indices, Axis<"past_cache", -2>:$axis, StrOr<"linear">:$mode),
    (outs ONNX_T<AllIR12>:$present_cache)> {
  let summary = "Writes an update into a cache along the sequence axis";
  let cost = "None";
}

def ONNX_NonZeroOp : ONNX_Op<"NonZero", [9, 13],
    (ins ONNX_T<AllIR4>:$X),
    (outs ONNX_T<OnlyInt64, "">:$Y), [Pure]> {
  let summary = "Indices of the elements that are not zero";
}

def ONNX_CompressOp : ONNX_Op<"Compress", [9, 11, 28],
    (ins ONNX_T<AllIR4>:$input, ONNX_T<OnlyBool, "T1">:$condition, OptAxis<"input">:$axis),
    (outs ONNX_T<AllIR4>:$output), [Pure, ONNX_MovesElements]> {
  let summary = "Slices along an axis where a condition holds";
  let cost = "None";
}

def ONNX_OneHotOp : ONNX_Op<"OneHot", [11, 28],
    (ins ONNX_T<NumbersIR3, "T1">:$indices, ONNX_T<NumbersIR3, "T2">:$depth,
         ONNX_T<AllIR4, "T3">:$values, Axis<"indices", -1, 1>:$axis),
    (outs ONNX_T<AllIR4, "T3">:$output), [Pure]> {
  let summary = "Adds an axis with one value on at an index and off elsewhere";
  let cost = "None";
  let upgrades = [[{ {"OneHot", 9, {}} }]];
}

def ONNX_TopKOp : ONNX_Op<"TopK", [10, 11, 24],
    (ins ONNX_T<Numbers>:$X, ONNX_T<OnlyInt64, "">:$K, Axis<"X", -1>:$axis, Flag<1>:$largest,
         Flag<1>:$sorted),
    (outs ONNX_T<Numbers>:$Values, ONNX_T<OnlyInt64, "I">:$Indices), [Pure]> {
  let summary = "The k greatest or least elements along an axis, and their indices";
  let upgrades = [[{ {"TopK", 1, {custom("topKCount")}} }]];
}

def ONNX_UniqueOp : ONNX_Op<"Unique", [11, 28],
    (ins ONNX_T<AllIR4>:$X, OptAxis<"X">:$axis, Flag<1>:$sorted),
    (outs ONNX_T<AllIR4>:$Y, ONNX_Opt<ONNX_T<OnlyInt64, "">>:$indices,
          ONNX_Opt<ONNX_T<OnlyInt64, "">>:$inverse_indices,
          ONNX_Opt<ONNX_T<OnlyInt64, "">>:$counts), [Pure]> {
  let summary = "Distinct elements or slices, with indices and counts";
}

def ONNX_NonMaxSuppressionOp : ONNX_Op<"NonMaxSuppression", [10, 11],
    (ins ONNX_T<OnlyFloat, "">:$boxes, ONNX_T<OnlyFloat, "">:$scores,
         ONNX_Opt<ONNX_T<OnlyInt64, "">>:$max_output_boxes_per_class,
         ONNX_Opt<ONNX_T<OnlyFloat, "">>:$iou_threshold,
         ONNX_Opt<ONNX_T<OnlyFloat, "">>:$score_threshold, Flag<0>:$center_point_box),
    (outs ONNX_T<OnlyInt64, "">:$selected_indices), [Pure]> {
  let summary = "Picks boxes by score that overlap no better one";
}

#endif // ONNXC_DIALECT_ONNX_INDEXING
