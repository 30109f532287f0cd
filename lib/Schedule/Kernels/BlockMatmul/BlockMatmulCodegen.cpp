//===- BlockMatmulCodegen.cpp - How kernel.block_matmul becomes code ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/BlockMatmul/BlockMatmulSchedule.h"
#include "Kernels/EmitKernels.h"
#include "Kernels/KernelForms.h"
#include "onnxc/Schedule/KernelCodegen.h"

using namespace mlir;
using namespace onnxc;

namespace {

struct BlockMatmulCodegen
    : KernelCodegenInterface::ExternalModel<BlockMatmulCodegen,
                                            kernel::BlockMatmulOp> {
  bool hasVectorCode(Operation *base, TargetAttr target,
                     std::string &why) const {
    auto op = cast<kernel::BlockMatmulOp>(base);
    if (!isDense(op.getWeights()) || !isDense(op.getScales()) ||
        !isLastDimConsecutive(op.getInit()))
      return refuse(why, "expected consecutive columns, weights and scales");
    if (op.getPanelWidth() % (target.getVectorBytes() / 4) != 0)
      return refuse(why, "expected panels of whole vectors");
    return true;
  }

  Attribute selectSchedule(Operation *op, TargetAttr target) const {
    return onnxc::selectSchedule(cast<kernel::BlockMatmulOp>(op), target)
        .toAttr(op->getContext());
  }

  bool hasSchedule(Operation *op) const {
    return BlockMatmulSchedule::fromOp(cast<kernel::BlockMatmulOp>(op))
        .has_value();
  }

  void emit(Operation *op, OpBuilder &b, TargetAttr target) const {
    emitBlockMatmul(b, cast<kernel::BlockMatmulOp>(op), target);
  }

  void emitPlain(Operation *op, OpBuilder &b) const {
    emitPlainLoops(b, cast<kernel::BlockMatmulOp>(op));
  }
};

} // namespace

void onnxc::registerBlockMatmulCodegen(MLIRContext *context) {
  kernel::BlockMatmulOp::attachInterface<BlockMatmulCodegen>(*context);
}
