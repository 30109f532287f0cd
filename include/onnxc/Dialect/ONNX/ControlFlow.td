//===- ControlFlow.td - Ops with subgraphs --------------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_CONTROLFLOW
#define ONNXC_DIALECT_ONNX_CONTROLFLOW

include "onnxc/Dialect/ONNX/ONNXBase.td"

// What subgraphs pass on: tensors, sequences, and optionals of both.
def ONNX_AnyValue : ONNX_Value<"", AllIR13, AllIR13, AllIR13, AllIR4, []>;

// What the operands and, in later iterations, the results of the body tell of each
// argument of the body; null where that is nothing. Without `later`, only what
// enters the first iteration counts.
defvar ONNX_BodyArgumentTypes = [{
    ::llvm::SmallVector<::mlir::Type> getBodyArgumentTypes(bool later = true);
}];

def ONNX_IfOp : ONNX_Op<"If", [1, 11, 13, 16, 19, 21, 23, 24, 25],
    (ins ONNX_T<OnlyBool, "B">:$cond),
    (outs ONNX_Many<ONNX_AnyValue>:$outputs),
    [RecursiveMemoryEffects, ONNX_TakesHandles]> {
  let summary = "One of two subgraphs, by a condition";
  let cost = "None";
  let regions = (region SizedRegion<1>:$then_branch, SizedRegion<1>:$else_branch);
  let regionNames = ["then_branch", "else_branch"];
  let moreDeclarations = [{
    // The branch that is taken, if the condition is known.
    ::mlir::Region *getKnownBranch();
  }];
}

def ONNX_LoopOp : ONNX_Op<"Loop", [1, 11, 13, 16, 19, 21, 23, 24, 25],
    (ins ONNX_Opt<ONNX_T<OnlyInt64, "I">>:$M, ONNX_Opt<ONNX_T<OnlyBool, "B">>:$cond,
         ONNX_Many<ONNX_AnyValue>:$v_initial),
    (outs ONNX_Many<ONNX_AnyValue>:$v_final_and_scan_outputs),
    [RecursiveMemoryEffects, ONNX_RepeatsBody, ONNX_TakesHandles]> {
  let summary = "Repeats a subgraph, with carried values, a count and a condition";
  let cost = "None";
  let regions = (region SizedRegion<1>:$body);
  let regionNames = ["body"];
  let moreDeclarations = ONNX_BodyArgumentTypes;
}

def ONNX_ScanOp : ONNX_Op<"Scan", [9, 11, 16, 19, 21, 23, 24, 25],
    (ins ONNX_Many<ONNX_T<AllIR13, "">>:$initial_state_and_scan_inputs, I64Attr:$num_scan_inputs,
         OptInts:$scan_input_axes, OptInts:$scan_input_directions, OptInts:$scan_output_axes,
         OptInts:$scan_output_directions),
    (outs ONNX_Many<ONNX_T<AllIR13, "">>:$final_state_and_scan_outputs),
    [RecursiveMemoryEffects, ONNX_RepeatsBody]> {
  let summary = "Runs a subgraph along an axis of tensors, with carried states";
  let cost = "None";
  let regions = (region SizedRegion<1>:$body);
  let regionNames = ["body"];
  let upgrades = [[{ {"Scan", 8, {custom("scanOverBatch")}} }]];
  let moreDeclarations = ONNX_BodyArgumentTypes;
}

def ONNX_SequenceMapOp : ONNX_Op<"SequenceMap", [17],
    (ins ONNX_S<AllIR3>:$input_sequence,
         ONNX_Many<ONNX_Value<"", AllIR3, AllIR3, ONNX_None, ONNX_None, []>>:$additional_inputs),
    (outs ONNX_Many<ONNX_S<AllIR3, "">>:$out_sequence),
    [RecursiveMemoryEffects, ONNX_RepeatsBody, ONNX_TakesHandles]> {
  let summary = "Applies a subgraph to each element of sequences";
  let cost = "None";
  let regions = (region SizedRegion<1>:$body);
  let regionNames = ["body"];
  let moreDeclarations = ONNX_BodyArgumentTypes;
}

def ONNX_FaultOp : Op<ONNX_Dialect, "fault"> {
  let summary = "An error of the run, in place of a node that cannot be right";
  let description = [{
    The infer stage makes it of a node that violates its operator's rule where a
    run may not come to it: in a branch of an If, or in a body that may be run no
    times. A run that does come to it ends with `message`, which names the node.
    Nothing follows it in its subgraph but the terminator; the results stand for
    values that no run computes.
  }];
  let arguments = (ins StrAttr:$message);
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = "$message attr-dict (`:` type($values)^)?";
}

#endif // ONNXC_DIALECT_ONNX_CONTROLFLOW
