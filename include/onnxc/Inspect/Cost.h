//===- Cost.h - How much arithmetic a model is ---------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What is counted (docs/checking-a-model.md says it to users):
//   a multiplication with its addition   one MAC, two FLOPs
//   elementwise operators                one FLOP for each element of the
//   result reductions, pools                    one for each element that goes
//   in softmax, normalization               five for each element movement of
//   data, lookups            nothing
// Others (sorting, strings, trees, ...) have no customary count.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_INSPECT_COST_H
#define ONNXC_INSPECT_COST_H

#include "onnxc/Inspect/ModelShapes.h"

#include "mlir/IR/Location.h"

#include <functional>

namespace onnxc {

/// Of one run, however often the node runs in it.
struct Cost {
  Size macs = 0;
  /// With two for each MAC.
  Size flops = 0;
  /// Nodes that have no customary count.
  int64_t uncounted = 0;
  int64_t nodes = 0;

  void add(const Cost &other);
};

/// The arithmetic of each node of a module in its newest form, with types
/// inferred. `take` gets a node's own cost, without what is in its subgraphs.
/// A loop runs as often as is known, and else an open size; of an If the branch
/// that costs more counts.
Cost countCost(mlir::ModuleOp module, ModelShapes &shapes,
               std::function<void(mlir::Operation *, const Cost &)> take);

} // namespace onnxc

#endif // ONNXC_INSPECT_COST_H
