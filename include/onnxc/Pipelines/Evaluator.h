//===- Evaluator.h - Constants are computed by compiled code -- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_EVALUATOR_H
#define ONNXC_PIPELINES_EVALUATOR_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace onnxc {

/// Gives the onnx dialect an EvaluatorInterface that compiles at -O0 and runs
/// the code in this process. Costs nothing until it is used.
void registerEvaluator(mlir::DialectRegistry &registry);

} // namespace onnxc

#endif // ONNXC_PIPELINES_EVALUATOR_H
