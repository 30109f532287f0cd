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

namespace onnxc {
#define GEN_PASS_DEF_SEPARATEREADERSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// The analysis compares each use of a tensor with all other uses of it.
constexpr unsigned kMaxSharedReads = 64;

/// Gives each so many readers of an input or constant, which no op may write
/// to, a tensor of their own in the same memory. Later passes join them again.
void separateReaders(func::FuncOp fn) {
  SmallVector<Operation *> sources;
  fn.walk([&](Operation *op) {
    auto input = dyn_cast<bufferization::ToTensorOp>(op);
    if ((input && input.getRestrict() && !input.getWritable()) ||
        (isa<arith::ConstantOp>(op) &&
         isa<RankedTensorType>(op->getResult(0).getType())))
      sources.push_back(op);
  });
  for (Operation *op : sources) {
    SmallVector<OpOperand *> uses =
        llvm::map_to_vector(op->getUses(), [](OpOperand &use) { return &use; });
    OpBuilder b(op);
    Value own;
    for (auto [i, use] : llvm::enumerate(ArrayRef(uses).drop_front(
             std::min<size_t>(uses.size(), kMaxSharedReads)))) {
      if (i % kMaxSharedReads == 0)
        own = b.clone(*op)->getResult(0);
      use->set(own);
    }
  }
}

class SeparateReaders
    : public onnxc::impl::SeparateReadersPassBase<SeparateReaders> {
  void runOnOperation() override { separateReaders(getOperation()); }
};

} // namespace
