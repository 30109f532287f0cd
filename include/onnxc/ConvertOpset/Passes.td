//===- Passes.td - Passes that change a model's opsets ---- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_CONVERTOPSET_PASSES
#define ONNXC_CONVERTOPSET_PASSES

include "mlir/Pass/PassBase.td"

def DowngradeNodes : Pass<"onnx-downgrade", "::mlir::ModuleOp"> {
  let summary = "Brings ops to the form that the model's opset has";
  let description = [{
    Reads the upgrade rules backwards: an op whose newest form the model's opset
    (`onnx.opset_imports`, of the model or of the function) does not have becomes
    an `onnx.node` of the version in force there. A constant input becomes the
    attribute again, a default that the node did not state is dropped. What has no
    older form is an error. The inverse of `onnx-upgrade-reversibly`; runs before
    a module is exported.

    With `raise-opset`, what has no form at the model's opset makes the model's
    opset the least one where everything has, and its IR version the one that came
    with that opset, if it is below it.
  }];
  let options = [
    Option<"raiseOpset", "raise-opset", "bool", "false",
           "Raise the model's opset where an op needs a newer one">,
    Option<"convert", "convert", "bool", "false",
           "After onnx-set-opset: hold every op against the schema of the version that "
           "is in force, whatever the model's own nodes were">
  ];
}

def SetOpset : Pass<"onnx-set-opset", "::mlir::ModuleOp"> {
  let summary = "Changes the opsets that the model imports";
  let description = [{
    Of the model, and of its functions where they have operators that are of another
    version then; the IR version becomes the one that came with the opset, or a newer one if
    the model has something of that.
    The ops stay as they are: `onnx-convert-nodes` and `onnx-downgrade{convert}`,
    with types inferred between them, bring them to the new opset.
  }];
  let options = [
    ListOption<"opsets", "opsets", "std::string",
               "17 for the default domain, ai.onnx.ml=3 for another">
  ];
}

def ConvertNodes : Pass<"onnx-convert-nodes", "::mlir::ModuleOp"> {
  let summary = "Brings nodes to the form that is in force at the new opset";
  let description = [{
    After onnx-set-opset. Takes of each older node the steps of its upgrade rule up
    to the version that is in force; where the way does not lead over that, the node
    gets its newest form, of which onnx-downgrade makes the older one. Nodes of
    unknown operators and domains stay.
  }];
}

def RaiseIRVersion : Pass<"onnx-raise-ir-version", "::mlir::ModuleOp"> {
  let summary = "Raises the IR version of the model to a least one";
  let description = [{
    For what the model has got that its IR version does not allow: initializers
    that are not inputs came with version 4.
  }];
  let options = [
    Option<"least", "least", "int64_t", "4", "The version that the model has at least then">
  ];
}

#endif // ONNXC_CONVERTOPSET_PASSES
