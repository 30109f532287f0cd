//===- MergeChecks.cpp - What is checked already --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Lower/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace onnxc {
#define GEN_PASS_DEF_MERGECHECKS
#include "onnxc/Lower/Passes.h.inc"
} // namespace onnxc

namespace {
struct MergeChecks : onnxc::impl::MergeChecksBase<MergeChecks> {
  void runOnOperation() override {
    auto &dominance = getAnalysis<DominanceInfo>();
    DenseMap<Value, SmallVector<cf::AssertOp, 1>> kept;
    getOperation()->walk<WalkOrder::PreOrder>([&](cf::AssertOp check) {
      SmallVector<cf::AssertOp, 1> &before = kept[check.getArg()];
      if (llvm::any_of(before, [&](cf::AssertOp other) {
            return dominance.properlyDominates(other, check);
          })) {
        check.erase();
        return;
      }
      before.push_back(check);
    });
  }
};
} // namespace
