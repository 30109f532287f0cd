//===- Passes.td - Passes of the infer stage ------------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_INFER_PASSES
#define ONNXC_INFER_PASSES

include "mlir/Pass/PassBase.td"

def InferShapes : Pass<"onnx-infer-shapes", "::mlir::ModuleOp"> {
  let summary = "Refines the types of all values by the ops' shape rules";
  let description = [{
    Runs the shape rule of every op, in order and into subgraphs, to a fixed
    point, and joins its results with the declared types. Arguments of Loop,
    Scan and SequenceMap bodies follow from the operands: what is carried is of
    the type that holds before the first and after every iteration. A branch whose
    condition is known takes the place of its If. Where the branches of an If are of
    different ranks, what must know the rank moves into them. What is left open
    follows from uses, where only one rank or size fits. A contradiction between
    what is declared and what is inferred, or a violated rule, is an error that
    names the node; where a run may not come to the node, a warning, and an
    `onnx.fault` takes its place. Function signatures follow their bodies.
  }];
  let options = [
    Option<"fold", "fold", "bool", "true",
           "Replace shape computations whose value is known by constants">,
    Option<"branch", "branch", "bool", "false",
           "Where a rank follows from the length of a list that only the run "
           "gives, make a branch for each length">,
    Option<"lenient", "lenient", "bool", "false",
           "Only results get types, by rules alone: no error where a rule is "
           "violated, and its results count where the model declares another "
           "type. Implies no folding">,
    Option<"report", "report", "bool", "false",
           "Also where `lenient`: a rule that is violated where every run comes "
           "to the node is an error">
  ];
}

def ForgetCarriedSizes : Pass<"onnx-forget-carried-sizes", "::mlir::ModuleOp"> {
  let summary = "Forgets sizes that a model declares of values in loops";
  let description = [{
    What a Loop, Scan or SequenceMap carries and yields, what an If yields, and
    what is computed from either, may have other sizes than those that the exporter
    saw when it traced the model. Declared sizes of such values become unknown;
    `onnx-infer-shapes` finds those that always hold. Ranks, element types, the
    outputs of the model and the length of a list that depends on an If alone stay as
    they are declared. To be run before anything is inferred, and again where calls
    were inlined since.
  }];
}

def ForgetExampleSizes : Pass<"onnx-forget-example-sizes", "::mlir::ModuleOp"> {
  let summary = "Forgets declared sizes that the open sizes of inputs contradict";
  let description = [{
    Exporters declare sizes that a result had in the run that they traced, also
    where inputs of other sizes are allowed. On a copy of the graph the open sizes
    of inputs are numbers, those with one name the same, and shape rules alone give
    the sizes of results. Where a result then has another size than is declared, the
    size becomes unknown, also that of an output. What the rules cannot say is as declared.
    Bodies of loops are left to `onnx-forget-carried-sizes`.
  }];
}

def CheckSizeSums : Pass<"onnx-check-size-sums", "::mlir::ModuleOp"> {
  let summary = "Checks inputs whose sizes torch.export has named by sums";
  let description = [{
    torch.export names an open size `s31`, and one that it has proven to be a sum of others `s31 + s70`: the length of
    a mask is that of the cache and of the new tokens. An input with such a size is reshaped to the sum, which fails
    if it has another size, and tells what follows the size. Names of other forms are not taken for sums.
  }];
}

def DensifyConstants : Pass<"onnx-densify-constants", "::mlir::ModuleOp"> {
  let summary = "Makes sparse constants dense";
  let description = [{
    A Constant of a `sparse_value` gets a `value` with zeros (empty strings)
    wherever the former tells none. No kernel computes with sparse tensors, and
    readers of constants handle one form only. What would take more than
    4 GiB, or has indices out of range, is an error that names the node.
  }];
}

def SpecializeInputs : Pass<"onnx-specialize-inputs", "::mlir::ModuleOp"> {
  let summary = "Gives inputs of the model the shapes that the user states";
  let description = [{
    What is stated is joined with what the model declares, which it must not
    contradict; an input that has no rank gets one. Where a dimension with a name
    (dim_param) is stated, by an input or by itself, all dimensions of that name are.
  }];
  let options = [
    ListOption<"shapes", "shapes", "std::string",
               "Name and sizes of an input, ? where they stay open: x:1x3x?x?">,
    ListOption<"dims", "dims", "std::string",
               "Name and size of a dimension: seq=128">
  ];
}

def DeclareShapes : Pass<"onnx-declare-shapes", "::mlir::ModuleOp"> {
  let summary = "Makes the types that are known of inputs and outputs the model's";
  let description = [{
    After `onnx-specialize-inputs` and inference, where the module becomes a model
    again: what it declares of an input or output is the type that it has now.
  }];
}

def LoosenOverridden : Pass<"onnx-loosen-overridden", "::mlir::ModuleOp"> {
  let summary = "Gives up declared sizes that follow from what a caller overrides";
  let description = [{
    In the entry marked `onnx.overridden`: what a model declares of the sizes of
    values was written with the defaults of its initializers in mind. Of each value
    that depends on an argument with a default the sizes are left open, and the rank
    is kept; inference finds those that follow from the arguments' own types.
  }];
}

