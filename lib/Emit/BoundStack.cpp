//===- BoundStack.cpp - Constant use of the stack -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Emit/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace onnxc {
#define GEN_PASS_DEF_BOUNDSTACK
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

class BoundStack final : public onnxc::impl::BoundStackBase<BoundStack> {
public:
  using BoundStackBase::BoundStackBase;

  void runOnOperation() override {
    DataLayout layout(getOperation());
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal() && failed(bound(function, layout)))
        return signalPassFailure();
  }

private:
  LogicalResult bound(LLVM::LLVMFuncOp function, const DataLayout &layout) {
    Block &entry = function.getBody().front();
    SmallVector<LLVM::AllocaOp> allocas;
    function.walk([&](LLVM::AllocaOp op) { allocas.push_back(op); });
    uint64_t total = 0;
    for (LLVM::AllocaOp op : allocas) {
      IntegerAttr count;
      if (!matchPattern(op.getArraySize(), m_Constant(&count)))
        return op.emitOpError()
               << "takes memory of the stack whose size is known only at run "
                  "time";
      uint64_t largest = static_cast<uint64_t>(limit.getValue());
      uint64_t bytes = layout.getTypeSize(op.getElemType()).getFixedValue();
      if (count.getValue().ugt(largest) || bytes > largest ||
          // no overflow: both are at most the limit, 64 KiB
          (total += bytes * count.getValue().getZExtValue()) > largest)
        return op.emitOpError() << "takes more than " << limit.getValue()
                                << " bytes of the stack in this function";
      OpBuilder builder(&entry, entry.begin());
      Value size = LLVM::ConstantOp::create(builder, op.getLoc(),
                                            op.getArraySize().getType(), count);
      op->moveAfter(size.getDefiningOp());
      op.getArraySizeMutable().assign(size);
    }
    return success();
  }
};

} // namespace
