//===- AllocateInserted.cpp - Buffers of what is inserted ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Destination.h"
#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Support/InsertionGroups.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace onnxc {
#define GEN_PASS_DEF_ALLOCATEINSERTEDPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// What starts in an empty tensor is made there, and in no other buffer.
void makeAllocation(tensor::EmptyOp empty) {
  OpBuilder b(empty);
  empty.replaceAllUsesWith(
      bufferization::AllocTensorOp::create(b, empty.getLoc(), empty.getType(),
                                           empty.getDynamicSizes())
          .getResult());
  empty->erase();
}

/// What is inserted one after the other, the last one first, and into what.
struct Chain {
  SmallVector<tensor::InsertSliceOp> insertions;
  Value start;
};

Chain followInsertions(Value value) {
  auto skipCasts = [](Value value) {
    while (auto cast = value.getDefiningOp<tensor::CastOp>())
      value = cast.getSource();
    return value;
  };
  Chain chain;
  chain.start = skipCasts(value);
  while (auto insertion = chain.start.getDefiningOp<tensor::InsertSliceOp>()) {
    chain.insertions.push_back(insertion);
    chain.start = skipCasts(insertion.getDest());
  }
  return chain;
}

/// Gives a tensor that many others are inserted into, and that is then inserted
/// itself, a buffer of its own.
void keepGroups(func::FuncOp fn) {
  // One group may be inserted in several places.
  llvm::SetVector<tensor::EmptyOp> groups;
  fn.walk([&](tensor::InsertSliceOp last) {
    auto goesOn = [](OpOperand &use) {
      auto next = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
      return next && &use == &next.getDestMutable();
    };
    if (llvm::any_of(last->getUses(), goesOn))
      return;
    Chain outer = followInsertions(last.getResult());
    size_t most = outer.insertions.size() >= onnxc::maxNestedInsertions
                      ? onnxc::maxNestedInsertions
                      : onnxc::maxSharedInsertions;
    for (tensor::InsertSliceOp insertion : outer.insertions) {
      Chain inner = followInsertions(insertion.getSource());
      auto empty = inner.start.getDefiningOp<tensor::EmptyOp>();
      if (empty && empty->hasOneUse() && inner.insertions.size() >= most)
        groups.insert(empty);
    }
  });
  for (tensor::EmptyOp empty : groups)
    makeAllocation(empty);
}

/// Whether what is consecutive in the source is not so where it is inserted:
/// its last dimensions have one element there, and more around it.
bool spreads(tensor::InsertSliceOp op) {
  for (auto [from, to] : llvm::zip(llvm::reverse(op.getStaticSizes()),
                                   llvm::reverse(op.getDestType().getShape())))
    if (from != 1 || to != 1)
      return from == 1;
  return false;
}

/// Gives a kernel's result that is inserted element by element a buffer of its
/// own: kernels write vectors.
void keepVectors(func::FuncOp fn) {
  // One result may be inserted in several places.
  llvm::SetVector<tensor::EmptyOp> empties;
  fn.walk([&](tensor::InsertSliceOp op) {
    if (!spreads(op))
      return;
    Value value = op.getSource();
    bool isKernels = false;
    while (Operation *def = value.getDefiningOp()) {
      if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
              def)) {
        value = def->getOperand(0);
        continue;
      }
      OpOperand *destination = onnxc::getDestination(value);
      if (!destination)
        break;
      isKernels |= isa<onnxc::kernel::KernelOpInterface>(def);
      value = destination->get();
    }
    auto empty = value.getDefiningOp<tensor::EmptyOp>();
    if (isKernels && empty && empty->hasOneUse())
      empties.insert(empty);
  });
  for (tensor::EmptyOp empty : empties)
    makeAllocation(empty);
}

class AllocateInserted
    : public onnxc::impl::AllocateInsertedPassBase<AllocateInserted> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<bufferization::BufferizationDialect>();
  }

  void runOnOperation() override {
    keepGroups(getOperation());
    keepVectors(getOperation());
  }
};

} // namespace
