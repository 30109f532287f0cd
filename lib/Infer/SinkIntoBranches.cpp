//===- SinkIntoBranches.cpp - Code for each rank of a value ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `y = If(c) {Squeeze(x)} else {x}` has one rank or the other. What is computed
// from y until a rank is known again moves into the branches, where the rank of
// y is known.
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Sequence.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace onnxc;

/// Whether an op passes tensors on or asks for their shape, so that it need not
/// know their ranks:
/// they are handles then (docs/decisions/006).
static bool takesHandles(Operation *op) {
  return hasFact(op, OpFact::TakesHandles) ||
         isa<FaultOp, YieldOp, func::ReturnOp, func::CallOp>(op);
}

bool onnxc::lacksRank(Value value) {
  if (!isa<UnrankedTensorType>(value.getType()))
    return false;
  Operation *definer = value.getDefiningOp();
  return (definer && !takesHandles(definer)) ||
         !llvm::all_of(value.getUsers(), takesHandles);
}

static bool isUnranked(Value value) {
  return isa<UnrankedTensorType, UnknownType>(value.getType());
}

namespace {

/// What is computed from the results of an If, behind it in its block.
class Sink {
public:
  explicit Sink(IfOp op) : op(op), block(op->getBlock()) {}

  bool run();

private:
  void collect();
  void hoistOthers();
  void replace();

  IfOp op;
  Block *block;
  /// In the order of the block: what depends on the results, and what of it is
  /// to be moved.
  llvm::SetVector<Operation *> dependent, moved;
};

} // namespace

/// The ops of the block that use the value, or have a subgraph that does.
static llvm::SmallVector<Operation *> getUsersIn(Block *block, Value value) {
  llvm::SmallVector<Operation *> users;
  for (Operation *user : value.getUsers())
    users.push_back(block->findAncestorOpInBlock(*user));
  return users;
}

void Sink::collect() {
  llvm::DenseSet<Operation *> depends, moves;
  auto mark = [&](Operation *from) {
    for (Value result : from->getResults())
      for (Operation *user : getUsersIn(block, result)) {
        if (user == block->getTerminator())
          continue;
        depends.insert(user);
        if (isUnranked(result) && (from == op || moves.contains(from)))
          moves.insert(user);
      }
  };
  mark(op);
  for (Operation &later :
       llvm::make_range(std::next(op->getIterator()), block->end()))
    if (depends.contains(&later)) {
      // Only the unranked results of what is moved lead on.
      mark(&later);
      dependent.insert(&later);
    }
  // What they need of the other results goes with them.
  for (Operation *each : llvm::reverse(dependent.getArrayRef()))
    for (Value result : each->getResults())
      for (Operation *user : getUsersIn(block, result))
        if (moves.contains(user))
          moves.insert(each);
  for (Operation *each : dependent)
    if (moves.contains(each))
      moved.insert(each);
}

/// What stands between and depends on nothing of it may stand before.
void Sink::hoistOthers() {
  if (moved.empty())
    return;
  Operation *end = moved.back();
  for (Operation &each : llvm::make_early_inc_range(
           llvm::make_range(std::next(op->getIterator()), end->getIterator())))
    if (!dependent.contains(&each))
      each.moveBefore(op);
}

void Sink::replace() {
  // Whatever is used behind leaves the new op.
  llvm::SmallVector<Value> results;
  auto keep = [&](ResultRange values) {
    for (Value value : values)
      if (llvm::any_of(getUsersIn(block, value),
                       [&](Operation *user) { return !moved.contains(user); }))
        results.push_back(value);
  };
  keep(op->getResults());
  for (Operation *each : moved)
    keep(each->getResults());

  OpBuilder b(op);
  OperationState state(op.getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addAttributes(op->getAttrs());
  state.addTypes(ValueRange(results).getTypes());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *next = b.create(state);
  for (unsigned i = 0; i < op->getNumRegions(); ++i) {
    next->getRegion(i).takeBody(op->getRegion(i));
    Operation *yield = &next->getRegion(i).front().back();
    IRMapping mapping;
    mapping.map(op->getResults(), yield->getOperands());
    b.setInsertionPoint(yield);
    for (Operation *each : moved)
      b.clone(*each, mapping);
    llvm::SmallVector<Value> values;
    for (Value result : results)
      values.push_back(mapping.lookup(result));
    yield->setOperands(values);
  }
  for (auto [result, value] : llvm::zip_equal(results, next->getResults()))
    result.replaceUsesWithIf(value, [&](OpOperand &use) {
      return !moved.contains(block->findAncestorOpInBlock(*use.getOwner()));
    });
  for (Operation *each : llvm::reverse(moved.getArrayRef()))
    each->erase();
  op->erase();
}

bool Sink::run() {
  collect();
  bool isUnresolved = llvm::any_of(op->getResults(), lacksRank) ||
                      llvm::any_of(moved, [](Operation *each) {
                        return llvm::any_of(each->getResults(), lacksRank);
                      });
  if (!isUnresolved)
    return false;
  hoistOthers();
  replace();
  return true;
}

bool onnxc::sinkIntoBranches(func::FuncOp function) {
  // The first one may take others into its branches.
  WalkResult result = function.walk<WalkOrder::PreOrder>([](IfOp op) {
    bool isOpen = llvm::any_of(op->getResults(), [](Value value) {
      return isa<UnrankedTensorType>(value.getType());
    });
    return isOpen && Sink(op).run() ? WalkResult::interrupt()
                                    : WalkResult::advance();
  });
  return result.wasInterrupted();
}
