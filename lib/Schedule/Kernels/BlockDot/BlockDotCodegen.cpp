//===- BlockDotCodegen.cpp - How kernel.block_dot becomes code ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/BlockDot/BlockDotSchedule.h"
#include "Kernels/KernelModel.h"

using namespace mlir;
using namespace onnxc;

template <>
struct onnxc::Codegen<kernel::BlockDotOp>
    : KernelModel<kernel::BlockDotOp, kernel::BlockDotScheduleAttr,
                  selectSchedule, getTuningKey, visitChoices, emitVectors,
                  emitPlainLoops> {
  bool hasVectorCode(Operation *base, TargetAttr target,
                     std::string &why) const {
    auto op = cast<kernel::BlockDotOp>(base);
    if (!isDense(op.getWeights()) || !isDense(op.getScales()) ||
        !isLastDimConsecutive(op.getLhs()) ||
        !isLastDimConsecutive(op.getInit()))
      return refuse(why,
                    "expected consecutive steps, columns, weights and scales");
    if (op.getPanelWidth() % (target.getVectorBytes() / 4) != 0)
      return refuse(why, "expected panels of whole vectors");
    return true;
  }
};

template void onnxc::attachCodegen<kernel::BlockDotOp>(MLIRContext *context);
