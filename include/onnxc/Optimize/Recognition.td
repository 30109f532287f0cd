//===- Recognition.td - Rewrites that find an operator in its parts -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_RECOGNITION
#define ONNXC_OPTIMIZE_RECOGNITION

include "onnxc/Optimize/RewriteBase.td"

#endif // ONNXC_OPTIMIZE_RECOGNITION
