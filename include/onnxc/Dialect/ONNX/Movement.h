//===- Movement.h - The op classes of Movement.td ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_MOVEMENT_H
#define ONNXC_DIALECT_ONNX_MOVEMENT_H

#include "onnxc/Dialect/ONNX/OpSupport.h"

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Movement.h.inc"

#endif // ONNXC_DIALECT_ONNX_MOVEMENT_H
