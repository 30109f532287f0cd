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

/// The model of a kernel that is computed as a schedule says: `Select` decides,
/// `Emit` obeys, and `Plain` writes scalar loops.
using VisitChoice = llvm::function_ref<void(kernel::ScheduleInterface)>;

template <typename Kernel, typename Schedule,
          Schedule (*Select)(Kernel, TargetAttr),
          std::string (*Key)(Kernel, TargetAttr),
          void (*Choices)(Kernel, TargetAttr, VisitChoice),
          void (*Emit)(mlir::OpBuilder &, Kernel, Schedule, TargetAttr),
          void (*Plain)(mlir::OpBuilder &, Kernel)>
struct KernelModel
    : KernelCodegenInterface::ExternalModel<Codegen<Kernel>, Kernel> {
  kernel::ScheduleInterface selectSchedule(mlir::Operation *op,
                                           TargetAttr target) const {
    return Select(mlir::cast<Kernel>(op), target);
  }

  std::string getTuningKey(mlir::Operation *op, TargetAttr target) const {
    return Key(mlir::cast<Kernel>(op), target);
  }

  void visitChoices(mlir::Operation *op, TargetAttr target,
                    VisitChoice visit) const {
    Choices(mlir::cast<Kernel>(op), target, visit);
  }

  void emit(mlir::Operation *op, mlir::OpBuilder &b,
            kernel::ScheduleInterface schedule, TargetAttr target) const {
    Emit(b, mlir::cast<Kernel>(op), mlir::cast<Schedule>(schedule), target);
  }

  void emitPlain(mlir::Operation *op, mlir::OpBuilder &b) const {
    Plain(b, mlir::cast<Kernel>(op));
  }
};

/// `Model` of a kernel of windows, which minimal filtering may compute as well,
/// where selectWinograd says so.
template <typename Kernel, typename Model> struct FilteredKernelModel : Model {
  kernel::ScheduleInterface selectSchedule(mlir::Operation *op,
                                           TargetAttr target) const {
    if (kernel::WinogradScheduleAttr winograd =
            selectWinograd(mlir::cast<Kernel>(op), target))
      return winograd;
    return Model::selectSchedule(op, target);
  }

  void emit(mlir::Operation *op, mlir::OpBuilder &b,
            kernel::ScheduleInterface schedule, TargetAttr target) const {
    if (auto winograd = mlir::dyn_cast<kernel::WinogradScheduleAttr>(schedule))
      return emitWinograd(b, mlir::cast<Kernel>(op), winograd, target);
    Model::emit(op, b, schedule, target);
  }
};

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_KERNELMODEL_H
