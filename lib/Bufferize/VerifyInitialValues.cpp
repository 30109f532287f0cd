//===- VerifyInitialValues.cpp - No two ops share an initial value ------===//
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
#define GEN_PASS_DEF_VERIFYINITIALVALUESPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Whether more than one operand is the value. Bodies of structured ops only
/// read elements of what stands around them, and tensor.dim no element at all.
bool isShared(Value value) {
  return llvm::count_if(value.getUses(), [](OpOperand &use) {
           return !isa<linalg::LinalgOp>(use.getOwner()->getParentOp()) &&
                  !isa<tensor::DimOp>(use.getOwner());
         }) > 1;
}

class VerifyInitialValues
    : public onnxc::impl::VerifyInitialValuesPassBase<VerifyInitialValues> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) {
      if (!isa<tensor::EmptyOp, linalg::FillOp>(op) ||
          llvm::none_of(op->getResults(), isShared))
        return WalkResult::advance();
      op->emitOpError("is the initial value of several operations; expected "
                      "one for each, as onnxc-separate-initial-values makes "
                      "them, and no CSE since");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
