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
#include "mlir/IR/IRMapping.h"

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

/// Whether `value` is an empty tensor with parts filled by constants.
bool isFilledInParts(Value value) {
  while (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
    if (!insert.getSource().getDefiningOp<linalg::FillOp>())
      return false;
    value = insert.getDest();
  }
  return value.getDefiningOp<tensor::EmptyOp>() != nullptr;
}

/// A copy of what makes `value`, a tensor that is filled in parts.
Value cloneFilled(OpBuilder &b, Value value) {
  auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert)
    return b.clone(*value.getDefiningOp())->getResult(0);
  IRMapping map;
  map.map(insert.getDest(), cloneFilled(b, insert.getDest()));
  Operation *fill = insert.getSource().getDefiningOp();
  if (Operation *part =
          cast<linalg::FillOp>(fill).getOutputs()[0].getDefiningOp())
    b.clone(*part, map);
  b.clone(*fill, map);
  return b.clone(*insert, map)->getResult(0);
}

/// The same for tensors whose borders alone are filled, of which what lies
/// between them is the destination of an op: each such op gets its own.
void unsharePadded(func::FuncOp fn) {
  SmallVector<tensor::InsertSliceOp> inserts;
  fn.walk([&](tensor::InsertSliceOp op) {
    Value dest = op.getDest();
    if (dest.getDefiningOp<tensor::InsertSliceOp>() && !dest.hasOneUse() &&
        !op.getSource().getDefiningOp<linalg::FillOp>() &&
        isFilledInParts(dest))
      inserts.push_back(op);
  });
  llvm::SmallDenseSet<Value> taken;
  for (tensor::InsertSliceOp op : inserts) {
    auto result = dyn_cast<OpResult>(op.getSource());
    auto maker = result
                     ? dyn_cast<DestinationStyleOpInterface>(result.getOwner())
                     : DestinationStyleOpInterface();
    OpOperand *init = maker ? maker.getTiedOpOperand(result) : nullptr;
    auto slice = init ? init->get().getDefiningOp<tensor::ExtractSliceOp>()
                      : tensor::ExtractSliceOp();
    // The first keeps what there is.
    if (!slice || slice.getSource() != op.getDest() ||
        taken.insert(op.getDest()).second)
      continue;
    OpBuilder b(maker);
    Value own = cloneFilled(b, op.getDest());
    IRMapping map;
    map.map(op.getDest(), own);
    init->set(b.clone(*slice, map)->getResult(0));
    op.getDestMutable().assign(own);
  }
}

class SeparateInitialValues
    : public onnxc::impl::SeparateInitialValuesPassBase<SeparateInitialValues> {
  void runOnOperation() override {
    unsharePadded(getOperation());
    unshare<linalg::FillOp>(getOperation());
    unshare<tensor::EmptyOp>(getOperation());
  }
};

} // namespace
