//===- Canonicalization.h - Who canonicalizes the dialect ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_CANONICALIZATION_H
#define ONNXC_DIALECT_ONNX_CANONICALIZATION_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// The patterns that `--canonicalize` applies to the dialect. They are rewrites
/// of lib/Optimize, which the dialect does not know: it is registered with the
/// dialect by the programs that link that library.
class CanonicalizationInterface
    : public mlir::DialectInterface::Base<CanonicalizationInterface> {
public:
  explicit CanonicalizationInterface(mlir::Dialect *dialect) : Base(dialect) {}

  virtual void populatePatterns(mlir::RewritePatternSet &patterns) const = 0;

  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CanonicalizationInterface)
};

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_CANONICALIZATION_H
