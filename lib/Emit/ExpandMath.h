//===- ExpandMath.h - Math functions as arithmetic --------------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_EXPANDMATH_H
#define ONNXC_LIB_EMIT_EXPANDMATH_H

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// Patterns that replace exp, sin, cos and powf of f32, scalars and vectors, by
/// arithmetic. docs/math.md tells how exact they are.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns);

/// Patterns that replace sigmoid and tanh of softplus, while exp and log are
/// ops. With `estimates`, the target has AVX-512's estimate of an inverse.
void populateExpandActivationPatterns(mlir::RewritePatternSet &patterns,
                                      bool estimates);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_EXPANDMATH_H