def SpecializeSizes : Pass<"onnx-specialize-sizes", "::mlir::ModuleOp"> {
  let summary = "Adds code for likely sizes of the inputs' named dimensions";
  let description = [{
    The body of the model becomes branches: one for each likely combination of
    sizes, in which they are known and all that follows from them folds, and
    the one for any sizes. Which one runs is decided by the inputs' sizes at the start.
    Of a range, likely sizes are its ends and, if it is the only one, a quarter and half of the upper end.
    Constants are shared by the branches. Without ranges, `batch-of-one` gives a small model a branch for one item.
  }];
  let options = [
    ListOption<"ranges", "ranges", "std::string",
               "Name of a dimension and its range, ends included: seq=1..512">,
    Option<"batchOfOne", "batch-of-one", "bool", "false",
           "Where there are no ranges: code for one item, if the model is small">
  ];
}

def FoldShapes : Pass<"onnx-fold-shapes", "::mlir::ModuleOp"> {
  let summary = "Replaces shape computations whose value is known by constants";
  let description = [{
    An op with one small integer or bool result of rank 0 or 1 becomes an
    onnx.Constant if every element is known through ShapeBuilder::value: the
    Shape of static dims, Gather of it, Concat of such, arithmetic on them.
  }];
}

def ExpandFlexAttention : Pass<"onnx-expand-flex-attention", "::mlir::ModuleOp"> {
  let summary = "Writes FlexAttention as products and a softmax around its subgraphs";
  let description = [{
    The subgraphs then stand in the graph itself: their inputs are the scores and
    the probabilities, and inference and lowering know nothing of them. Heads in
    groups become a dimension that multiplication broadcasts.
  }];
}

def SpecializeLengths : Pass<"onnx-specialize-lengths", "::mlir::ModuleOp"> {
  let summary = "Gives ops with shape operands of unknown length a form for each length";
  let description = [{
    Rules and lowerings read shape operands (the shape of Expand, starts and ends
    of Slice, axes of reductions) value by value, and need their number. Where only
    the run time knows it, but the rank of the result is known, few numbers are
    possible: those for which the op's rule holds. If it is one, an onnx.Identity
    states it (and checks it when run); else the op is repeated under an onnx.If for
    each.
  }];
}

def NormalizeAttributes : Pass<"onnx-normalize-attributes", "::mlir::ModuleOp"> {
  let summary = "Gives attributes the one form that lowerings rely on";
  let description = [{
    Where the rank of the input is known, afterwards:
      * `axis` is present and not negative;
      * Transpose has `perm`;
      * convolutions and pools have `kernel_shape` (convolutions: where the
        weights' dims are known), `strides`, `dilations` and `pads`;
      * `auto_pad` is NOTSET, except SAME_* over a dynamic spatial dimension
        (Window::padding computes those at run time; `pads` are then 0).
  }];
}

def VerifyInferred : Pass<"onnx-verify-inferred", "::mlir::ModuleOp"> {
  let summary = "Checks the contract of the infer stage";
  let description = [{
    Every value has a type, and every tensor a rank that some op must know; those
    that only pass through sequences, optionals and subgraphs, or are asked for
    their shape, need none. What the model does not determine is an error that
    names the node.
  }];
}

def PulseStreams : Pass<"onnx-pulse-streams", "::mlir::ModuleOp"> {
  let summary = "Makes a step over pulses of a model over a sequence";
  let description = [{
    The model's inputs have a dimension along which a sequence of any length lies. Afterwards they
    have a part of it, a pulse, and the outputs the part that follows from all pulses
    up to now. What operators need of earlier pulses are states of the context
    (`onnx.state`): rows that windows reach back to, sums of transposed
    convolutions, the values that recurrences carry. Pulses of an output behind each other are the
    output for the whole sequence, behind a number of positions that mean nothing, its
    delay (`onnx.pulse`, an `#onnxc.pulse`). The model
    must be inferred, and its sequence open. Operators that need the whole sequence
    are errors that name the node; so are pulses that strides do not divide.
  }];
  let options = [
    ListOption<"pulses", "pulses", "std::string",
               "Name of a dimension, or input:axis, and positions: time=160">
  ];
  let dependentDialects = ["::onnxc::ProgramDialect"];
}

def CheckStates : Pass<"onnx-check-states", "::mlir::ModuleOp"> {
  let summary = "Checks that states can live in a context, and finds how they grow";
  let description = [{
    The argument and the result of a state must have one element type and rank, and
    sizes that agree. Each size of the argument is fixed, or has the name of a
    dimension of an input, or is that in which the state grows from 0 on, of which
    there is one at most: `onnx.state_axis` says which. Everything else is an error
    that names the pair.
  }];
}

def CheckDivisors : Pass<"onnx-check-divisors", "::mlir::ModuleOp"> {
  let summary = "Refuses integer divisions by constants that hold 0";
  let description = [{
    ONNX does not define the quotient and the remainder of integers by 0. A Div or
    Mod whose divisor is a constant of the model with such an element is a mistake of
    its author and an error that names the node. It runs ahead of all folding: what a divisor
    that is computed gives does not depend on how much of it is known.
  }];
}

def CheckSizes : Pass<"onnx-check-sizes", "::mlir::ModuleOp"> {
  let summary = "Refuses tensors that no machine holds";
  let description = [{
    A few bytes of a model can ask for any number of elements: a tensor whose known
    dimensions alone take more than `max-bytes` is an error that names the node.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"int64_t(1) << 35",
           "The most bytes that one tensor may take">
  ];
}

#endif // ONNXC_INFER_PASSES
