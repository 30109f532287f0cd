//===- SeparateReaders.cpp - So many readers of a tensor, and no more ---===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Bufferize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace onnxc {
#define GEN_PASS_DEF_SEPARATEREADERSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// The analysis compares each use of a tensor with all other uses of it.
constexpr unsigned kMaxSharedReads = 64;

/// The ops from the input or constant that `value` is another shape of to the
/// one that makes it; empty if it is none, or may be written to.
SmallVector<Operation *> findSource(Operation *op) {
  SmallVector<Operation *> chain{op};
  while (
      isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op)) {
    op = op->getOperand(0).getDefiningOp();
    if (!op)
      return {};
    chain.push_back(op);
  }
  auto input = dyn_cast<bufferization::ToTensorOp>(op);
  bool isReadOnly = (input && input.getRestrict() && !input.getWritable()) ||
                    (isa<arith::ConstantOp>(op) &&
                     isa<RankedTensorType>(op->getResult(0).getType()));
  if (!isReadOnly)
    return {};
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// Gives each so many readers of an input or constant, which no op may write
/// to, a tensor of their own in the same memory. Later passes join them again.
void separateReaders(func::FuncOp fn) {
  SmallVector<SmallVector<Operation *>> sources;
  fn.walk([&](Operation *op) {
    if (op->getNumResults() == 1 &&
        op->getResult(0).hasNUsesOrMore(kMaxSharedReads + 1))
      if (SmallVector<Operation *> chain = findSource(op); !chain.empty())
        sources.push_back(std::move(chain));
  });
  for (ArrayRef<Operation *> chain : sources) {
    SmallVector<OpOperand *> uses = llvm::map_to_vector(
        chain.back()->getUses(), [](OpOperand &use) { return &use; });
    OpBuilder b(chain.back());
    Value own;
    for (auto [i, use] :
         llvm::enumerate(ArrayRef(uses).drop_front(kMaxSharedReads))) {
      if (i % kMaxSharedReads == 0) {
        IRMapping map;
        for (Operation *op : chain)
          own = b.clone(*op, map)->getResult(0);
      }
      use->set(own);
    }
  }
}

class SeparateReaders
    : public onnxc::impl::SeparateReadersPassBase<SeparateReaders> {
  void runOnOperation() override { separateReaders(getOperation()); }
};

} // namespace
