//===- Faults.cpp - What is wrong where no run need come ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Faults.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Messages.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace onnxc;

void Faults::add(Operation *op, llvm::StringRef message) {
  message = dropRuleTag(message, op->getName().stripDialect());
  faults.insert_or_assign(op, Fault{op->getLoc(),
                                    getAssumedSizes(op) ? "" : message.str(),
                                    (describeNode(op) + ": " + message).str()});
}

void Faults::addFollowing(Operation *op, FaultOp first) {
  // The warning of it was given when the op was made.
  faults.insert_or_assign(op,
                          Fault{first.getLoc(), "", first.getMessage().str()});
}

bool Faults::areWithin(Operation *op) const {
  return llvm::any_of(faults, [&](const auto &fault) {
    return op->isProperAncestor(fault.first);
  });
}

void Faults::replace(Region &region) {
  visit(region);
  faults.clear();
}

void Faults::visit(Region &region) {
  for (Block &block : region)
    for (Operation &op : block) {
      auto found = faults.find(&op);
      if (found != faults.end()) {
        replace(&op, found->second);
        break;
      }
      for (Region &inner : op.getRegions())
        visit(inner);
    }
}

void Faults::replace(Operation *op, const Fault &fault) {
  if (!fault.warning.empty())
    warnOfFault(fault.location, fault.warning);
  // The model for any sizes says what is wrong in the words of other sizes.
  if (IfOp branches = getAssumedSizes(op)) {
    OpBuilder b(branches);
    auto type = RankedTensorType::get({}, b.getI1Type());
    Operation *never = op->getDialect()->materializeConstant(
        b, DenseElementsAttr::get(type, false), type, branches.getLoc());
    branches.getCondMutable().assign(never->getResult(0));
  }
  // What the subgraph yields of the op and of what stands behind it.
  Operation *end = op->getBlock()->getTerminator();
  llvm::SmallVector<OpOperand *> missing;
  llvm::SmallVector<Type> types;
  for (OpOperand &operand : end->getOpOperands()) {
    Operation *definer = operand.get().getDefiningOp();
    if (!definer || definer->getBlock() != op->getBlock() ||
        definer->isBeforeInBlock(op))
      continue;
    missing.push_back(&operand);
    types.push_back(operand.get().getType());
  }
  OpBuilder builder(op);
  auto made = FaultOp::create(builder, fault.location, types, fault.message);
  for (auto [operand, value] : llvm::zip_equal(missing, made.getValues()))
    operand->set(value);
  while (end->getPrevNode() != made)
    end->getPrevNode()->erase();
}

/// The type of what a body gives for each slice of `result` along `axis`; null
/// if that is not known.
static Type getSliceType(Value result, int64_t axis) {
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type || type.getRank() == 0)
    return {};
  llvm::SmallVector<int64_t> shape(type.getShape());
  if (axis < 0)
    axis += type.getRank();
  if (axis < 0 || axis >= type.getRank())
    return {};
  shape.erase(shape.begin() + axis);
  return RankedTensorType::get(shape, type.getElementType());
}

/// What `op` has for value number `index` that its subgraph yields, as far as
/// other values tell it; null if they do not.
static Type getExpectedType(Operation *op, Region *region, unsigned index) {
  if (auto branches = dyn_cast<IfOp>(op)) {
    Region &other = region == &branches.getThenBranch()
                        ? branches.getElseBranch()
                        : branches.getThenBranch();
    Operation *yield = other.front().getTerminator();
    Type result = op->getResult(index).getType();
    if (index >= yield->getNumOperands())
      return result;
    Type type = yield->getOperand(index).getType();
    Type both = joinTypes(type, result);
    return both ? both : type;
  }
  if (auto loop = dyn_cast<LoopOp>(op)) {
    if (index == 0)
      return RankedTensorType::get({}, IntegerType::get(op->getContext(), 1));
    size_t carried = loop.getVInitial().size();
    return index <= carried ? loop.getVInitial()[index - 1].getType()
                            : getSliceType(op->getResult(index - 1), 0);
  }
  if (auto scan = dyn_cast<ScanOp>(op)) {
    size_t states = op->getNumOperands() - scan.getNumScanInputs();
    if (index < states)
      return op->getOperand(index).getType();
    std::optional<llvm::ArrayRef<int64_t>> axes = scan.getScanOutputAxes();
    return getSliceType(op->getResult(index),
                        axes ? (*axes)[index - states] : 0);
  }
  if (isa<SequenceMapOp>(op))
    if (auto sequence = dyn_cast<SeqType>(op->getResult(index).getType()))
      return sequence.getElementType();
  return {};
}

bool onnxc::refineFault(FaultOp fault) {
  Operation *outer = fault->getParentOp();
  bool changed = false;
  for (Value value : fault.getValues())
    for (OpOperand &use : value.getUses()) {
      if (use.getOwner() != fault->getBlock()->getTerminator())
        continue;
      Type type = getExpectedType(outer, fault->getParentRegion(),
                                  use.getOperandNumber());
      if (!type || isa<UnknownType>(type) || type == value.getType())
        continue;
      value.setType(type);
      changed = true;
    }
  return changed;
}

/// What the op collects of value number `index` of its body; null if it is
/// carried, or of a branch.
static Value getCollected(Operation *op, unsigned index) {
  if (auto loop = dyn_cast<LoopOp>(op))
    return index > loop.getVInitial().size() ? op->getResult(index - 1)
                                             : Value();
  if (auto scan = dyn_cast<ScanOp>(op))
    return index + scan.getNumScanInputs() >= op->getNumOperands()
               ? op->getResult(index)
               : Value();
  return {};
}

bool onnxc::settleFault(FaultOp fault) {
  bool changed = false;
  for (Value value : fault.getValues())
    for (OpOperand &use : value.getUses()) {
      if (use.getOwner() != fault->getBlock()->getTerminator() ||
          isa<RankedTensorType>(value.getType()))
        continue;
      Value result = getCollected(fault->getParentOp(), use.getOperandNumber());
      auto type = result ? dyn_cast<UnrankedTensorType>(result.getType())
                         : UnrankedTensorType();
      if (!type)
        continue;
      value.setType(RankedTensorType::get({}, type.getElementType()));
      changed = true;
    }
  return changed;
}
