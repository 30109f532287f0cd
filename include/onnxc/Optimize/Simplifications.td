//===- Simplifications.td - Rewrites to fewer and cheaper ops -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_SIMPLIFICATIONS
#define ONNXC_OPTIMIZE_SIMPLIFICATIONS

include "onnxc/Optimize/RewriteBase.td"

def CastlikeToCast
    : Rewrite<121, "castlike_to_cast", Replace, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "CastLike is a Cast to the type that is known by then";
}

#endif // ONNXC_OPTIMIZE_SIMPLIFICATIONS
