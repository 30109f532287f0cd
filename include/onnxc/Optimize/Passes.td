//===- Passes.td - Passes of the optimize stage ------------*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_PASSES
#define ONNXC_OPTIMIZE_PASSES

include "onnxc/Optimize/RewriteBase.td"

// The rewrites, by what they are about.
include "onnxc/Optimize/Eliminations.td"
include "onnxc/Optimize/Folding.td"
include "onnxc/Optimize/Fusions.td"
include "onnxc/Optimize/Interface.td"
include "onnxc/Optimize/Layout.td"
include "onnxc/Optimize/Quantization.td"
include "onnxc/Optimize/Recognition.td"
include "onnxc/Optimize/Simplifications.td"

def OptimizeRewrites : Pass<"onnx-optimize", "::mlir::ModuleOp"> {
  let summary = "Runs rewrites by the names they have in onnx-optimizer";
  let description = [{
    Without `passes`, the default pipeline: the groups of rewrites one after the
    other, each to a fixed point, until nothing changes. With `passes`, these, in
    the order given, each looking once at every operation; with `fixed-point` again
    and again until none of them finds anything.
  }];
  let options = [
    ListOption<"passes", "passes", "std::string", "Names of rewrites: fuse_bn_into_conv">,
    ListOption<"disabled", "disable", "std::string",
               "Rewrites that the default pipeline leaves out">,
    Option<"fixedPoint", "fixed-point", "bool", "false", "Repeat `passes` until nothing changes">,
    Option<"noSignedZeros", "nsz", "bool", "true", "The sign of a zero does not matter">,
    Option<"noNaNs", "nnan", "bool", "false", "No value is NaN">,
    Option<"noInfinities", "ninf", "bool", "false", "No value is infinite">,
    Option<"assumeStrictlyMonotone", "assume-strictly-monotone", "bool", "false",
           "Monotone functions keep what is different apart">,
    Option<"upstreamCompatible", "upstream-compatible", "bool", "false",
           "Write what onnx-optimizer would write: no more than its forms">,
    Option<"keepOpset", "keep-opset", "bool", "true",
           "Only make operators that exist in the opset that the model imports">,
    Option<"foldBudget", "fold-budget", "int64_t", "4 << 20",
           "The most bytes that a folded constant may take, if its operands take less">,
    Option<"unrollBudget", "unroll-budget", "int64_t", "256",
           "The most operations that an unrolled loop may become">
  ];
}

#endif // ONNXC_OPTIMIZE_PASSES
