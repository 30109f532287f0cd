//===- RunWhere.h - Passes on what has ops for them ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_RUNWHERE_H
#define ONNXC_SUPPORT_RUNWHERE_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace onnxc {

/// Runs a pass on an op (a function, the module) in which there is an op that
/// `isMeant` accepts, and on no other. A pass of MLIR asks of every op whether
/// one of its patterns takes it, which in a model of very many ops costs as
/// much where none does.
class RunWhere : public mlir::PassWrapper<RunWhere, mlir::OperationPass<>> {
public:
  using Predicate = bool (*)(mlir::Operation *);

  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RunWhere)

  RunWhere(llvm::StringRef root, Predicate isMeant,
           std::unique_ptr<mlir::Pass> pass)
      : passes(root), isMeant(isMeant) {
    passes.addPass(std::move(pass));
  }

  llvm::StringRef getName() const override { return "RunWhere"; }

  bool canScheduleOn(mlir::RegisteredOperationName name) const override {
    return name.getStringRef() == passes.getOpAnchorName();
  }
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    mlir::WalkResult found = getOperation()->walk([&](mlir::Operation *op) {
      return isMeant(op) ? mlir::WalkResult::interrupt()
                         : mlir::WalkResult::advance();
    });
    if (!found.wasInterrupted())
      return markAllAnalysesPreserved();
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

private:
  mlir::OpPassManager passes;
  Predicate isMeant;
};

/// The pass, on those of the ops named by `Op` in which one is meant.
template <typename Op>
std::unique_ptr<mlir::Pass> runWhere(RunWhere::Predicate isMeant,
                                     std::unique_ptr<mlir::Pass> pass) {
  return std::make_unique<RunWhere>(Op::getOperationName(), isMeant,
                                    std::move(pass));
}

} // namespace onnxc

#endif // ONNXC_SUPPORT_RUNWHERE_H
