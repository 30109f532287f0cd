//===- Eliminations.td - Rewrites that remove what does nothing -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_ELIMINATIONS
#define ONNXC_OPTIMIZE_ELIMINATIONS

include "onnxc/Optimize/RewriteBase.td"

def EliminateIdentity
    : Rewrite<42, "eliminate_identity", Nop, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "Identity: its input takes its place";
}

#endif // ONNXC_OPTIMIZE_ELIMINATIONS
