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

} // namespace onnxc

#endif // ONNXC_CONTRIB_EXPANSION_H
