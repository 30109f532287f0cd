//===- RefineOperands.cpp - What an op tells of its operands --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape rule read backwards. No op says anything for it: a rank is the one
// with which the rule holds, found by trial; a size is what the rule requires
// to be equal to something known.
//
//===----------------------------------------------------------------------===//

#include "RefineOperands.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace onnxc;

/// Ranks beyond this one are not tried.
static constexpr int64_t maxRank = 8;

/// Whether the op's rule holds and agrees with what is known of the results.
static bool isConsistent(Operation *op) {
  llvm::SmallVector<Type> inferred;
  if (failed(inferResultTypes(op, inferred, nullptr)))
    return false;
  return llvm::all_of(llvm::zip_equal(inferred, op->getResultTypes()),
                      [](auto pair) {
                        auto [type, known] = pair;
                        return !type || areCompatibleTypes(type, known);
                      });
}

/// The only rank that the value can have where the op uses it, if it is one.
static std::optional<int64_t> findRank(Operation *op, Value value) {
  auto type = cast<UnrankedTensorType>(value.getType());
  std::optional<int64_t> found;
  bool isUnique = true;
  for (int64_t rank = 0; rank <= maxRank && isUnique; ++rank) {
    llvm::SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
    value.setType(RankedTensorType::get(shape, type.getElementType()));
    if (!isConsistent(op))
      continue;
    isUnique = !found;
    found = rank;
  }
  value.setType(type);
  return isUnique ? found : std::nullopt;
}

/// Whether the value is computed if and only if the op is run: they stand in
/// one block, and nothing leaves a block but errors.
static bool standsTogether(Value value, Operation *op) {
  return value.getDefiningOp() && value.getParentBlock() == op->getBlock();
}

/// Ops that pass on what has no rank say nothing of it.
static bool passesOn(Operation *op) {
  return isOfFamily(op, Family::ControlFlow) || isa<IdentityOp>(op);
}

/// Whether what computes the value can be given its rank: it checks what it
/// does not know. A branch that is known to yield another rank cannot.
static bool canHaveRank(Value value, int64_t rank) {
  Operation *definer = value.getDefiningOp();
  if (!isa<IfOp>(definer))
    return !hasFact(definer, OpFact::RepeatsBody);
  return llvm::all_of(definer->getRegions(), [&](Region &region) {
    auto yield = dyn_cast<YieldOp>(region.front().back());
    auto type =
        yield ? dyn_cast<RankedTensorType>(
                    yield.getValues()[cast<OpResult>(value).getResultNumber()]
                        .getType())
              : nullptr;
    return !type || type.getRank() == rank;
  });
}

/// States that the operand has a rank where its user runs. Returns whether it
/// could.
static bool setRank(OpOperand &operand, int64_t rank) {
  Value value = operand.get();
  Operation *user = operand.getOwner();
  llvm::SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  auto type = RankedTensorType::get(
      shape, cast<TensorType>(value.getType()).getElementType());
  if (standsTogether(value, user) && canHaveRank(value, rank)) {
    value.setType(type);
    return true;
  }
  if (isa<IdentityOp>(user))
    return false;
  OpBuilder builder(user);
  operand.set(IdentityOp::create(builder, user->getLoc(), type, value));
  return true;
}

static bool refineRanks(Operation *op) {
  bool changed = false;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<UnrankedTensorType>(operand.get().getType()))
      if (std::optional<int64_t> rank = findRank(op, operand.get()))
        changed |= setRank(operand, *rank);
  return changed;
}

/// A branch yields what the If has as results.
static bool refineYields(YieldOp yield, IfOp op) {
  // Where a run may not come to the If, its rule does not hold for sure.
  if (yield->getNumOperands() != op->getNumResults())
    return false;
  bool changed = false;
  for (auto [operand, result] :
       llvm::zip_equal(yield->getOpOperands(), op->getResults())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || !isa<UnrankedTensorType>(operand.get().getType()))
      continue;
    changed |= setRank(operand, type.getRank());
  }
  return changed;
}

bool onnxc::refineOperands(Operation *op) {
  if (auto yield = dyn_cast<YieldOp>(op))
    if (auto branches = dyn_cast<IfOp>(yield->getParentOp()))
      return refineYields(yield, branches);
  if (!isa<SchemaOpInterface>(op) || (passesOn(op) && !isa<IdentityOp>(op)))
    return false;
  return refineRanks(op);
}
