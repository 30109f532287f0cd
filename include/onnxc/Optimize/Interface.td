//===- Interface.td - Rewrites of what a model shows to its callers -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_INTERFACE
#define ONNXC_OPTIMIZE_INTERFACE

include "onnxc/Optimize/RewriteBase.td"

def AdjustAdd
    : Rewrite<1, "adjust_add", Immutable, Complete, Compute, Predicate, BitExact, ByName> {
  let summary = "Operands of Add, Mul and the like change places: constants come last";
}

def RenameInputOutput
    : Rewrite<2, "rename_input_output", Other, Complete, NoGain, Graph, BitExact, ByName> {
  let summary = "Inputs and outputs are named by position";
  let description = [{
    The environment variables OPTIMIZER_RENAME_INPUT_PATTERN ("input_%d") and
    OPTIMIZER_RENAME_OUTPUT_PATTERN ("output_%d") say how. Inputs that have a default
    keep their names, and count.
  }];
}

def SetUniqueNameForNodes
    : Rewrite<3, "set_unique_name_for_nodes", Other, Complete, NoGain, Graph, BitExact, ByName> {
  let summary = "Nodes without a name get one that nothing else has";
}

def NopRewrite : Rewrite<4, "nop", Nop, Complete, NoGain, Graph, BitExact, ByName> {
  let summary = "Nothing: the model goes in and out";
}

def LiftLexicalReferences
    : Rewrite<32, "lift_lexical_references", Separate, Complete, Memory, Graph, BitExact, ByName> {
  let summary = "Lists what the graphs of Loop and If capture in an attribute, __control_inputs";
}

def SplitInit : Rewrite<33, "split_init", Separate, Complete, Memory, Graph, BitExact, ByName> {
  let summary = "Keeps what can be computed once, without inputs";
}

def SplitPredict : Rewrite<34, "split_predict", Separate, Complete, Memory, Graph, BitExact, ByName> {
  let summary = "Keeps what depends on inputs or on random numbers; the rest becomes inputs";
}

def AdjustSliceAndMatmul
    : Rewrite<47, "adjust_slice_and_matmul", Replace, Complete, Compute, Predicate, Rounding, ByName> {
  let summary = "Constants are multiplied before they are sliced, so that the product folds";
}

def RewriteInputDtype
    : Rewrite<48, "rewrite_input_dtype", Other, Complete, NoGain, Graph, BitExact, ByName> {
  let summary = "Inputs of int64 become int32, with a Cast";
  let description = "The caller answers for the values to fit. An input that is an output at once stays.";
}

def RewriteWhere
    : Rewrite<49, "rewrite_where", Nop, Partial, Compute, Predicate, BitExact, Clean> {
  let summary = "Where(Not(c), x, y) is Where(c, y, x)";
}

#endif // ONNXC_OPTIMIZE_INTERFACE
