//===- SeparateInitialValues.cpp - Empty and filled tensors, one per user ===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Bufferize/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace onnxc {
#define GEN_PASS_DEF_SEPARATEINITIALVALUESPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Gives each user its own empty or filled tensor, next to it. Shared, which is
/// what CSE makes of them, a filled tensor is copied for every user that
/// writes into it, and stays alive from the first to the last. Bodies of
/// structured ops only read elements: they keep what stands around them.
template <typename Op> void unshare(func::FuncOp fn) {
  SmallVector<Op> ops;
  fn.walk([&](Op op) {
    if (op->getNumResults() == 1)
      ops.push_back(op);
  });
  for (Op op : ops) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getResult(0).getUses())
      if (!isa<linalg::LinalgOp>(use.getOwner()->getParentOp()))
        uses.push_back(&use);
    for (OpOperand *use : uses) {
      OpBuilder b(use->getOwner());
      use->set(b.clone(*op.getOperation())->getResult(0));
    }
    if (op->use_empty())
      op->erase();
  }
}

class SeparateInitialValues
    : public onnxc::impl::SeparateInitialValuesPassBase<SeparateInitialValues> {
  void runOnOperation() override {
    unshare<linalg::FillOp>(getOperation());
    unshare<tensor::EmptyOp>(getOperation());
  }
};

} // namespace
