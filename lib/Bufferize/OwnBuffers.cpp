//===- OwnBuffers.cpp - Memory that passes from iteration to iteration ----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer that a region hands to its scf op has one owner: the op's result, or
// the argument of the next iteration. The terminator hands on a fresh buffer (a
// copy, or what was made for nothing else), and the owner gives it back: an
// iteration when it ends, the op's block after the last use. A branch may also
// hand on a buffer of the block around it; then a flag tells the result that it
// owns nothing.
//
//===----------------------------------------------------------------------===//

#include "BufferScopes.h"
#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace onnxc {
#define GEN_PASS_DEF_OWNBUFFERSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// The value behind casts.
Value skipCasts(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  return value;
}

bool isBuffer(Value value) { return isa<MemRefType>(value.getType()); }

class OwnBuffers : public onnxc::impl::OwnBuffersPassBase<OwnBuffers> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, memref::MemRefDialect, scf::SCFDialect>();
  }
  void runOnOperation() override;

  void ownResults(scf::IfOp op);
  static scf::IfOp addFlags(scf::IfOp op, ArrayRef<std::array<bool, 2>> flags);
  void ownCarried(scf::ForOp op);
  void ownCarried(scf::WhileOp op);
  void handOn(OpOperand &operand);
  void carry(Operation *loop, MutableArrayRef<OpOperand> inits,
             Operation *yield, Block::BlockArgListType arguments,
             ArrayRef<unsigned> places);
  /// The results that own their buffers: always, or where a flag says so.
  llvm::MapVector<Value, Value> owned;
};

/// Makes `operand` a fresh buffer.
void OwnBuffers::handOn(OpOperand &operand) {
  Operation *user = operand.getOwner();
  Value root = skipCasts(operand.get());
  auto alloc = root.getDefiningOp<memref::AllocOp>();
  bool isFresh = user->hasTrait<OpTrait::IsTerminator>() &&
                 root.getParentBlock() == user->getBlock() &&
                 (alloc || (owned.contains(root) && !owned.lookup(root))) &&
                 llvm::count_if(user->getOperands(), [&](Value other) {
                   return isBuffer(other) && skipCasts(other) == root;
                 }) == 1;
  OpBuilder b(user);
  if (isFresh) {
    // This block no longer owns the memory.
    owned.erase(root);
    if (alloc)
      alloc->setAttr(program::owned, b.getUnitAttr());
    return;
  }
  Location loc = user->getLoc();
  auto type = cast<MemRefType>(operand.get().getType());
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(b, loc, operand.get(), i));
  auto copy = memref::AllocOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType()), sizes);
  copy->setAttr(program::owned, b.getUnitAttr());
  memref::CopyOp::create(b, loc, operand.get(), copy);
  Value value = copy;
  if (value.getType() != type)
    value = memref::CastOp::create(b, loc, type, value);
  operand.set(value);
}

/// Buffers of fixed size are in the arena, from any branch.
void OwnBuffers::ownResults(scf::IfOp op) {
  SmallVector<unsigned> always, sometimes;
  SmallVector<std::array<bool, 2>> isOwned;
  for (OpResult result : op.getResults()) {
    auto type = dyn_cast<MemRefType>(result.getType());
    if (!type || type.hasStaticShape())
      continue;
    unsigned index = result.getResultNumber();
    std::array<bool, 2> makes;
    for (auto [i, region] : llvm::enumerate(op->getRegions())) {
      OpOperand &yielded = region.front().getTerminator()->getOpOperand(index);
      makes[i] = region.isAncestor(skipCasts(yielded.get()).getParentRegion());
      if (makes[i])
        handOn(yielded);
    }
    if (makes[0] && makes[1]) {
      always.push_back(index);
    } else if (makes[0] || makes[1]) {
      sometimes.push_back(index);
      isOwned.push_back(makes);
    }
  }
  if (!sometimes.empty())
    op = addFlags(op, isOwned);
  for (unsigned index : always)
    owned.insert({op.getResult(index), Value()});
  unsigned flag = op.getNumResults() - sometimes.size();
  for (unsigned index : sometimes)
    owned.insert({op.getResult(index), op.getResult(flag++)});
}

