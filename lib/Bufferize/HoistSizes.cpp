//===- HoistSizes.cpp - Where sizes are known first -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HoistSizes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace onnxc;

bool onnxc::isMovableScalar(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type t) { return t.isIntOrIndex(); });
}

Operation *onnxc::findCheckBefore(Operation *op) {
  do
    op = op->getPrevNode();
  while (op && !isa<cf::AssertOp>(op));
  return op;
}

namespace {
/// The same for many ops, none of which moves meanwhile: each op of the block
/// is passed once.
class ChecksBefore {
public:
  Operation *find(Operation *op) {
    SmallVector<Operation *> passed;
    Operation *check = nullptr;
    for (; op; op = op->getPrevNode()) {
      if (auto known = checks.find(op); known != checks.end()) {
        check = known->second;
        break;
      }
      passed.push_back(op);
      if (isa_and_nonnull<cf::AssertOp>(op->getPrevNode())) {
        check = op->getPrevNode();
        break;
      }
    }
    for (Operation *other : passed)
      checks[other] = check;
    return check;
  }

private:
  DenseMap<Operation *, Operation *> checks;
};
} // namespace

/// Whether the cast says a size that its operand does not: it holds only behind
/// the check before it, which what writes the operand does not wait for.
static bool givesSizes(Operation *op) {
  auto cast = dyn_cast<tensor::CastOp>(op);
  return cast && isa<RankedTensorType>(cast.getType()) &&
         tensor::canFoldIntoProducerOp(cast);
}

Operation *onnxc::findBirth(Value value, Block *block, bool isFirstWrite) {
  Operation *last = value.getDefiningOp(), *first = last;
  while (Operation *def = value.getDefiningOp()) {
    auto result = cast<OpResult>(value);
    if (givesSizes(def))
      return block->findAncestorOpInBlock(*def);
    if (isFirstWrite && isa<tensor::EmptyOp>(def))
      return block->findAncestorOpInBlock(*first);
    first = def;
    if (auto writer = dyn_cast<DestinationStyleOpInterface>(def))
      value = writer.getTiedOpOperand(result)->get();
    else if (auto loop = dyn_cast<scf::ForOp>(def))
      value = loop.getTiedLoopInit(result)->get();
    else if (isa<tensor::CastOp, tensor::ExpandShapeOp,
                 tensor::CollapseShapeOp>(def))
      value = def->getOperand(0);
    else
      return block->findAncestorOpInBlock(isa<tensor::EmptyOp>(def) ? *def
                                                                    : *last);
  }
  return last ? block->findAncestorOpInBlock(*last) : nullptr;
}

namespace {
/// Where ops of a block go that are moved up to their operands: each behind an
/// op that stays, and in the order in which they were added. Nothing moves
/// before all places are known, as the order of a block is numbered anew by the
/// first question that follows a move.
class UpwardMoves {
public:
  explicit UpwardMoves(Block *block) : block(block) {}

  /// Has `op`, whose operands were added before it if they move as well, go
  /// behind these and behind `atLeast`, if there is one.
  void add(Operation *op, Operation *atLeast) {
    Place last = findLast(op->getOperands());
    if (atLeast)
      last = std::max(last, Place{atLeast, 0}, isBefore);
    places[op] = {last.anchor, ++number};
    ops.push_back(op);
  }
  /// The op behind which all of `values` are there once the ops have moved, or
  /// null if they are at the start of the block.
  Operation *findLastOf(ValueRange values) { return findLast(values).moved; }
  void apply() {
    DenseMap<Operation *, Operation *> ends;
    for (Operation *op : ops) {
      Operation *anchor = places.lookup(op).anchor;
      Operation *&end = ends.try_emplace(anchor, anchor).first->second;
      if (end)
        op->moveAfter(end);
      else
        op->moveBefore(block, block->begin());
      end = op;
    }
  }

private:
  struct Place {
    /// What stays; null at the start of the block.
    Operation *anchor = nullptr;
    /// Which of those that move there; 0 is the anchor itself.
    size_t number = 0;
    Operation *moved = anchor;
  };

  static bool isBefore(const Place &a, const Place &b) {
    if (a.anchor == b.anchor)
      return a.number < b.number;
    return !a.anchor || (b.anchor && a.anchor->isBeforeInBlock(b.anchor));
  }
  Place findLast(ValueRange values) {
    Place last;
    for (Value value : values) {
      Operation *def = value.getDefiningOp();
      def = def ? block->findAncestorOpInBlock(*def) : nullptr;
      if (!def)
        continue;
      Place place = places.contains(def) ? places.lookup(def) : Place{def, 0};
      place.moved = def;
      last = std::max(last, place, isBefore);
    }
    return last;
  }

  Block *block;
  size_t number = 0;
  DenseMap<Operation *, Place> places;
  SmallVector<Operation *> ops;
};
} // namespace

Operation *onnxc::hoistSizes(ArrayRef<Value> sizes, Block *block) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == block && isMovableScalar(op);
  };
  SetVector<Operation *> slice;
  for (Value size : sizes)
    if (Operation *def = size.getDefiningOp())
      (void)getBackwardSlice(def, &slice, options);

  UpwardMoves moves(block);
  ChecksBefore checks;
  // A slice is in topological order.
  for (Operation *op : slice) {
    if (!isMovableScalar(op) || op->getBlock() != block)
      continue;
    bool readsElements =
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
    moves.add(op, readsElements ? checks.find(op) : nullptr);
  }
  Operation *last = moves.findLastOf(sizes);
  moves.apply();
  return last;
}
