//===- SeparateYieldedSlices.cpp - Branches hand on buffers, not views ----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Bufferize/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace onnxc {
#define GEN_PASS_DEF_SEPARATEYIELDEDSLICESPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

bool isSlice(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value.getDefiningOp<tensor::ExtractSliceOp>() != nullptr;
}

class SeparateYieldedSlices
    : public onnxc::impl::SeparateYieldedSlicesPassBase<SeparateYieldedSlices> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    getOperation().walk([](scf::IfOp branches) {
      if (branches.getNumResults() == 0)
        return;
      separate(branches.thenYield());
      separate(branches.elseYield());
    });
  }

  /// Buffers of fixed size have a place in the plan and are not handed on.
  static void separate(scf::YieldOp yield) {
    OpBuilder b(yield);
    Location loc = yield.getLoc();
    for (OpOperand &operand : yield->getOpOperands()) {
      Value value = operand.get();
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || type.hasStaticShape() || !isSlice(value))
        continue;
      Value empty = tensor::EmptyOp::create(
          b, loc, tensor::getMixedSizes(b, loc, value), type.getElementType());
      operand.set(linalg::CopyOp::create(b, loc, value, empty).getResult(0));
    }
  }
};

} // namespace
