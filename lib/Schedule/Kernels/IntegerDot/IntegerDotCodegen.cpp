//===- IntegerDotCodegen.cpp - How kernel.integer_dot becomes code --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/IntegerDot/DotWinogradSchedule.h"
#include "Kernels/IntegerDot/IntegerDotSchedule.h"
#include "Kernels/KernelModel.h"
#include "onnxc/Target/Instructions.h"

using namespace mlir;
using namespace onnxc;

template <>
struct onnxc::Codegen<kernel::IntegerDotOp>
    : FilteredKernelModel<
          kernel::IntegerDotOp,
          KernelModel<kernel::IntegerDotOp, kernel::IntegerDotScheduleAttr,
                      selectSchedule, getTuningKey, visitChoices, emitVectors,
                      emitPlainLoops>> {
  bool hasVectorCode(Operation *base, TargetAttr target,
                     std::string &why) const {
    auto op = cast<kernel::IntegerDotOp>(base);
    if (!isDense(op.getFilter()) || !isLastDimConsecutive(op.getInit()) ||
        !isLastDimConsecutive(op.getImage()))
      return refuse(why, "expected consecutive channels and weights");
    if (op.getDepthwise())
      return true;
    if (op.getPanelWidth() % (target.getVectorBytes() / 4) != 0)
      return refuse(why, "expected panels of whole vectors");
    int64_t group = op.getGroup();
    if (group != 1 && group != 4)
      return refuse(why, "expected dot products of one or four numbers");
    bool splits =
        !op.getImageSigned() && supports(target, Capability::MultiplyPairs);
    if (group == 4 && !dotsBytes(op, target) && !splits)
      return refuse(why, "the target has no dot products of so many numbers");
    return true;
  }
};

template void onnxc::attachCodegen<kernel::IntegerDotOp>(MLIRContext *context);
