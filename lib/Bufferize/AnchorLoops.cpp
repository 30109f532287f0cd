//===- AnchorLoops.cpp - Loops that keep their buffers ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Destination.h"
#include "onnxc/Bufferize/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace onnxc {
#define GEN_PASS_DEF_ANCHORLOOPSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Whether `value` is made in the buffer of `anchor`, an argument of the same
/// block, step by step, and no op reads what a step overwrites.
bool isMadeIn(Value value, Value anchor) {
  Block *block = anchor.getParentBlock();
  while (value != anchor) {
    OpOperand *destination = onnxc::getDestination(value);
    if (!destination || destination->getOwner()->getBlock() != block)
      return false;
    Operation *step = destination->getOwner();
    value = destination->get();
    for (OpOperand &use : value.getUses()) {
      if (&use == destination)
        continue;
      // What only looks like a use before the step may be read behind it.
      Operation *user = block->findAncestorOpInBlock(*use.getOwner());
      if (!user || !user->isBeforeInBlock(step) ||
          isa<ViewLikeOpInterface, tensor::ExtractSliceOp, tensor::CastOp,
              tensor::CollapseShapeOp, tensor::ExpandShapeOp>(use.getOwner()))
        return false;
    }
  }
  return true;
}

/// Where the size of a dimension comes from: a number, an integer, or the
/// dimension of a tensor that is made of no other.
struct SizeSource {
  OpFoldResult size;
  Value tensor = {};
  int64_t dim = -1;

  bool operator==(const SizeSource &other) const {
    return size == other.size && tensor == other.tensor && dim == other.dim;
  }
};

SizeSource sourceOf(Value tensor, int64_t dim) {
  while (true) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(dim))
      return {Builder(tensor.getContext()).getIndexAttr(type.getDimSize(dim))};
    OpFoldResult size;
    if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
      size = empty.getMixedSizes()[dim];
    else if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
             slice && slice.getSourceType().getRank() == type.getRank())
      size = slice.getMixedSizes()[dim];
    if (size) {
      auto inner = dyn_cast<Value>(size);
      auto of = inner ? inner.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
      std::optional<int64_t> number = of ? of.getConstantIndex() : std::nullopt;
      if (!number || !isa<RankedTensorType>(of.getSource().getType()))
        return {size};
      tensor = of.getSource();
      dim = *number;
      continue;
    }
    if (auto cast = tensor.getDefiningOp<tensor::CastOp>();
        cast && isa<RankedTensorType>(cast.getSource().getType())) {
      tensor = cast.getSource();
    } else if (auto op = tensor.getDefiningOp<DestinationStyleOpInterface>()) {
      tensor = op.getTiedOpOperand(cast_if_present<OpResult>(tensor))->get();
    } else {
      return {OpFoldResult(), tensor, dim};
    }
  }
}

/// Whether every iteration of `loop` yields as result `number` a tensor of the
/// sizes that its initial one has: so all of them fit one buffer.
bool keepsSizes(scf::ForOp loop, unsigned number) {
  auto type = cast<RankedTensorType>(loop.getResult(number).getType());
  Value first = loop.getInitArgs()[number];
  Value next = loop.getYieldedValues()[number];
  Value argument = loop.getRegionIterArg(number);
  return llvm::all_of(llvm::seq<int64_t>(type.getRank()), [&](int64_t dim) {
    SizeSource source = sourceOf(next, dim);
    return source == sourceOf(first, dim) || source == sourceOf(argument, dim);
  });
}

/// Copies each yielded tensor into the buffer of the iteration argument that it
/// becomes. `anchors[i]` is that argument as the yield sees it, or null.
/// `isFixed` tells of tensors of dynamic type whether the sizes stay the same.
void anchorYield(Operation *yield, ArrayRef<Value> anchors,
                 llvm::function_ref<bool(unsigned)> isFixed) {
  OpBuilder b(yield);
  Location loc = yield->getLoc();
  SmallVector<bool> anchored;
  for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    anchored.push_back(anchors[i] && type && anchors[i].getType() == type &&
                       !isMadeIn(value, anchors[i]) &&
                       (type.hasStaticShape() || isFixed(i)));
  }

  // A yield that permutes the arguments (ping-pong) reads one after another was
  // overwritten; such values are saved first.
  SmallVector<Value> saved(yield->getOperands());
  for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
    if (!anchored[i] || !llvm::is_contained(anchors, value))
      continue;
    Value empty =
        tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, value),
                                getElementTypeOrSelf(value.getType()));
    saved[i] = linalg::CopyOp::create(b, loc, value, empty).getResult(0);
  }
  for (unsigned i = 0, e = yield->getNumOperands(); i < e; ++i)
    if (anchored[i])
      yield->setOperand(
          i, linalg::CopyOp::create(b, loc, saved[i], anchors[i]).getResult(0));
}

/// Numbers the arguments of the "before" region like those of the "after"
/// region that they become: that is how bufferization tells which of them share
/// a buffer. Canonicalization leaves out what is not used.
void alignArguments(scf::WhileOp loop) {
  Block *before = loop.getBeforeBody();
  llvm::SetVector<unsigned> order;
  for (Value passed : loop.getConditionOp().getArgs()) {
    auto argument = dyn_cast<BlockArgument>(passed);
    if (!argument || argument.getOwner() != before ||
        !order.insert(argument.getArgNumber()))
      return;
  }
  unsigned count = before->getNumArguments();
  for (unsigned i = 0; i < count; ++i)
    order.insert(i);
  scf::YieldOp yield = loop.getYieldOp();
  SmallVector<Value> inits, next;
  for (unsigned old : order) {
    inits.push_back(loop.getInits()[old]);
    next.push_back(yield.getOperand(old));
    BlockArgument argument = before->getArgument(old);
    argument.replaceAllUsesWith(
        before->addArgument(argument.getType(), argument.getLoc()));
  }
  before->eraseArguments(0, count);
  loop.getInitsMutable().assign(inits);
  yield->setOperands(next);
}

/// Anchors what the loop yields in the buffers of its iteration arguments.
void anchorFor(scf::ForOp loop) {
  SmallVector<Value> anchors(loop.getRegionIterArgs());
  anchorYield(loop.getBody()->getTerminator(), anchors,
              [&](unsigned i) { return keepsSizes(loop, i); });
}

/// The same for a while loop. An argument of the "after" region is the loop's
/// buffer where the condition passes the "before" argument of the same number.
void anchorWhile(scf::WhileOp loop) {
  alignArguments(loop);
  SmallVector<Value> anchors(loop.getYieldOp().getNumOperands());
  OperandRange passed = loop.getConditionOp().getArgs();
  for (auto [i, arg] : llvm::enumerate(loop.getBeforeArguments()))
    if (i < passed.size() && passed[i] == arg)
      anchors[i] = loop.getAfterArguments()[i];
  anchorYield(loop.getYieldOp(), anchors, [](unsigned) { return false; });
}

class AnchorLoops : public onnxc::impl::AnchorLoopsPassBase<AnchorLoops> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    getOperation().walk(anchorFor);
    getOperation().walk(anchorWhile);
  }
};

} // namespace
