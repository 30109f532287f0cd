//===- VerifyLowered.cpp - The contract of the stage onnxc-lower ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Lower/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace onnxc {
#define GEN_PASS_DEF_VERIFYLOWERED
#include "onnxc/Lower/Passes.h.inc"
} // namespace onnxc

namespace {

bool isLowered(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.getDialect().getNamespace() != "onnx" &&
         !element.isUnsignedInteger();
}

struct VerifyLowered : public onnxc::impl::VerifyLoweredBase<VerifyLowered> {
  void runOnOperation() override {
    auto areArgumentsLowered = [](Region &region) {
      return llvm::all_of(region.getBlocks(), [](Block &block) {
        return llvm::all_of(block.getArgumentTypes(), isLowered);
      });
    };
    getOperation()->walk([&](Operation *op) {
      if (op->getName().getDialectNamespace() == "onnx" ||
          !llvm::all_of(op->getOperandTypes(), isLowered) ||
          !llvm::all_of(op->getResultTypes(), isLowered) ||
          !llvm::all_of(op->getRegions(), areArgumentsLowered)) {
        op->emitOpError("is left after lowering");
        signalPassFailure();
      }
    });
  }
};

} // namespace
