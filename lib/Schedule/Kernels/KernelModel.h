//===- KernelModel.h - What kernels' models share ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_KERNELMODEL_H
#define ONNXC_LIB_SCHEDULE_KERNELS_KERNELMODEL_H

#include "Kernels/EmitKernels.h"
#include "Kernels/KernelForms.h"
#include "onnxc/Schedule/KernelCodegen.h"

namespace onnxc {

/// The model of KernelCodegenInterface for a kernel; its folder specializes
/// this and instantiates attachCodegen for it.
template <typename Kernel> struct Codegen;

template <typename Kernel> void attachCodegen(mlir::MLIRContext *context) {
  Kernel::template attachInterface<Codegen<Kernel>>(*context);
}

/// The model of a kernel whose schedule is a `Decision`, which a function
/// emitVectors obeys, and whose scalar loops `Plain` writes.
template <typename Kernel, typename Decision,
          void (*Plain)(mlir::OpBuilder &, Kernel)>
struct KernelModel
    : KernelCodegenInterface::ExternalModel<Codegen<Kernel>, Kernel> {
  mlir::Attribute selectSchedule(mlir::Operation *op, TargetAttr target) const {
    return Decision::select(mlir::cast<Kernel>(op), target)
        .toAttr(op->getContext());
  }

  bool hasSchedule(mlir::Operation *op) const {
    return Decision::fromOp(mlir::cast<Kernel>(op)).has_value();
  }

  void emit(mlir::Operation *op, mlir::OpBuilder &b, TargetAttr target) const {
    auto kernel = mlir::cast<Kernel>(op);
    emitVectors(b, kernel, *Decision::fromOp(kernel), target);
  }

  void emitPlain(mlir::Operation *op, mlir::OpBuilder &b) const {
    Plain(b, mlir::cast<Kernel>(op));
  }
};

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_KERNELMODEL_H
