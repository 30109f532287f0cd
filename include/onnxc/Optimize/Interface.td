//===- Interface.td - Rewrites of what a model shows to its callers -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_INTERFACE
#define ONNXC_OPTIMIZE_INTERFACE

include "onnxc/Optimize/RewriteBase.td"

#endif // ONNXC_OPTIMIZE_INTERFACE
