//===- LoosenOverridden.cpp - Sizes that an override may change -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Infer/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc {
#define GEN_PASS_DEF_LOOSENOVERRIDDEN
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

/// Leaves the sizes of a value open that follows from others; arguments of the
/// entry keep the type that the interface states.
static void loosen(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && type.getRank() > 0)
    value.setType(
        type.clone(SmallVector<int64_t>(type.getRank(), ShapedType::kDynamic)));
}

/// Marks what is computed by `op`, and what its regions carry around.
static void markResults(Operation *op, llvm::DenseSet<Operation *> &marked,
                        SmallVectorImpl<Value> &reached) {
  if (!marked.insert(op).second)
    return;
  llvm::append_range(reached, op->getResults());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(reached, block.getArguments());
}

static void loosenDependents(func::FuncOp entry) {
  SmallVector<Value> reached;
  for (BlockArgument argument : entry.getArguments())
    if (entry.getArgAttr(argument.getArgNumber(), model::defaultValue))
      reached.push_back(argument);
  llvm::DenseSet<Operation *> marked;
  while (!reached.empty()) {
    Value value = reached.pop_back_val();
    if (value.getParentBlock() != &entry.front() || !isa<BlockArgument>(value))
      loosen(value);
    // What stands in a branch or a body decides what the op around it yields.
    for (Operation *user : value.getUsers())
      for (Operation *op = user; op != entry; op = op->getParentOp())
        markResults(op, marked, reached);
  }
  entry.setFunctionType(
      FunctionType::get(entry.getContext(), entry.front().getArgumentTypes(),
                        entry.front().getTerminator()->getOperandTypes()));
}

namespace {
struct LoosenOverridden : onnxc::impl::LoosenOverriddenBase<LoosenOverridden> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(model::overridden) && !function.isExternal())
        loosenDependents(function);
  }
};
} // namespace
