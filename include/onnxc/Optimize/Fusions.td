//===- Fusions.td - Rewrites that make one op of several ---*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_FUSIONS
#define ONNXC_OPTIMIZE_FUSIONS

include "onnxc/Optimize/RewriteBase.td"

#endif // ONNXC_OPTIMIZE_FUSIONS
