//===- ReorderCodegen.cpp - How kernel.reorder becomes code ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/EmitKernels.h"
#include "Kernels/KernelForms.h"
#include "onnxc/Schedule/KernelCodegen.h"

using namespace mlir;
using namespace onnxc;

namespace {

struct ReorderCodegen
    : KernelCodegenInterface::ExternalModel<ReorderCodegen, kernel::ReorderOp> {
  bool hasVectorCode(Operation *base, TargetAttr target,
                     std::string &why) const {
    auto op = cast<kernel::ReorderOp>(base);
    // It copies elements of any type.
    return true;
  }

  void emit(Operation *op, OpBuilder &b, TargetAttr target) const {
    emitReorder(b, cast<kernel::ReorderOp>(op));
  }

  void emitPlain(Operation *op, OpBuilder &b) const {
    emitReorder(b, cast<kernel::ReorderOp>(op));
  }
};

} // namespace

void onnxc::registerReorderCodegen(MLIRContext *context) {
  kernel::ReorderOp::attachInterface<ReorderCodegen>(*context);
}
