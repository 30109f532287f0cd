//===- SampleNodes.h - One node of each kind ------------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_PIPELINES_SAMPLENODES_H
#define ONNXC_LIB_PIPELINES_SAMPLENODES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace onnxc {

/// A module whose entry has one node for each kind of nodes in that of
/// `module`: of one operator, with equal attributes, constants and types. What
/// is not constant they take from the entry's arguments, and return what they
/// compute. Nodes with subgraphs are each of a kind of their own. Null if the
/// entry has fewer than `least` nodes, or kinds are hardly fewer than nodes.
mlir::OwningOpRef<mlir::ModuleOp> sampleNodes(mlir::ModuleOp module,
                                              int64_t least);

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINES_SAMPLENODES_H
