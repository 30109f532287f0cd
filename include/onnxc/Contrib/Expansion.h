//===- Expansion.h - Nodes that become other operators -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that have no record: those that are a composition of ONNX's
// operators become it.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_CONTRIB_EXPANSION_H
#define ONNXC_CONTRIB_EXPANSION_H

#include "onnxc/Dialect/ONNX/NodeUpgrade.h"

namespace onnxc {

/// Puts what the node computes into `results` (null: an output that is never
/// made). Fails with an error.
using Expansion = std::function<llvm::LogicalResult(
    NodeUpgrade &node, llvm::SmallVectorImpl<mlir::Value> &results)>;

/// Of the domain `com.microsoft`, which tools that quantize and optimize models
/// write, and what they put into ONNX's. Null if it is none that onnxc knows.
Expansion lookupContribOp(llvm::StringRef domain, llvm::StringRef name);

/// Why an operator of such domains is not supported, if there is more to say
/// than that; else empty.
llvm::StringRef lookupRefusal(llvm::StringRef domain, llvm::StringRef name);

/// Of the default domain before ONNX 1.5: operators that never had a version
/// of their own, or not yet. Null as above.
Expansion lookupExperimentalOp(llvm::StringRef domain, llvm::StringRef name);

//===----------------------------------------------------------------------===//
// What expansions are made of
//===----------------------------------------------------------------------===//

/// The only output; null after an error.
llvm::LogicalResult finish(mlir::Value value,
                           llvm::SmallVectorImpl<mlir::Value> &results);

/// As NodeUpgrade::create, but without a first operand nothing is made: its
/// error was reported.
template <typename Op>
mlir::Value create(NodeUpgrade &node, llvm::ArrayRef<mlir::Value> operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
  if (!operands.empty() && !operands.front())
    return {};
  return node.create<Op>(operands, attributes);
}

/// Attributes `names` of the node, as they are.
llvm::SmallVector<mlir::NamedAttribute>
pick(NodeUpgrade &node, llvm::ArrayRef<llvm::StringRef> names);

/// The input; without it the error is reported.
mlir::FailureOr<mlir::Value> require(NodeUpgrade &node, unsigned index);

} // namespace onnxc

#endif // ONNXC_CONTRIB_EXPANSION_H
