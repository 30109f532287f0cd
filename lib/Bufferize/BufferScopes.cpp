//===- BufferScopes.cpp - Where buffers are in use ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferScopes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace onnxc;

BufferScope ScopeAnalysis::scopeOf(Value buffer) const {
  SmallVector<Operation *> uses;
  SmallVector<Block *> homes;
  for (Value alias : aliases.resolve(buffer)) {
    homes.push_back(alias.getParentBlock());
    for (Operation *user : alias.getUsers())
      // A view touches nothing; the users of its result do.
      if (!isa<ViewLikeOpInterface>(user))
        uses.push_back(user);
  }
  BufferScope scope;
  scope.block = buffer.getParentBlock();
  auto holds = [](Block *block, Block *inner) {
    return block->getParent()->isAncestor(inner->getParent()) &&
           (block == inner ||
            block->findAncestorOpInBlock(*inner->getParentOp()) != nullptr);
  };
  auto holdsAll = [&](Block *block) {
    // A terminator hands the buffer on to the parent, whose alias is in
    // `homes`.
    return llvm::all_of(homes, [&](Block *b) { return holds(block, b); });
  };
  while (!holdsAll(scope.block)) {
    // Only an op that runs its regions at most once lets a buffer out whose
    // memory may be the same each time.
    Operation *parent = scope.block->getParentOp();
    if (!isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(parent))
      return BufferScope();
    scope.block = parent->getBlock();
  }
  for (Operation *use : uses) {
    Operation *op = scope.block->findAncestorOpInBlock(*use);
    if (!scope.first || op->isBeforeInBlock(scope.first))
      scope.first = op;
    if (!scope.last || scope.last->isBeforeInBlock(op))
      scope.last = op;
  }
  return scope;
}
