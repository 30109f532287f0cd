//===- SeparateResults.cpp - A chain of destinations for each result ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Destination.h"
#include "onnxc/Bufferize/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace onnxc {
#define GEN_PASS_DEF_SEPARATERESULTSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using onnxc::getDestination;

namespace {

/// Initial values cost no more to make again than to copy.
bool isCheapToRepeat(Operation *op) {
  if (isa<tensor::EmptyOp, linalg::FillOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumParallelLoops() == generic.getNumLoops() &&
         generic.getNumDpsInputs() <= 1;
}

class SeparateResults
    : public onnxc::impl::SeparateResultsPassBase<SeparateResults> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    getOperation().walk([&](bufferization::MaterializeInDestinationOp op) {
      if (isa<BaseMemRefType>(op.getDest().getType()))
        separate(op.getSource());
    });
  }

  /// Makes every value that the chain behind `result` starts from its own.
  void separate(Value result) {
    OpOperand *destination = getDestination(result);
    while (destination) {
      Value shared = destination->get();
      if (!shared.hasOneUse()) {
        Value own = makeOwn(*destination);
        if (!own)
          return;
        destination->set(own);
      }
      destination = getDestination(destination->get());
    }
  }

  /// A value like that of `use`, with no other use.
  Value makeOwn(OpOperand &use) {
    Value shared = use.get();
    auto type = dyn_cast<RankedTensorType>(shared.getType());
    if (!type)
      return {};
    OpBuilder b(use.getOwner());
    Operation *op = shared.getDefiningOp();
    if (op && isCheapToRepeat(op)) {
      b.setInsertionPoint(op);
      return b.clone(*op)->getResult(cast<OpResult>(shared).getResultNumber());
    }
    Location loc = use.getOwner()->getLoc();
    Value empty = tensor::EmptyOp::create(
        b, loc, tensor::getMixedSizes(b, loc, shared), type.getElementType());
    return linalg::CopyOp::create(b, loc, shared, empty).getResult(0);
  }
};

} // namespace
