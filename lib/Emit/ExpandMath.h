//===- ExpandMath.h - Math functions as arithmetic ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_EXPANDMATH_H
#define ONNXC_LIB_EMIT_EXPANDMATH_H

#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// Patterns that replace exp, sin, cos, powf and remf of f32, scalars and
/// vectors, by arithmetic. docs/math.md tells how exact they are.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns,
                                TargetAttr target);

/// The same of acos, asin and atan.
void populateExpandArcPatterns(mlir::RewritePatternSet &patterns);

/// Patterns that divide vectors of integers by floats, exactly.
void populateExpandQuotientPatterns(mlir::RewritePatternSet &patterns,
                                    TargetAttr target);

/// Patterns that replace sigmoid, softplus and its tanh, while exp and log are
/// ops. Where the target estimates inverses, without a division.
void populateExpandActivationPatterns(mlir::RewritePatternSet &patterns,
                                      TargetAttr target);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_EXPANDMATH_H
