//===- ContributedOps.h - Operators of ONNX Runtime's domain --*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tools that quantize and optimize models write operators of the domain
// `com.microsoft`. They have no records; those that are a composition of ONNX's
// operators become it.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_UPGRADE_CONTRIBUTEDOPS_H
#define ONNXC_LIB_UPGRADE_CONTRIBUTEDOPS_H

#include "OldNode.h"

namespace onnxc {

/// Puts what the node computes into `results` (null: an output that is never
/// made). Fails with an error.
using ContributedOp = llvm::LogicalResult (*)(
    OldNode &node, llvm::SmallVectorImpl<mlir::Value> &results);

/// Null if it is none that onnxc knows.
ContributedOp lookupContributedOp(llvm::StringRef domain, llvm::StringRef name);

} // namespace onnxc

#endif // ONNXC_LIB_UPGRADE_CONTRIBUTEDOPS_H
