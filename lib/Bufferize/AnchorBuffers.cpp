//===- AnchorBuffers.cpp - Prepare for bufferization ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Destination.h"
#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace onnxc {
#define GEN_PASS_DEF_ANCHORBUFFERSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Whether `value` is made in the buffer of `anchor`, an argument of the same
/// block, step by step, with nobody reading what a step overwrites.
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

/// Gives each user its own empty or filled tensor, next to it. Shared, which is
/// what CSE makes of them, a filled tensor is copied for every user that
/// writes into it, and stays alive from the first to the last. Bodies of
/// structured ops only read elements: they keep what stands around them.
template <typename Op> void unshare(func::FuncOp fn) {
  SmallVector<Op> ops;
  fn.walk([&](Op op) {
    if (op->getNumResults() == 1)
      ops.push_back(op);
  });
  for (Op op : ops) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getResult(0).getUses())
      if (!isa<linalg::LinalgOp>(use.getOwner()->getParentOp()))
        uses.push_back(&use);
    for (OpOperand *use : uses) {
      OpBuilder b(use->getOwner());
      use->set(b.clone(*op.getOperation())->getResult(0));
    }
    if (op->use_empty())
      op->erase();
  }
}

/// The analysis compares each use of a tensor with all other uses of it.
constexpr unsigned kMaxSharedReads = 64;

/// Gives each so many readers of an input or constant, which nobody may write
/// to, a tensor of their own in the same memory. Later passes join them again.
void separateReaders(func::FuncOp fn) {
  SmallVector<Operation *> sources;
  fn.walk([&](Operation *op) {
    auto input = dyn_cast<bufferization::ToTensorOp>(op);
    if ((input && input.getRestrict() && !input.getWritable()) ||
        (isa<arith::ConstantOp>(op) &&
         isa<RankedTensorType>(op->getResult(0).getType())))
      sources.push_back(op);
  });
  for (Operation *op : sources) {
    SmallVector<OpOperand *> uses =
        llvm::map_to_vector(op->getUses(), [](OpOperand &use) { return &use; });
    OpBuilder b(op);
    Value own;
    for (auto [i, use] : llvm::enumerate(ArrayRef(uses).drop_front(
             std::min<size_t>(uses.size(), kMaxSharedReads)))) {
      if (i % kMaxSharedReads == 0)
        own = b.clone(*op)->getResult(0);
      use->set(own);
    }
  }
}

/// Of many insertions, each of which the analysis compares with all others,
/// only so many may share a buffer.
constexpr unsigned kMaxSharedInsertions = 16;

/// What starts in an empty tensor is made there, and in no other buffer.
void makeAllocation(tensor::EmptyOp empty) {
  OpBuilder b(empty);
  empty.replaceAllUsesWith(
      bufferization::AllocTensorOp::create(b, empty.getLoc(), empty.getType(),
                                           empty.getDynamicSizes())
          .getResult());
  empty->erase();
}

/// Gives a tensor that many others are inserted into, and that is then inserted
/// itself, a buffer of its own: as a part of the outer one, all insertions
/// would share that.
void keepGroups(func::FuncOp fn) {
  auto skipCasts = [](Value value) {
    while (auto cast = value.getDefiningOp<tensor::CastOp>())
      value = cast.getSource();
    return value;
  };
  // One group may be inserted in several places.
  llvm::SetVector<tensor::EmptyOp> groups;
  fn.walk([&](tensor::InsertSliceOp outer) {
    Value value = skipCasts(outer.getSource());
    unsigned insertions = 0;
    while (auto inner = value.getDefiningOp<tensor::InsertSliceOp>()) {
      value = skipCasts(inner.getDest());
      ++insertions;
    }
    if (auto empty = value.getDefiningOp<tensor::EmptyOp>();
        empty && empty->hasOneUse() && insertions >= kMaxSharedInsertions)
      groups.insert(empty);
  });
  for (tensor::EmptyOp empty : groups)
    makeAllocation(empty);
}

/// Whether what is consecutive in the source is not so where it is inserted:
/// its last dimensions have one element there, and more around it.
bool spreads(tensor::InsertSliceOp op) {
  for (auto [from, to] : llvm::zip(llvm::reverse(op.getStaticSizes()),
                                   llvm::reverse(op.getDestType().getShape())))
    if (from != 1 || to != 1)
      return from == 1;
  return false;
}

/// Gives a kernel's result that is inserted element by element a buffer of its
/// own: kernels write vectors.
void keepVectors(func::FuncOp fn) {
  // One result may be inserted in several places.
  llvm::SetVector<tensor::EmptyOp> empties;
  fn.walk([&](tensor::InsertSliceOp op) {
    if (!spreads(op))
      return;
    Value value = op.getSource();
    bool isKernels = false;
    while (Operation *def = value.getDefiningOp()) {
      if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
              def)) {
        value = def->getOperand(0);
        continue;
      }
      OpOperand *destination = onnxc::getDestination(value);
      if (!destination)
        break;
      isKernels |= isa<onnxc::kernel::KernelOpInterface>(def);
      value = destination->get();
    }
    auto empty = value.getDefiningOp<tensor::EmptyOp>();
    if (isKernels && empty && empty->hasOneUse())
      empties.insert(empty);
  });
  for (tensor::EmptyOp empty : empties)
    makeAllocation(empty);
}

/// A concatenation of more becomes a buffer that its operands are copied into.
/// As insertions, of which each is made in the result of the one before, so
/// many would be compared with one another, and their offsets be sums of so
/// many terms.
constexpr unsigned kMaxInsertions = 64;

struct DecomposeConcat : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInputs().size() > kMaxInsertions)
      return rewriter.notifyMatchFailure(op, "it has too many operands");
    FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter);
    if (failed(parts))
      return rewriter.notifyMatchFailure(op, "it cannot be decomposed");
    rewriter.replaceOp(op, *parts);
    return success();
  }
};

class AnchorBuffers : public onnxc::impl::AnchorBuffersPassBase<AnchorBuffers> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    bufferization::BufferizationDialect, linalg::LinalgDialect,
                    scf::SCFDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateDecomposePadPatterns(patterns);
    patterns.add<DecomposeConcat>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false).setRegionSimplificationLevel(
        GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();

    unshare<linalg::FillOp>(getOperation());
    unshare<tensor::EmptyOp>(getOperation());
    keepGroups(getOperation());
    keepVectors(getOperation());
    separateReaders(getOperation());

    getOperation().walk([](scf::ForOp loop) {
      SmallVector<Value> anchors(loop.getRegionIterArgs());
      anchorYield(loop.getBody()->getTerminator(), anchors,
                  [&](unsigned i) { return keepsSizes(loop, i); });
    });
    getOperation().walk([](scf::WhileOp loop) {
      alignArguments(loop);
      // An argument of the "after" region is the loop's buffer where the
      // condition passes the "before" argument of the same number.
      SmallVector<Value> anchors(loop.getYieldOp().getNumOperands());
      OperandRange passed = loop.getConditionOp().getArgs();
      for (auto [i, arg] : llvm::enumerate(loop.getBeforeArguments()))
        if (i < passed.size() && passed[i] == arg)
          anchors[i] = loop.getAfterArguments()[i];
      anchorYield(loop.getYieldOp(), anchors, [](unsigned) { return false; });
    });
  }
};

} // namespace
