//===- LowerCopies.cpp - Strided copies to loops --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Bufferize/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc {
#define GEN_PASS_DEF_LOWERCOPIESPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// The condition under which the conversion to LLVM emits memcpy instead of a
/// call into MLIR's own runtime library, which we do not link.
bool becomesMemcpy(MemRefType type) {
  return type.getLayout().isIdentity() ||
         (type.hasStaticShape() && type.getNumElements() > 0 &&
          memref::isStaticShapeAndContiguousRowMajor(type));
}

/// All elements in one dimension. The type of a buffer of several unknown sizes
/// is no longer that of an identity layout once some of them become known, and
/// the rows would then be copied one by one by a function that we do not link.
Value joinDimensions(OpBuilder &b, Location loc, Value buffer) {
  auto dims = llvm::to_vector<2>(
      llvm::seq<int64_t>(0, cast<MemRefType>(buffer.getType()).getRank()));
  return memref::CollapseShapeOp::create(b, loc, buffer,
                                         ArrayRef<ReassociationIndices>{dims});
}

class LowerCopies : public onnxc::impl::LowerCopiesPassBase<LowerCopies> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect, memref::MemRefDialect,
                    scf::SCFDialect>();
  }

  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp op) { copies.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (memref::CopyOp op : copies) {
      auto from = dyn_cast<MemRefType>(op.getSource().getType());
      auto to = dyn_cast<MemRefType>(op.getTarget().getType());
      if (!from || !to) {
        op.emitError("a copy between buffers without a rank is not supported");
        return signalPassFailure();
      }
      bool isEmpty = (from.hasStaticShape() && from.getNumElements() == 0) ||
                     (to.hasStaticShape() && to.getNumElements() == 0);
      if (op.getSource() == op.getTarget() || isEmpty) {
        rewriter.eraseOp(op);
        continue;
      }
      rewriter.setInsertionPoint(op);
      if (becomesMemcpy(from) && becomesMemcpy(to)) {
        bool isStatic = from.hasStaticShape() && to.hasStaticShape();
        if (!isStatic && from.getRank() > 1) {
          Value source = joinDimensions(rewriter, op.getLoc(), op.getSource());
          rewriter.replaceOpWithNewOp<memref::CopyOp>(
              op, source,
              joinDimensions(rewriter, op.getLoc(), op.getTarget()));
        }
        continue;
      }
      auto copy = linalg::CopyOp::create(rewriter, op.getLoc(), op.getSource(),
                                         op.getTarget());
      if (failed(linalg::linalgOpToLoops(rewriter, copy))) {
        op.emitError("a strided copy could not be turned into loops");
        return signalPassFailure();
      }
      rewriter.eraseOp(copy);
      rewriter.eraseOp(op);
    }
  }
};

} // namespace
