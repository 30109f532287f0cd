//===- OptReport.h - What a compile decided for each node ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_OPTREPORT_H
#define ONNXC_PIPELINES_OPTREPORT_H

#include "onnxc/Support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace onnxc {

/// Says per node which loops were made of it, how they use the machine, what
/// was fused, and why something was not.
class OptReport {
public:
  /// What became one loop nest.
  struct LoopNest {
    /// The node that it is named after, then those fused into it.
    std::vector<NodeName> nodes;
    /// The operation: "linalg.generic", "kernel.conv".
    std::string operation;
    /// Its loops: "1 x 8 x 26 x 26, sums over 1 x 3 x 3"; or its buffers.
    std::string loops;
    /// {"vector", "16 lanes of loop 3"}, …
    std::vector<std::pair<std::string, std::string>> choices;
    /// Why it is not vector code, or apart from another.
    std::vector<std::string> reasons;
    bool isScalar = false;
  };

  /// Whether an op behind the schedule stage becomes a loop nest, and what was
  /// decided for it.
  static bool isLoopNest(mlir::Operation *op);
  static LoopNest describe(mlir::Operation *op, const NodeFinder &findNode);

  /// Reads the decisions from a module behind the schedule stage.
  void addSchedule(mlir::ModuleOp module, const NodeFinder &findNode);
  /// Adds what a later pass had to say about a node; false if it is said of
  /// none.
  bool addRemark(mlir::Location location, llvm::StringRef text,
                 const NodeFinder &findNode);

  void printText(llvm::raw_ostream &os) const;
  void printJson(llvm::raw_ostream &os) const;

  llvm::ArrayRef<LoopNest> getLoopNests() const { return nests; }

private:
  std::vector<LoopNest> nests;
};

} // namespace onnxc

#endif // ONNXC_PIPELINES_OPTREPORT_H
