//===- Evaluator.h - Computing constants with compiled code --- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_EVALUATOR_H
#define ONNXC_OPTIMIZE_EVALUATOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectInterface.h"

#include <memory>
#include <string>
#include <vector>

namespace onnxc {

/// A tensor in memory: dense, row-major, a byte for each element of less than
/// that.
struct TensorValue {
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
  /// What keeps `bytes`, if the value does.
  std::shared_ptr<std::vector<char>> owned;
  /// The elements in place of bytes, of strings.
  std::vector<std::string> texts;
};

/// Runs ops of the onnx dialect on constants. What implements it is a compiler,
/// which this library does not know: it is registered with the dialect by
/// a library that has one (lib/Pipelines).
class EvaluatorInterface
    : public mlir::DialectInterface::Base<EvaluatorInterface> {
public:
  explicit EvaluatorInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// A piece of code, and a key that only pieces that are equal to it have.
  struct Kernel {
    std::string key;
    /// A func.func with onnx ops; arguments and results are ranked tensors,
    /// arguments static and not of strings.
    mlir::Operation *function;
  };

  /// Whether the kernel was compiled, successfully or not.
  virtual bool isKnown(llvm::StringRef key) const = 0;

  /// Compiles kernels, as -O0 does; those that cannot be are known not to be.
  /// The functions may be erased afterwards.
  virtual void compile(llvm::ArrayRef<Kernel> kernels) const = 0;

  /// The results of a kernel. Fails, and says nothing, if it could not be
  /// compiled or the run reports an error.
  virtual llvm::FailureOr<std::vector<TensorValue>>
  run(llvm::StringRef key, llvm::ArrayRef<TensorValue> arguments) const = 0;

  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EvaluatorInterface)
};

} // namespace onnxc

#endif // ONNXC_OPTIMIZE_EVALUATOR_H
