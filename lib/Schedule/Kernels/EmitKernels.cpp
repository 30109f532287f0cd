//===- EmitKernels.cpp - Loops of kernels on buffers ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitKernels.h"
#include "KernelForms.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/KernelCodegen.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace onnxc {
#define GEN_PASS_DEF_EMITKERNELSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using onnxc::kernel::KernelOpInterface;

#include "onnxc/Schedule/KernelCodegen.cpp.inc"

kernel::ScheduleInterface onnxc::getSchedule(Operation *op) {
  return op->getAttrOfType<kernel::ScheduleInterface>(program::schedule);
}

/// Of the dialect's operations, those with a destination become code here.
template <typename Op> static void attachTo(MLIRContext *context) {
  if constexpr (Op::template hasTrait<DestinationStyleOpInterface::Trait>())
    attachCodegen<Op>(context);
}

template <typename... Ops> static void attachToEach(MLIRContext *context) {
  (attachTo<Ops>(context), ...);
}

void onnxc::registerKernelCodegen(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, kernel::KernelDialect *) {
    attachToEach<
#define GET_OP_LIST
#include "onnxc/Dialect/Kernel/KernelOps.cpp.inc"
        >(context);
  });
}

namespace {

class EmitKernels : public onnxc::impl::EmitKernelsPassBase<EmitKernels> {
public:
  using EmitKernelsPassBase::EmitKernelsPassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnxc::ProgramDialect, arith::ArithDialect,
                    LLVM::LLVMDialect, memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }
  void runOnOperation() override {
    TargetAttr target = TargetAttr::of(getOperation());
    SmallVector<KernelCodegenInterface> ops;
    getOperation().walk([&](KernelCodegenInterface op) { ops.push_back(op); });
    for (KernelCodegenInterface op : ops) {
      if (failed(emit(op, target)))
        return signalPassFailure();
      op->erase();
    }
  }
  LogicalResult emit(KernelCodegenInterface op, TargetAttr target);
};

LogicalResult EmitKernels::emit(KernelCodegenInterface op, TargetAttr target) {
  OpBuilder b(op);
  auto contraction = dyn_cast<KernelOpInterface>(*op);
  if (!contraction) {
    op.emit(b, /*schedule=*/nullptr, target);
    return success();
  }
  std::string why;
  kernel::ScheduleInterface schedule = getSchedule(op);
  bool isEmitted = isEmittable(contraction, target, why);
  if (isEmitted && !schedule) {
    isEmitted = false;
    why = "it carries no schedule";
  }
  if (isEmitted && !plain) {
    if (failed(schedule.verifyFor(op, [&] { return op->emitOpError(); })))
      return failure();
    op.emit(b, schedule, target);
    return success();
  }
  if (strict && !plain)
    return op->emitOpError("has no vector code for this form: ") << why;
  op.emitPlain(b);
  return success();
}

} // namespace
