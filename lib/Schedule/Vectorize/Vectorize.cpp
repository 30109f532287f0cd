//===- Vectorize.cpp - Vector code of structured ops ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructuredEmitter.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace onnxc {
#define GEN_PASS_DEF_VECTORIZEPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

class Vectorize : public onnxc::impl::VectorizePassBase<Vectorize> {
public:
  using VectorizePassBase::VectorizePassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnxc::ProgramDialect, arith::ArithDialect,
                    linalg::LinalgDialect, memref::MemRefDialect,
                    scf::SCFDialect, vector::VectorDialect>();
  }
  void runOnOperation() override;
  void liftStridedCopies();
};

/// Copies that cannot become memcpy take part as structured ops.
void Vectorize::liftStridedCopies() {
  SmallVector<memref::CopyOp> copies;
  getOperation().walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp op : copies) {
    auto from = dyn_cast<MemRefType>(op.getSource().getType());
    auto to = dyn_cast<MemRefType>(op.getTarget().getType());
    if (!from || !to || op.getSource() == op.getTarget() ||
        (from.getLayout().isIdentity() && to.getLayout().isIdentity()))
      continue;
    OpBuilder b(op);
    linalg::CopyOp::create(b, op.getLoc(), op.getSource(), op.getTarget());
    op.erase();
  }
}

void Vectorize::runOnOperation() {
  liftStridedCopies();
  SmallVector<linalg::LinalgOp> ops;
  getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  TargetAttr target = TargetAttr::of(getOperation());
  // The entry has no loops that are worth it.
  bool mayShare = parallel && getOperation().isPrivate();
  for (linalg::LinalgOp op : ops) {
    bool shares = mayShare && !op->getParentOfType<scf::ForallOp>();
    std::optional<Schedule> schedule = Schedule::fromOp(op);
    OpBuilder b(op);
    bool done = schedule && schedule->isVectorized() &&
                succeeded(emitStructured(b, op, *schedule, shares));
    if (!done && !(schedule && !schedule->isVectorized())) {
      // Bufferization chose a layout that the decision on tensors did not
      // foresee, or the op came up since.
      schedule = selectSchedule(op, target);
      done = schedule->isVectorized() &&
             succeeded(emitStructured(b, op, *schedule, shares));
    }
    if (done) {
      op.erase();
      continue;
    }
    op->removeAttr(program::schedule);
    if (remarks)
      op->emitRemark("stays a scalar loop: ")
          << (schedule->reason.empty() ? "its index maps are not linear"
                                       : schedule->reason);
  }
}

} // namespace
