//===- Trigonometry.h - The op classes of Trigonometry.td ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_TRIGONOMETRY_H
#define ONNXC_DIALECT_ONNX_TRIGONOMETRY_H

#include "onnxc/Dialect/ONNX/OpSupport.h"

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Trigonometry.h.inc"

#endif // ONNXC_DIALECT_ONNX_TRIGONOMETRY_H
