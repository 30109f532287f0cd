//===- Passes.td - Passes of the optimize stage ---------- -*- tablegen -*-===//
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

// The options of every rewrite are RewritePass's.
def OptimizeRewrites : PassBase<"onnx-optimize", "::onnxc::RewritePass"> {
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
    Option<"fixedPoint", "fixed-point", "bool", "false", "Repeat `passes` until nothing changes">
  ];
}

#endif // ONNXC_OPTIMIZE_PASSES
