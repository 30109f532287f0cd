//===- ReorderCodegen.cpp - How kernel.reorder becomes code ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelModel.h"

using namespace mlir;
using namespace onnxc;

template <>
struct onnxc::Codegen<kernel::ReorderOp>
    : KernelCodegenInterface::ExternalModel<Codegen<kernel::ReorderOp>,
                                            kernel::ReorderOp> {
  bool hasVectorCode(Operation *op, TargetAttr target, std::string &why) const {
    // It copies elements of any type.
    return true;
  }

  void emit(Operation *op, OpBuilder &b, kernel::ScheduleInterface,
            TargetAttr) const {
    emitReorder(b, cast<kernel::ReorderOp>(op));
  }

  void emitPlain(Operation *op, OpBuilder &b) const {
    emitReorder(b, cast<kernel::ReorderOp>(op));
  }
};

template void onnxc::attachCodegen<kernel::ReorderOp>(MLIRContext *context);
