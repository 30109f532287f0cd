//===- KeepLoopSizes.cpp - Sizes that no iteration changes ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "onnxc/Lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_KEEPLOOPSIZES
#include "onnxc/Lower/Passes.h.inc"
} // namespace onnxc

namespace {

/// What a size is: a number, if there is no value; dimension `number` of a
/// tensor; or an index, whose `number` is -1.
struct Source {
  Value value;
  int64_t number = -1;
  bool operator==(const Source &other) const {
    return value == other.value && number == other.number;
  }
};

using Dim = std::pair<Value, int64_t>;

/// How far sizes are followed, which is how deep calls nest.
constexpr unsigned kDepth = 32;

/// The sizes of a function, where each tensor that a loop carries is taken to
/// have those of its initial value, until an iteration is seen to change one.
class LoopSizes {
public:
  explicit LoopSizes(func::FuncOp function);

  Source ofDim(Value tensor, int64_t index, unsigned depth = kDepth);

private:
  struct Carried {
    Value initial, next;
  };
  void add(ValueRange arguments, ValueRange initial, ValueRange next);
  Source ofIndex(Value index, unsigned depth);
  Source findDim(Value tensor, int64_t index, unsigned depth);
  Source findIndex(Value index, unsigned depth);
  Source ofResult(OpResult tensor, int64_t index, unsigned depth);
  Source ofArgument(BlockArgument tensor, int64_t index, unsigned depth);

  DenseMap<Value, Carried> carried;
  llvm::SetVector<Dim> kept;
  /// What was found as long as `kept` is what it is: branches ask twice, and
  /// what they ask does so again. An index has dimension -1.
  DenseMap<Dim, Source> found;
};

LoopSizes::LoopSizes(func::FuncOp function) {
  function.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      add(loop.getRegionIterArgs(), loop.getInitArgs(),
          loop.getYieldedValues());
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      add(loop.getBeforeArguments(), loop.getInits(),
          loop.getYieldOp().getOperands());
  });
  // By induction over the iterations: what is left holds of the first one, and
  // of each one that follows others of which it holds.
  for (bool changes = true; changes;) {
    found.clear();
    changes = kept.remove_if([&](const Dim &dim) {
      auto [argument, index] = dim;
      const Carried &values = carried.at(argument);
      return !(ofDim(values.next, index) == ofDim(values.initial, index));
    });
  }
}

void LoopSizes::add(ValueRange arguments, ValueRange initial, ValueRange next) {
  for (auto [argument, from, to] : llvm::zip_equal(arguments, initial, next)) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    carried[argument] = {from, to};
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        kept.insert({argument, i});
  }
}

Source LoopSizes::ofIndex(Value index, unsigned depth) {
  if (auto known = found.find({index, -1}); known != found.end())
    return known->second;
  Source source = findIndex(index, depth);
  found[{index, -1}] = source;
  return source;
}

Source LoopSizes::ofDim(Value tensor, int64_t index, unsigned depth) {
  if (auto known = found.find({tensor, index}); known != found.end())
    return known->second;
  Source source = findDim(tensor, index, depth);
  found[{tensor, index}] = source;
  return source;
}

Source LoopSizes::findIndex(Value index, unsigned depth) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return {Value(), *known};
  if (!depth)
    return {index};
  if (auto dim = index.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> number = dim.getConstantIndex())
      return ofDim(dim.getSource(), *number, depth - 1);
  // The size of two that are broadcast to each other.
  if (auto select = index.getDefiningOp<arith::SelectOp>()) {
    Source yes = ofIndex(select.getTrueValue(), depth - 1);
    if (yes == ofIndex(select.getFalseValue(), depth - 1))
      return yes;
  }
  return {index};
}

Source LoopSizes::findDim(Value tensor, int64_t index, unsigned depth) {
  if (OpFoldResult known = traceSize(tensor, index)) {
    if (auto value = dyn_cast<Value>(known))
      return depth ? ofIndex(value, depth - 1) : Source{value};
    return {Value(), *getConstantIntValue(known)};
  }
  if (!depth)
    return {tensor, index};
  if (auto result = dyn_cast<OpResult>(tensor))
    return ofResult(result, index, depth - 1);
  return ofArgument(cast<BlockArgument>(tensor), index, depth - 1);
}

Source LoopSizes::ofResult(OpResult tensor, int64_t index, unsigned depth) {
  unsigned number = tensor.getResultNumber();
  Operation *op = tensor.getOwner();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Source yes = ofDim(branch.thenYield().getOperand(number), index, depth);
    if (yes == ofDim(branch.elseYield().getOperand(number), index, depth))
      return yes;
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Value argument = loop.getRegionIterArg(number);
    if (kept.contains({argument, index}))
      return ofDim(argument, index, depth);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    return ofDim(loop.getConditionOp().getArgs()[number], index, depth);
  }
  return {tensor, index};
}

Source LoopSizes::ofArgument(BlockArgument tensor, int64_t index,
                             unsigned depth) {
  if (kept.contains({tensor, index}))
    return ofDim(carried.at(tensor).initial, index, depth);
  auto loop = dyn_cast<scf::WhileOp>(tensor.getOwner()->getParentOp());
  if (loop && tensor.getOwner() == loop.getAfterBody())
    return ofDim(loop.getConditionOp().getArgs()[tensor.getArgNumber()], index,
                 depth);
  return {tensor, index};
}

struct KeepLoopSizes : onnxc::impl::KeepLoopSizesBase<KeepLoopSizes> {
  void runOnOperation() override {
    bool hasLoops = getOperation()
                        .walk([](Operation *op) {
                          return isa<scf::ForOp, scf::WhileOp>(op)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
    if (!hasLoops)
      return markAllAnalysesPreserved();
    LoopSizes sizes(getOperation());
    replaceSizes(sizes);
  }

private:
  void replaceSizes(LoopSizes &sizes) {
    // All are asked before one is changed.
    SmallVector<std::pair<tensor::DimOp, Source>> found;
    getOperation().walk([&](tensor::DimOp dim) {
      std::optional<int64_t> number = dim.getConstantIndex();
      auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
      if (!number || !type || *number < 0 || *number >= type.getRank())
        return;
      Source source = sizes.ofDim(dim.getSource(), *number);
      if (!(source == Source{dim.getSource(), *number}))
        found.push_back({dim, source});
    });
    DominanceInfo dominance(getOperation());
    for (auto &[dim, source] : found)
      if (!source.value || dominance.properlyDominates(source.value, dim))
        replace(dim, source);
  }

  static void replace(tensor::DimOp dim, const Source &source) {
    OpBuilder b(dim);
    Location loc = dim.getLoc();
    Value size = source.value;
    if (!size) {
      size = arith::ConstantIndexOp::create(b, loc, source.number);
    } else if (source.number >= 0) {
      b.setInsertionPointAfterValue(size);
      size = tensor::DimOp::create(b, loc, size, source.number);
    }
    dim.replaceAllUsesWith(size);
  }
};
} // namespace
