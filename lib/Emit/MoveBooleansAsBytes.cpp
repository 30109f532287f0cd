//===- MoveBooleansAsBytes.cpp - Booleans as the bytes that they are ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Emit/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace onnxc {
#define GEN_PASS_DEF_MOVEBOOLEANSASBYTES
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

class MoveBooleansAsBytes final
    : public onnxc::impl::MoveBooleansAsBytesBase<MoveBooleansAsBytes> {
public:
  using MoveBooleansAsBytesBase::MoveBooleansAsBytesBase;

  void runOnOperation() override {
    Type byte = IntegerType::get(&getContext(), 8);
    getOperation()->walk([&](Operation *op) {
      OpBuilder b(op);
      if (auto store = dyn_cast<LLVM::StoreOp>(op);
          store && store.getValue().getType().isInteger(1)) {
        store.getValueMutable().assign(
            LLVM::ZExtOp::create(b, op->getLoc(), byte, store.getValue()));
      } else if (auto load = dyn_cast<LLVM::LoadOp>(op);
                 load && load.getType().isInteger(1)) {
        load.getResult().setType(byte);
        b.setInsertionPointAfter(op);
        // The byte is 0 or 1: where it is copied only, nothing is converted.
        auto boolean = LLVM::TruncOp::create(b, op->getLoc(), b.getI1Type(),
                                             load.getResult(),
                                             LLVM::IntegerOverflowFlags::nuw);
        load.getResult().replaceAllUsesExcept(boolean, boolean);
      }
    });
  }
};

} // namespace
