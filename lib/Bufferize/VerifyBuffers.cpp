//===- VerifyBuffers.cpp - Contract of the bufferize stage ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "onnxc/Bufferize/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SmallBitVector.h"

namespace onnxc {
#define GEN_PASS_DEF_VERIFYBUFFERSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

constexpr uint64_t kMaxStackBytes = 32768;

/// Whether LLVM takes each dimension of the result for one of its size
/// (SubViewOp::getDroppedDims goes by strides).
bool hasSizesOfResult(memref::SubViewOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(op.getStaticSizes()))
    if (!dropped.test(dim))
      kept.push_back(size);
  return ArrayRef(kept) == op.getType().getShape();
}

class VerifyBuffers : public onnxc::impl::VerifyBuffersPassBase<VerifyBuffers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto entries = findEntries(module);
    if (failed(entries))
      return signalPassFailure();
    for (func::FuncOp entry : *entries)
      if (entry.getNumArguments() != 3 ||
          entry.getResultTypes() !=
              ArrayRef<Type>(IntegerType::get(&getContext(), 32))) {
        entry.emitError("the entry has the form (ctx, inputs, outputs) -> i32 "
                        "after bufferization");
        return signalPassFailure();
      }
    bool ok = true;
    DataLayout layout(module);
    for (auto fn : module.getOps<func::FuncOp>()) {
      uint64_t stack = 0;
      fn.walk(
          [&](Operation *op) { ok &= succeeded(check(op, layout, stack)); });
      if (stack > kMaxStackBytes) {
        fn.emitError("takes ") << stack << " bytes of stack, at most "
                               << kMaxStackBytes << " are allowed";
        ok = false;
      }
    }
    if (!ok)
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  static LogicalResult check(Operation *op, const DataLayout &layout,
                             uint64_t &stack);
};

LogicalResult VerifyBuffers::check(Operation *op, const DataLayout &layout,
                                   uint64_t &stack) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTensor) ||
      llvm::any_of(op->getResultTypes(), isTensor))
    return op->emitOpError("a tensor is left after bufferization");
  if (isa<memref::AllocOp, memref::ReallocOp, memref::DeallocOp>(op))
    return op->emitOpError("memory is left that 'onnxc-plan-memory' did not "
                           "place");
  if (isa<linalg::LinalgOp>(op))
    return op->emitOpError("a structured op is left that is neither "
                           "vectorized nor turned into loops");
  if (isa<cf::AssertOp>(op))
    return op->emitOpError("a check is left that 'onnxc-lower-checks' did not "
                           "turn into a return");
  if (auto view = dyn_cast<memref::SubViewOp>(op))
    if (!hasSizesOfResult(view))
      return op->emitOpError("LLVM would take another dimension for the one "
                             "that is dropped");
  if (isa<memref::AllocaOp, LLVM::AllocaOp>(op)) {
    if (op->getParentOfType<LoopLikeOpInterface>())
      return op->emitOpError("takes stack in a loop");
    uint64_t bytes = 0;
    if (auto slot = dyn_cast<memref::AllocaOp>(op)) {
      MemRefType type = slot.getType();
      if (!type.hasStaticShape())
        return op->emitOpError("takes an unknown amount of stack");
      bytes = type.getNumElements() *
              layout.getTypeSize(type.getElementType()).getFixedValue();
    } else {
      auto raw = cast<LLVM::AllocaOp>(op);
      IntegerAttr count;
      if (!matchPattern(raw.getArraySize(), m_Constant(&count)))
        return op->emitOpError("takes an unknown amount of stack");
      bytes = count.getInt() *
              layout.getTypeSize(raw.getElemType()).getFixedValue();
    }
    stack += bytes;
  }
  return success();
}

} // namespace
