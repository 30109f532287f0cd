//===- Registration.h - Everything onnxc registers ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_REGISTRATION_H
#define ONNXC_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace onnxc {

/// The dialects that a compile goes through, with the interface models and
/// translations that the stages need.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Every pass and stage pipeline of onnxc. Upstream's passes are registered by
/// the tools that take pipelines as text.
void registerAllPasses();

} // namespace onnxc

#endif // ONNXC_PIPELINES_REGISTRATION_H
