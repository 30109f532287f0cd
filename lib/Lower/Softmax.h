//===- Softmax.h - Softmax as other families use it ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_SOFTMAX_H
#define ONNXC_LIB_LOWER_SOFTMAX_H

#include "Lowering.h"

namespace onnxc {

/// Each step is rounded to the element type, as ONNX defines it. Of nothing but
/// -inf it is NaN, or 0 if `emptyIsZero`.
mlir::Value softmax(Lowering &l, mlir::Value x, int64_t axis,
                    bool emptyIsZero = false);

/// The same for a reader that computes with float32: of 16-bit floats the
/// result is float32, with the values that they have, as is what lies between,
/// so that all of it fits the place of one row.
mlir::Value softmaxInPlace(Lowering &l, mlir::Value x, int64_t axis,
                           bool emptyIsZero);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_SOFTMAX_H
