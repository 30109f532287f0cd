//===- Folding.td - Constants, equal and dead things, control flow -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_FOLDING
#define ONNXC_OPTIMIZE_FOLDING

include "onnxc/Optimize/RewriteBase.td"

#endif // ONNXC_OPTIMIZE_FOLDING
