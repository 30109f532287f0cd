//===- RecurrentActivations.h - Functions of RNN, GRU, LSTM -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_RECURRENTACTIVATIONS_H
#define ONNXC_LIB_LOWER_RECURRENTACTIVATIONS_H

#include "Lowering.h"

namespace onnxc {

/// A function that `activations` may name, with what alpha and beta are if the
/// node does not say; functions without a parameter take none from its lists.
struct ActivationKind {
  llvm::StringLiteral name;
  std::optional<double> alpha, beta;
  mlir::Value (*build)(ScalarBuilder &s, mlir::Value x, double alpha,
                       double beta);
};

/// All functions that ONNX names.
llvm::ArrayRef<ActivationKind> getActivationKinds();

struct Activation {
  const ActivationKind *kind;
  double alpha, beta;

  mlir::Value operator()(ScalarBuilder &s, mlir::Value x) const {
    return kind->build(s, x, alpha, beta);
  }
};

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_RECURRENTACTIVATIONS_H
