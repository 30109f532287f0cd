//===- MatmulCodegen.cpp - How kernel.matmul becomes code -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelModel.h"
#include "Kernels/Matmul/MatmulSchedule.h"

using namespace mlir;
using namespace onnxc;

template <>
struct onnxc::Codegen<kernel::MatmulOp>
    : KernelModel<kernel::MatmulOp, kernel::MatmulScheduleAttr, selectSchedule,
                  getTuningKey, visitChoices, emitVectors, emitPlainLoops> {
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

  /// What is read at an offset is not.
  bool readsExtraAt(Operation *, ArrayRef<int64_t> coefficients) const {
    return coefficients.back() == 0;
  }
};

template void onnxc::attachCodegen<kernel::MatmulOp>(MLIRContext *context);
