//===- LiftScratch.cpp - The caller gives a function its memory
//-------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

namespace onnxc {
#define GEN_PASS_DEF_LIFTSCRATCHPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

class LiftScratch : public onnxc::impl::LiftScratchPassBase<LiftScratch> {
  void runOnOperation() override;
};

/// Turns what the function allocates into arguments. Returns the allocations,
/// which are then in no block.
SmallVector<memref::AllocOp> takeAllocs(func::FuncOp function) {
  SmallVector<memref::AllocOp> allocs;
  function.walk([&](memref::AllocOp alloc) {
    // In a parallel loop, each thread needs its own.
    if (alloc.getType().hasStaticShape() &&
        !alloc->getParentOfType<scf::ForallOp>())
      allocs.push_back(alloc);
  });
  Builder b(function.getContext());
  auto alone =
      b.getDictionaryAttr(b.getNamedAttr("llvm.noalias", b.getUnitAttr()));
  for (memref::AllocOp alloc : allocs) {
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(
        index, alloc.getType(),
        function->hasAttr("llvm.bareptr") ? alone : DictionaryAttr(),
        alloc.getLoc());
    alloc.replaceAllUsesWith(Value(function.getArgument(index)));
    alloc->remove();
  }
  return allocs;
}

void LiftScratch::runOnOperation() {
  SymbolTableCollection tables;
  SymbolUserMap users(tables, getOperation());
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (!function.isPrivate() || function.isExternal())
      continue;
    ArrayRef<Operation *> callers = users.getUsers(function);
    if (callers.empty() || !llvm::all_of(callers, llvm::IsaPred<func::CallOp>))
      continue;
    SmallVector<memref::AllocOp> allocs = takeAllocs(function);
    for (Operation *caller : callers) {
      auto call = cast<func::CallOp>(caller);
      OpBuilder b(call);
      for (memref::AllocOp alloc : allocs)
        call.getOperandsMutable().append(
            cast<memref::AllocOp>(b.clone(*alloc)).getResult());
    }
    for (memref::AllocOp alloc : allocs)
      alloc->destroy();
  }
}

} // namespace
