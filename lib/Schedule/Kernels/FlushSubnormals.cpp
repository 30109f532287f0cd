//===- FlushSubnormals.cpp - Weights that are all but zero ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedConstants.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace onnxc {
#define GEN_PASS_DEF_FLUSHSUBNORMALSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

class FlushSubnormals
    : public onnxc::impl::FlushSubnormalsPassBase<FlushSubnormals> {
  void runOnOperation() override {
    // What several kernels or levels of processors share is read once, and
    // shared again.
    auto *dialect = getContext().getLoadedDialect<kernel::KernelDialect>();
    OpBuilder b(&getContext());
    getOperation().walk([&](kernel::KernelOpInterface op) {
      b.setInsertionPoint(op);
      for (OpOperand &operand : op->getOpOperands()) {
        ElementsAttr constant;
        if (!matchPattern(operand.get(), m_Constant(&constant)))
          continue;
        Attribute key = b.getArrayAttr({constant, b.getStringAttr("flushed")});
        ElementsAttr flushed = dialect->getDerivedConstant(
            key, [&] { return withoutSubnormals(constant); });
        if (flushed)
          operand.set(
              arith::ConstantOp::create(b, operand.get().getLoc(), flushed));
      }
    });
  }
};

} // namespace
