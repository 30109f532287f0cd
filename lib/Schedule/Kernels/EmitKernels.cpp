//===- EmitKernels.cpp - Loops of kernels on buffers ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitKernels.h"
#include "KernelForms.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace onnxc {
#define GEN_PASS_DEF_EMITKERNELSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using onnxc::kernel::KernelOpInterface;

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
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<KernelOpInterface, kernel::ReorderOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder b(op);
      auto kernel = dyn_cast<KernelOpInterface>(op);
      std::string why;
      if (kernel && (plain || !isEmittable(kernel, target, why))) {
        if (strict && !plain) {
          op->emitOpError("has no vector code for this form: ") << why;
          return signalPassFailure();
        }
        emitPlainLoops(b, kernel);
        op->erase();
        continue;
      }
      llvm::TypeSwitch<Operation *>(op)
          .Case([&](kernel::MatmulOp matmul) { emitMatmul(b, matmul, target); })
          .Case([&](kernel::ConvOp conv) { emitConv(b, conv, target); })
          .Case([&](kernel::ReorderOp reorder) { emitReorder(b, reorder); })
          .Case(
              [&](kernel::IntegerDotOp dot) { emitIntegerDot(b, dot, target); })
          .Case([&](kernel::BlockMatmulOp matmul) {
            emitBlockMatmul(b, matmul, target);
          })
          .Default([](Operation *) { llvm_unreachable("no emitter"); });
      op->erase();
    }
  }
};

} // namespace
