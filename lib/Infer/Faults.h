//===- Faults.h - What is wrong where no run need come -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INFER_FAULTS_H
#define ONNXC_LIB_INFER_FAULTS_H

#include "onnxc/Dialect/ONNX/ControlFlow.h"

#include "llvm/ADT/DenseMap.h"

namespace onnxc {

/// Nodes that cannot be right and that a run may not come to (isConditional).
class Faults {
public:
  /// `message` says what is wrong with the op.
  void add(mlir::Operation *op, llvm::StringRef message);
  /// All ways through the op lead to onnx.fault, `first` on one of them.
  void addFollowing(mlir::Operation *op, FaultOp first);
  void remove(mlir::Operation *op) { faults.erase(op); }
  void clear() { faults.clear(); }
  bool empty() const { return faults.empty(); }
  /// Whether one of them is within the op's subgraphs.
  bool areWithin(mlir::Operation *op) const;

  /// Ends each subgraph within the region at the first such node that stands in
  /// it, by an onnx.fault, and warns of the node. None is left.
  void replace(mlir::Region &region);

private:
  struct Fault {
    mlir::Location location;
    std::string warning, message;
  };
  void replace(mlir::Operation *op, const Fault &fault);
  void visit(mlir::Region &region);

  llvm::DenseMap<mlir::Operation *, Fault> faults;
};

/// Gives the values of an onnx.fault the types that the op around it has for
/// them. Returns whether one changed.
bool refineFault(FaultOp fault);

/// Lets what a body would collect of an onnx.fault be scalars where nothing
/// tells its rank: code collects tensors of a known rank only, and no run
/// collects this one. Returns whether a type changed.
bool settleFault(FaultOp fault);

} // namespace onnxc

#endif // ONNXC_LIB_INFER_FAULTS_H
