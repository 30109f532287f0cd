//===- Passes.td - Passes of the upgrade stage ----------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_UPGRADE_PASSES
#define ONNXC_UPGRADE_PASSES

include "mlir/Pass/PassBase.td"

def SeparateDefaults : Pass<"onnx-separate-defaults", "::mlir::ModuleOp"> {
  let summary = "Makes two entry functions of a model with overridable initializers";
  let description = [{
    An argument with `onnx.default` is an initializer that the caller of the model
    may override. The entry is then made two functions. In the first one the
    defaults are constants and no arguments: it runs where nothing is overridden.
    The second one, marked `onnx.overridden`, has all arguments, those with a
    default last, and runs where any is; nothing in it follows from a default.
    The model's interface is that of the second one.
  }];
}

def KeepLastPosition : Pass<"onnx-keep-last-position", "::mlir::ModuleOp"> {
  let summary = "Gives one output for the last position of a sequence alone";
  let description = [{
    A decoder of a language model gives logits for all positions of a prompt, of which
    the next token needs the last one's. The output becomes a Slice of what it was: the
    last element of the last dimension but one, which is the sequence. Rewrites move it
    up through what computes positions on their own (`onnx-hoist-slices`). No sequence
    gives none. The output needs a declared rank of at least 2.
  }];
  let options = [
    Option<"output", "output", "std::string", [{""}], "The output's name">
  ];
}

def PairStates : Pass<"onnx-pair-states", "::mlir::ModuleOp"> {
  let summary = "Makes states of pairs of an output and an input";
  let description = [{
    A pair is an output whose value is that of the input in the next run. Both get
    out of the interface and live in the context: the arguments become inputs, states
    (with `onnx.state`), the results outputs, states. A pair is written `present=past`; a `*`
    in both stands for the same text in all pairs of that form, several correspond in
    their order. `auto` finds pairs by the names that exporters write, and by operators that
    have both (Attention, TensorScatter, a Concat with a cache). Unknown names, an
    input with a default value and a name in two pairs are errors; what a pair must be
    beside that is checked when types are known (`onnx-check-states`).
  }];
  let options = [
    ListOption<"pairs", "pairs", "std::string", "present=past, or auto">,
    Option<"capacity", "capacity", "int64_t", "0",
           "How long states may become; 0 for any length">
  ];
}

def UpgradeNodes : Pass<"onnx-upgrade", "::mlir::ModuleOp"> {
  let summary = "Brings older forms of operators to the newest";
  let description = [{
    Interprets the upgrade rules of the op records on each `onnx.node`, in order.
    Rules that depend on a rank or an element type use what the shape rules tell
    of the values before the node; where that is not enough, the rule is
    expressed by ops that compute at run time.

    Afterwards no `onnx.node` of a known domain is left. Operators that onnxc does
    not know are errors, all of them in one report.
  }];
  let options = [
    Option<"keepUnknown", "keep-unknown", "bool", "false",
           "Leave nodes of unknown operators and domains as they are">
  ];
}

def UpgradeReversibly : Pass<"onnx-upgrade-reversibly", "::mlir::ModuleOp"> {
  let summary = "Brings those older forms to the newest that have a way back";
  let description = [{
    As onnx-upgrade, for a model that is written back at its own opset: a node
    that onnx-downgrade could not give back its form stays an `onnx.node`, and so
    do contrib operators and operators that onnxc does not know.
  }];
}

#endif // ONNXC_UPGRADE_PASSES
