//===- Folding.td - Constants, equal and dead things, control flow --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_FOLDING
#define ONNXC_OPTIMIZE_FOLDING

include "onnxc/Optimize/RewriteBase.td"

def ConstantFold
    : Rewrite<101, "constant_fold", Other, Complete, Compute, Graph, BitExact, Clean> {
  let summary = "Ops whose operands are constants: what the compiler computes for them at -O0";
  let description = [{
    Every deterministic operator, in all graphs: also those that give strings, that
    have graphs, and those whose results have shapes that depend on data. Sequences
    and optionals between them do not matter. Not: results that take more bytes than
    the operands do and than `fold-budget`, what fails or takes long, integers
    divided by zero, numbers cast to an integer type that does not hold them, and
    DequantizeLinear.
  }];
}

def EliminateCommonSubexpression
    : Rewrite<38, "eliminate_common_subexpression", Nop, Complete, Compute, Graph, BitExact, Share> {
  let summary = "Of equal nodes the first";
  let description = [{
    Equal are nodes of the same operator with the same operands, in any order where
    that does not matter, and the same attributes, bit by bit; an attribute that is
    absent is its default. Also nodes in graphs and what is around these. Nodes with
    graphs, and those that draw random numbers, are never equal.
  }];
}

def EliminateDuplicateInitializer
    : Rewrite<46, "eliminate_duplicate_initializer", Nop, Complete, Memory, Graph, BitExact, Share> {
  let summary = "Of constants that are equal bit by bit the first";
  let description = [{
    In all graphs: one that is used in several is moved out of them. With
    `upstream-compatible`, initializers of the outermost graph only.
  }];
}

def ControlFlowFold
    : Rewrite<103, "control_flow_fold", Other, Partial, Compute, Predicate, BitExact, Clean> {
  let summary = "If with a known condition, loops that run a known number of times, what need not be in a loop";
  let description = [{
    The branch that is taken stands for its If; a Loop's body, as often as it runs,
    for the Loop, unless that makes more nodes than `unroll-budget`; the body of a
    Scan over one element for the Scan. Nodes that are the same in all iterations go
    before the loop: those that may fail only if the loop is known to run. Values
    that a loop carries and never changes are read from outside, and outputs that
    has no uses go.
  }];
}

def SequenceOptionalElim
    : Rewrite<104, "sequence_optional_elim", Other, Partial, Compute, Predicate, BitExact, Clean> {
  let summary = "Sequences and optionals of which it is known what they hold";
  let description = [{
    Elements of sequences that are constructed, or made by inserting and erasing at
    known positions, or by splitting a tensor of known extent, and their numbers;
    ConcatFromSequence of such elements as Concat, and along a new axis of elements
    that a Loop appends, one in each iteration, as an output of the Loop; what an
    optional holds, and whether it does.
  }];
}

def DropUnusedOutputs
    : Rewrite<105, "drop_unused_outputs", Other, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "Optional outputs without uses; a Split of which one part is used is a Slice";
}

def InlineFunctions
    : Rewrite<106, "inline_functions", Other, Complete, NoGain, Graph, BitExact, ByName> {
  let summary = "Bodies of the model's functions where they are called";
}

def ShareFunctions
    : Rewrite<107, "share_functions", Other, Complete, Memory, Graph, BitExact, Share> {
  let summary = "Of functions of the model with equal bodies the first";
}

def ShapeFold
    : Rewrite<102, "shape_fold", Other, Complete, Compute, Graph, BitExact, Clean> {
  let summary = "Shape computations of which enough is known";
  let description = [{
    Integers that follow from known dims are constants. Where a Reshape's shape
    has dims of the data in their places these become 0, and one other that is not
    known -1, if it is determined then; in an Expand, 1; as the end of a Slice, the
    greatest number. Shape is taken of the first tensor that has the shape.
  }];
}

def DecomposeFunctions
    : Rewrite<119, "decompose_functions", Replace, Complete, NoGain, Predicate, Rounding, ByName> {
  let summary = "Operators that ONNX defines by function bodies: the operators of these";
  let description = [{
    What is a function in a body is decomposed at once. Of element types, opsets and
    ranks that the body does not exist for, or that are not known, an operator stays.
    Sums of halves are made in float; Softplus, ReduceLogSumExp and variances have
    the form that neither overflows nor cancels. Not decomposed: AffineGrid,
    CausalConvWithState, LinearAttention, Range and SequenceMap; Attention with
    windows, lengths of keys, its masked scores as output, or a mask that is not known to be as long as the keys;
    Shrink of integers; reductions that may reduce no axis;
    ReduceLogSumExp of axes that are not constant.
  }];
}

#endif // ONNXC_OPTIMIZE_FOLDING
