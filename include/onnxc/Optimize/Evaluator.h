//===- Evaluator.h - Computing constants with compiled code -----*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_EVALUATOR_H
#define ONNXC_OPTIMIZE_EVALUATOR_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectInterface.h"

namespace onnxc {

/// Runs ops of the onnx dialect on constants. What implements it is a compiler,
/// which this library does not know: it is registered with the dialect by
/// whoever has one (lib/Pipelines).
class EvaluatorInterface
    : public mlir::DialectInterface::Base<EvaluatorInterface> {
public:
  explicit EvaluatorInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// The results of `function`, a func.func without arguments whose body has
  /// onnx ops and their constants, as -O0 computes them: one for each result.
  /// Fails, and says nothing, if it cannot be compiled or a run reports an
  /// error.
  virtual llvm::FailureOr<llvm::SmallVector<mlir::ElementsAttr>>
  evaluate(mlir::Operation *function) const = 0;

  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EvaluatorInterface)
};

} // namespace onnxc

#endif // ONNXC_OPTIMIZE_EVALUATOR_H