/// The op with a further result for each pair of flags, by branch.
scf::IfOp OwnBuffers::addFlags(scf::IfOp op,
                               ArrayRef<std::array<bool, 2>> flags) {
  OpBuilder b(op);
  SmallVector<Type> types(op.getResultTypes());
  types.append(flags.size(), b.getI1Type());
  auto more = scf::IfOp::create(b, op.getLoc(), types, op.getCondition());
  for (unsigned i = 0; i < 2; ++i) {
    more->getRegion(i).takeBody(op->getRegion(i));
    Operation *yield = more->getRegion(i).front().getTerminator();
    b.setInsertionPoint(yield);
    SmallVector<Value> values(yield->getOperands());
    for (std::array<bool, 2> flag : flags)
      values.push_back(arith::ConstantIntOp::create(b, yield->getLoc(),
                                                    b.getI1Type(), flag[i]));
    yield->setOperands(values);
  }
  op.replaceAllUsesWith(more.getResults().take_front(op.getNumResults()));
  op.erase();
  return more;
}

/// At these places of what the loop carries: makes what enters the loop and
/// what each iteration yields fresh, and gives back what an iteration got.
void OwnBuffers::carry(Operation *loop, MutableArrayRef<OpOperand> inits,
                       Operation *yield, Block::BlockArgListType arguments,
                       ArrayRef<unsigned> places) {
  for (unsigned place : places)
    owned.insert({loop->getResult(place), Value()});
  for (unsigned place : places)
    handOn(inits[place]);
  for (unsigned place : places)
    handOn(yield->getOpOperand(place));
  for (unsigned place : places) {
    BlockArgument argument = arguments[place];
    Operation *end = argument.getOwner()->getTerminator();
    OpBuilder b(end);
    memref::DeallocOp::create(b, end->getLoc(), argument);
  }
}

void OwnBuffers::ownCarried(scf::ForOp op) {
  SmallVector<unsigned> places;
  Operation *yield = op.getBody()->getTerminator();
  for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs()))
    // One buffer for the whole loop needs no owner in it.
    if (isBuffer(argument) && skipCasts(yield->getOperand(i)) != argument)
      places.push_back(i);
  carry(op, op.getInitsMutable(), yield, op.getRegionIterArgs(), places);
}

void OwnBuffers::ownCarried(scf::WhileOp op) {
  SmallVector<unsigned> places;
  Operation *yield = op.getYieldOp();
  OperandRange passed = op.getConditionOp().getArgs();
  for (auto [i, argument] : llvm::enumerate(op.getAfterArguments())) {
    if (!isBuffer(argument) || i >= yield->getNumOperands() ||
        skipCasts(yield->getOperand(i)) == argument)
      continue;
    // Where the condition hands on something else, buffers live to the end of
    // the run.
    if (skipCasts(passed[i]) == op.getBeforeArguments()[i])
      places.push_back(i);
  }
  carry(op, op.getInitsMutable(), yield, op.getAfterArguments(), places);
}

void OwnBuffers::runOnOperation() {
  owned.clear();
  func::FuncOp fn = getOperation();
  // Inner ops first: what they own may be handed on by the outer ones.
  fn.walk([&](Operation *op) {
    if (auto choice = dyn_cast<scf::IfOp>(op))
      ownResults(choice);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      ownCarried(loop);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      ownCarried(loop);
  });
  if (owned.empty())
    return;
  ScopeAnalysis scopes(fn);
  SmallVector<Operation *> lasts;
  for (auto [value, flag] : owned) {
    BufferScope scope = scopes.scopeOf(value);
    // What is let out in another way lives to the end of the run.
    if (scope.block != value.getParentBlock())
      lasts.push_back(nullptr);
    else
      lasts.push_back(scope.last ? scope.last : value.getDefiningOp());
  }
  for (auto [entry, last] : llvm::zip_equal(owned, lasts)) {
    if (!last)
      continue;
    auto [value, flag] = entry;
    OpBuilder b(last);
    if (!last->hasTrait<OpTrait::IsTerminator>())
      b.setInsertionPointAfter(last);
    if (flag)
      b = scf::IfOp::create(b, value.getLoc(), flag, /*withElseRegion=*/false)
              .getThenBodyBuilder();
    memref::DeallocOp::create(b, value.getLoc(), value);
  }
}

} // namespace
