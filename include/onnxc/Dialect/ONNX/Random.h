//===- Random.h - The op classes of Random.td ----------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_RANDOM_H
#define ONNXC_DIALECT_ONNX_RANDOM_H

#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/IR/PatternMatch.h"

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Random.h.inc"

#endif // ONNXC_DIALECT_ONNX_RANDOM_H
