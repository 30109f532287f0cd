//===- UseCheckedSizes.cpp - One value for sizes that are equal -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Lower/Passes.h"

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_USECHECKEDSIZES
#include "onnxc/Lower/Passes.h.inc"
} // namespace onnxc

/// Whether `a` is there before `b`, both of which are in one block.
static bool isBefore(Value a, Value b) {
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  return !first || (second && first->isBeforeInBlock(second));
}

/// Behind the check in its block, the first of two equal sizes stands for both.
static void useFirst(cf::AssertOp check) {
  auto comparison = check.getArg().getDefiningOp<arith::CmpIOp>();
  if (!comparison || comparison.getPredicate() != arith::CmpIPredicate::eq ||
      !comparison.getLhs().getType().isIndex())
    return;
  Value first = comparison.getLhs(), second = comparison.getRhs();
  Block *block = check->getBlock();
  if (first.getParentBlock() != block || second.getParentBlock() != block)
    return;
  // Constants are what other sizes become.
  if (matchPattern(second, m_Constant()) ||
      (!matchPattern(first, m_Constant()) && isBefore(second, first)))
    std::swap(first, second);
  second.replaceUsesWithIf(first, [&](OpOperand &use) {
    Operation *user = block->findAncestorOpInBlock(*use.getOwner());
    return user && check->isBeforeInBlock(user);
  });
}

namespace {
struct UseCheckedSizes : onnxc::impl::UseCheckedSizesBase<UseCheckedSizes> {
  void runOnOperation() override {
    SignatureAttr signature = SignatureAttr::of(getOperation());
    if (!signature || !signature.getStates() ||
        llvm::none_of(signature.getStates().getAsRange<StateAttr>(),
                      [](StateAttr state) { return state.isAppendedTo(); }))
      return;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(program::entry) && !function.isExternal())
        for (auto check :
             llvm::to_vector(function.front().getOps<cf::AssertOp>()))
          useFirst(check);
  }
};
} // namespace
