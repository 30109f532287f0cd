//===- Sequence.td - Sequences and optionals ------------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_SEQUENCE
#define ONNXC_DIALECT_ONNX_SEQUENCE

include "onnxc/Dialect/ONNX/ONNXBase.td"

def ONNX_SequenceConstructOp : ONNX_Op<"SequenceConstruct", [11],
    (ins ONNX_Many<ONNX_T<AllIR3>>:$inputs),
    (outs ONNX_S<AllIR3>:$output_sequence), [Pure, ONNX_TakesHandles]> {
  let summary = "A sequence of the given tensors";
  let cost = "None";
}

def ONNX_SequenceEmptyOp : ONNX_Op<"SequenceEmpty", [11],
    (ins OptInt:$dtype),
    (outs ONNX_S<AllIR3>:$output), [Pure]> {
  let summary = "An empty sequence";
  let cost = "None";
}

def ONNX_SequenceAtOp : ONNX_Op<"SequenceAt", [11],
    (ins ONNX_S<AllIR3>:$input_sequence, ONNX_T<Int32s64s, "I">:$position),
    (outs ONNX_T<AllIR3>:$tensor), [Pure, ONNX_TakesHandles]> {
  let summary = "The tensor at a position";
  let cost = "None";
}

def ONNX_SequenceInsertOp : ONNX_Op<"SequenceInsert", [11],
    (ins ONNX_S<AllIR3>:$input_sequence, ONNX_T<AllIR3>:$tensor,
         ONNX_Opt<ONNX_T<Int32s64s, "I">>:$position),
    (outs ONNX_S<AllIR3>:$output_sequence), [Pure, ONNX_TakesHandles]> {
  let summary = "The sequence with a tensor inserted at a position";
  let cost = "None";
}

def ONNX_SequenceEraseOp : ONNX_Op<"SequenceErase", [11],
    (ins ONNX_S<AllIR3>:$input_sequence, ONNX_Opt<ONNX_T<Int32s64s, "I">>:$position),
    (outs ONNX_S<AllIR3>:$output_sequence), [Pure]> {
  let summary = "The sequence without the tensor at a position";
  let cost = "None";
}

def ONNX_SequenceLengthOp : ONNX_Op<"SequenceLength", [11],
    (ins ONNX_S<AllIR3>:$input_sequence),
    (outs ONNX_T<OnlyInt64, "I">:$length), [Pure]> {
  let summary = "Number of tensors";
  let cost = "None";
}

def ONNX_SplitToSequenceOp : ONNX_Op<"SplitToSequence", [11, 24],
    (ins ONNX_T<AllIR4>:$input, ONNX_Opt<ONNX_T<Int32s64s, "I">>:$split, IntOr<0>:$axis,
         Flag<1>:$keepdims),
    (outs ONNX_S<AllIR4>:$output_sequence), [Pure, ONNX_TakesHandles]> {
  let summary = "Cuts a tensor along an axis into a sequence";
  let cost = "None";
}

def ONNX_ConcatFromSequenceOp : ONNX_Op<"ConcatFromSequence", [11],
    (ins ONNX_S<AllIR3>:$input_sequence, I64Attr:$axis, Flag<0>:$new_axis),
    (outs ONNX_T<AllIR3>:$concat_result), [Pure, ONNX_TakesHandles]> {
  let summary = "Joins or stacks the tensors of a sequence";
  let cost = "None";
}

def ONNX_OptionalOp : ONNX_Op<"Optional", [15, 28],
    (ins ONNX_Opt<ONNX_Value<"V", All, All, ONNX_None, ONNX_None, []>>:$input,
         OptionalAttr<TypeAttr>:$type),
    (outs ONNX_Value<"O", ONNX_None, ONNX_None, All, All, []>:$output), [Pure, ONNX_TakesHandles]> {
  let summary = "An optional that holds a value, or is empty";
  let cost = "None";
}

def ONNX_OptionalGetElementOp : ONNX_Op<"OptionalGetElement", [15, 18, 28],
    (ins ONNX_Value<"O", All, All, All, All, []>:$input),
    (outs ONNX_Value<"V", All, All, ONNX_None, ONNX_None, []>:$output), [Pure, ONNX_TakesHandles]> {
  let summary = "The value that an optional holds";
  let cost = "None";
}

def ONNX_OptionalHasElementOp : ONNX_Op<"OptionalHasElement", [15, 18, 28],
    (ins ONNX_Opt<ONNX_Value<"O", All, All, All, All, []>>:$input),
    (outs ONNX_T<OnlyBool, "B">:$output), [Pure, ONNX_TakesHandles]> {
  let summary = "Whether an optional holds a value";
  let cost = "None";
}

#endif // ONNXC_DIALECT_ONNX_SEQUENCE
