//===- EliminateDeadend.cpp - Nodes without uses --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATEDEADEND
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct EliminateDeadend : onnxc::impl::EliminateDeadendBase<EliminateDeadend> {
  int64_t rewriteModule(ModuleOp module,
                        const RewriteOptions &options) override {
    // Upstream's is about nodes.
    keepsInitializers = options.upstreamCompatible;
    int64_t changes = 0;
    for (auto func : module.getOps<func::FuncOp>())
      changes += sweep(func.getBody());
    return changes;
  }

private:
  /// Backwards, so that one sweep finds whole chains, and what only a dead
  /// graph uses.
  int64_t sweep(Region &region) {
    int64_t changes = 0;
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
        if (isDead(&op)) {
          op.erase();
          ++changes;
          continue;
        }
        for (Region &inner : op.getRegions())
          changes += sweep(inner);
      }
    return changes;
  }

  /// No operator of ONNX does anything but compute results, calls and custom
  /// ones included.
  bool isDead(Operation *op) const {
    if (!op->use_empty() || op->hasTrait<OpTrait::IsTerminator>() ||
        isa<FaultOp>(op))
      return false;
    if (keepsInitializers && isInitializer(op))
      return false;
    return isa<func::CallOp>(op) ||
           isa_and_present<ONNXDialect>(op->getDialect());
  }

  bool keepsInitializers = false;
};
} // namespace
