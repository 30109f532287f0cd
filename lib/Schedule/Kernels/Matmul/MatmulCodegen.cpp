//===- MatmulCodegen.cpp - How kernel.matmul becomes code -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/EmitKernels.h"
#include "Kernels/KernelForms.h"
#include "Kernels/Matmul/MatmulSchedule.h"
#include "onnxc/Schedule/KernelCodegen.h"

using namespace mlir;
using namespace onnxc;

namespace {

struct MatmulCodegen
    : KernelCodegenInterface::ExternalModel<MatmulCodegen, kernel::MatmulOp> {
  bool hasVectorCode(Operation *base, TargetAttr target,
                     std::string &why) const {
    auto op = cast<kernel::MatmulOp>(base);
    Type sum = op.getAccumulatorType();
    if (!hasSums(getElementTypeOrSelf(op.getLhs()),
                 getElementTypeOrSelf(op.getRhs()), sum, why))
      return false;
    int64_t width = op.getPanelWidth(),
            lanes = target.getVectorBytes() * 8 / sum.getIntOrFloatBitWidth();
    if (lanes < 1)
      return refuse(why, "sums are wider than a register");
    if (width % lanes != 0)
      return refuse(why, "expected panels of whole vectors");
    if (width > 0 && !isLastDimConsecutive(op.getRhs()))
      return refuse(why, "expected consecutive columns of packed weights");
    return true;
  }

  Attribute selectSchedule(Operation *op, TargetAttr target) const {
    return selectMatmul(cast<kernel::MatmulOp>(op), target)
        .toAttr(op->getContext());
  }

  bool hasSchedule(Operation *op) const {
    return MatmulSchedule::fromOp(cast<kernel::MatmulOp>(op)).has_value();
  }

  void emit(Operation *op, OpBuilder &b, TargetAttr target) const {
    emitMatmul(b, cast<kernel::MatmulOp>(op), target);
  }

  void emitPlain(Operation *op, OpBuilder &b) const {
    emitPlainLoops(b, cast<kernel::MatmulOp>(op));
  }
};

} // namespace

void onnxc::registerMatmulCodegen(MLIRContext *context) {
  kernel::MatmulOp::attachInterface<MatmulCodegen>(*context);
}
