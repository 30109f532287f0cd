//===- Passes.td - Passes of the upgrade stage -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_UPGRADE_PASSES
#define ONNXC_UPGRADE_PASSES

include "mlir/Pass/PassBase.td"

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
  let statistics = [
    Statistic<"numUpgraded", "upgraded", "Nodes brought to the newest form">
  ];
}

#endif // ONNXC_UPGRADE_PASSES
