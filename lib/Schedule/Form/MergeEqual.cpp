//===- MergeEqual.cpp - Equal operations become one -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's pass for that knows an operation by its operands, not by its body.
// Structured operations on one tensor with different bodies are then compared
// with each other, all of them: very many results of a model take seconds.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Schedule/Passes.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopedHashTable.h"

namespace onnxc {
#define GEN_PASS_DEF_MERGEEQUALPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Operations by all that they are but their results.
struct ByBody : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *key) {
    auto *op = const_cast<Operation *>(key);
    llvm::hash_code hash = OperationEquivalence::computeHash(
        op, OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        // Operands of a commutative operation may stand in any order.
        size_t outside = 0;
        for (Value operand : inner->getOperands())
          if (!region.isAncestor(operand.getParentRegion()))
            outside += hash_value(operand);
        hash =
            llvm::hash_combine(hash, outside,
                               OperationEquivalence::computeHash(
                                   inner, OperationEquivalence::ignoreHashValue,
                                   OperationEquivalence::ignoreHashValue,
                                   OperationEquivalence::IgnoreLocations));
      });
    return hash;
  }
  static bool isEqual(const Operation *left, const Operation *right) {
    if (left == right)
      return true;
    auto isNone = [](const Operation *op) {
      return op == getEmptyKey() || op == getTombstoneKey();
    };
    return !isNone(left) && !isNone(right) &&
           OperationEquivalence::isEquivalentTo(
               const_cast<Operation *>(left), const_cast<Operation *>(right),
               OperationEquivalence::IgnoreLocations);
  }
};

using Known = llvm::ScopedHashTable<Operation *, Operation *, ByBody>;

bool canMerge(Operation *op) {
  return op->getNumResults() > 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
         isMemoryEffectFree(op);
}

void merge(Region &region, Known &known) {
  for (Block &block : region) {
    // What a block has is known in the ops that are in it; of several blocks
    // none is taken to come before another.
    Known::ScopeTy scope(known);
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (op.hasTrait<OpTrait::IsIsolatedFromAbove>()) {
        Known own;
        for (Region &inner : op.getRegions())
          merge(inner, own);
        continue;
      }
      for (Region &inner : op.getRegions())
        merge(inner, known);
      if (isOpTriviallyDead(&op)) {
        op.erase();
        continue;
      }
      if (!canMerge(&op))
        continue;
      if (Operation *equal = known.lookup(&op)) {
        op.replaceAllUsesWith(equal);
        op.erase();
        continue;
      }
      known.insert(&op, &op);
    }
  }
}

class MergeEqual : public onnxc::impl::MergeEqualPassBase<MergeEqual> {
  void runOnOperation() override {
    Known known;
    merge(getOperation().getBody(), known);
  }
};

} // namespace
