//===- Math.td - Arithmetic, elementwise -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_MATH
#define ONNXC_DIALECT_ONNX_MATH

include "onnxc/Dialect/ONNX/ONNXBase.td"

// (records: elementwise arithmetic)

#endif // ONNXC_DIALECT_ONNX_MATH
